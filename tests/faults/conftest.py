"""The program, releases to load, and which of these tests run by themselves."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.commands import Commands
from tests.faults.truths import Oracle, Release, pair, records


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is slow unless it was asked for: `-m slow`."""
    if "slow" in config.option.markexpr:
        return
    here = Path(__file__).parent
    slow = {item for item in items if item.get_closest_marker("slow") and here in item.path.parents}
    if slow:
        config.hook.pytest_deselected(items=list(slow))
        items[:] = [item for item in items if item not in slow]


@pytest.fixture(scope="session")
def commands(tmp_path_factory) -> Iterator[Commands]:
    """The program."""
    made = Commands(tmp_path_factory.mktemp("commands"))
    yield made
    made.close()


@pytest.fixture(scope="session")
def releases(tmp_path_factory) -> tuple[Release, Release]:
    """A release and its successor."""
    return pair(tmp_path_factory.mktemp("releases"), 3000, 500)


@pytest.fixture(scope="session")
def articles(tmp_path_factory) -> list[Path]:
    """PubMed's files: three of the baseline and one update."""
    return records(tmp_path_factory.mktemp("pubmed") / "files", 600)


@pytest.fixture(scope="session")
def oracle(tmp_path_factory, articles) -> Oracle:
    """What an index holds after the load of these files."""
    return Oracle(tmp_path_factory.mktemp("oracle"), articles)
