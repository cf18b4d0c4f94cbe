"""The program, and releases to load."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.commands import Commands
from tests.faults.truths import Oracle, Release, pair, records


@pytest.fixture(scope="session")
def commands(tmp_path_factory) -> Iterator[Commands]:
    """The process that runs commands."""
    made = Commands(tmp_path_factory.mktemp("commands"))
    yield made
    made.close()


@pytest.fixture(scope="session")
def releases(tmp_path_factory) -> tuple[Release, Release]:
    """A release and its successor."""
    return pair(tmp_path_factory.mktemp("releases"), 3000, 500)


@pytest.fixture(scope="session")
def articles(tmp_path_factory) -> list[Path]:
    """PubMed files: three baseline files and one update."""
    return records(tmp_path_factory.mktemp("pubmed") / "files", 600)


@pytest.fixture(scope="session")
def oracle(tmp_path_factory, articles) -> Oracle:
    """The expected content of an index after these files are loaded."""
    return Oracle(tmp_path_factory.mktemp("oracle"), articles)
