"""What every test has at hand: settings in a fresh HOME, and the real data beside the checkout.

Tests marked `slow` are long by nature, and a sample of what they do runs without the mark. They are left out unless
asked for: `pytest -m slow` runs all of them, `pytest FOLDER -m slow` those of a folder. Tests marked `models` have an
environment of their own; in one without torch they fail and say so.
"""

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

from groundwork.settings import Settings

pytest_plugins = ["tests.servers.fixtures", "tests.servers.language_model", "tests.workers"]

REPOSITORY = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("TRUTHHYPO_SHARED", REPOSITORY.parent / "shared")) / "data"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is slow unless the marker expression speaks of it."""
    if "slow" in config.option.markexpr:
        return
    if slow := [item for item in items if item.get_closest_marker("slow")]:
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if not item.get_closest_marker("slow")]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Say of a test that needs torch where it can run, before anything in it fails for want of it."""
    if item.get_closest_marker("models") and find_spec("torch") is None:
        pytest.fail("it needs torch, which this environment lacks: run it by `make test-models`", pytrace=False)


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of the developer's own machine reaches a test."""
    for name in list(os.environ):
        if name.startswith(("TRUTHHYPO_", "OPENAI_")) and name not in {"TRUTHHYPO_SHARED", "TRUTHHYPO_TEST_CACHE"}:
            monkeypatch.delenv(name)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings with a HOME that nobody else has."""
    return Settings(home=tmp_path / "home")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real third-party data; its absence fails in CI and skips elsewhere."""
    if not DATA.is_dir():
        reason = f"the real data is not at {DATA}; set TRUTHHYPO_SHARED"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    return DATA
