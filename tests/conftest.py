"""Fixtures for all tests: settings with a new HOME, and the real data beside the checkout.

Two markers leave a test out unless the marker expression (`-m`) names them. A quick sample of each such
test always runs.

slow    takes more than about 10 seconds; `make test-all` runs it, and `pytest FOLDER -m slow` runs those in a folder
soak    repeats one fault for many minutes; only `pytest -m soak` runs it

Tests marked `models` need an environment with torch. In another environment they fail with a message that says so.
"""

import os
import signal
from importlib.util import find_spec
from pathlib import Path

import pytest

from groundwork.settings import Settings

pytest_plugins = ["tests.servers.fixtures", "tests.servers.language_model", "tests.workers"]

#: Markers of tests that run only if `-m` names the marker.
LEFT_OUT = ("slow", "soak")

REPOSITORY = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("TRUTHHYPO_SHARED", REPOSITORY.parent / "shared")) / "data"


def pytest_configure() -> None:
    """Let SIGINT interrupt again: a shell starts background jobs with SIGINT ignored, and their children inherit it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests with a marker of `LEFT_OUT` unless the marker expression names the marker."""
    markers = [name for name in LEFT_OUT if name not in config.option.markexpr]
    kept: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        (left_out if any(map(item.get_closest_marker, markers)) else kept).append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Fail a test that needs torch with a message that says where it can run."""
    if item.get_closest_marker("models") and find_spec("torch") is None:
        pytest.fail("it needs torch, which this environment lacks: run it by `make test-models`", pytrace=False)


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the settings of the developer's machine away from the tests."""
    for name in list(os.environ):
        if name.startswith(("TRUTHHYPO_", "OPENAI_")) and name not in {"TRUTHHYPO_SHARED", "TRUTHHYPO_TEST_CACHE"}:
            monkeypatch.delenv(name)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings with a HOME for this test alone."""
    return Settings(home=tmp_path / "home")


@pytest.fixture(scope="session")
def data() -> Path:
    """Return the folder of real third-party data. If it is missing, fail in CI, and skip the test elsewhere."""
    if not DATA.is_dir():
        reason = f"the real data is not at {DATA}; set TRUTHHYPO_SHARED"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    return DATA
