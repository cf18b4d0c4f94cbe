"""Stores with a graph of any kind, for tests that must pass on every kind."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import cypher
from tests.contracts.conftest import emptied
from tests.ingest.oracle import Load
from tests.ingest.test_load import Stores


@contextmanager
def loaded(request: pytest.FixtureRequest, folder: Path, load: Load) -> Iterator[Stores]:
    """Yield stores whose graph is the kind that the fixture's parameter names. The load is already in the graph."""
    made = Stores(folder)
    if request.param == "neo4j":
        made.graph = cypher.connect(emptied(request.getfixturevalue("neo4j_address")), made.settings)
    elif request.param == "embedded":
        made.graph = cypher.connect(f"embedded:{folder / 'graph'}", made.settings)
    made.load(load)
    yield made
    made.graph.close()
