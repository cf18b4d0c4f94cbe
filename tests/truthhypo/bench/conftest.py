"""A small set with a HOME of its own, a model on loopback, and `bench run` of a suite over them."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.loopback import Loopback, serving
from tests.truthhypo.bench import small_set
from tests.truthhypo.conftest import Told


@pytest.fixture(scope="session")
def shared(tmp_path_factory, sample_home) -> Path:
    """HOME and set, which tests only read."""
    folder = tmp_path_factory.mktemp("small")
    small_set.build(folder, sample_home)
    return folder


@pytest.fixture
def folder(shared, tmp_path) -> Path:
    """A copy of HOME and set, so that each test has its own cache."""
    shutil.copytree(shared, tmp_path / "own")
    return tmp_path / "own"


@pytest.fixture
def server(monkeypatch) -> Iterator[Loopback]:
    """A model that answers in the required shape, and stores its requests."""
    with serving() as server:
        server.answering = small_set.answering
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-not-to-be-shown")
        monkeypatch.setenv("TRUTHHYPO_MODEL_WAIT", "0.001")
        yield server


@pytest.fixture
def run_bench(command, folder, server) -> Callable[..., Told]:
    """`bench run` of the suite in the folder into `out`."""

    def call(*argv: object, out: str = "out", suite: object = None) -> Told:
        place = suite or small_set.suite(folder)
        return command("--home", folder / "home", "bench", "run", place, "--out", folder / out, *argv)

    return call
