"""Stores whose graph is of any kind, for what must be the same on all of them."""

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
    """Stores with the graph that a fixture's parameter names, and a load in it."""
    made = Stores(folder)
    if request.param == "neo4j":
        made.graph = cypher.connect(emptied(request.getfixturevalue("neo4j_address")), made.settings)
    elif request.param == "embedded":
        made.graph = cypher.connect(f"embedded:{folder / 'graph'}", made.settings)
    made.load(load)
    yield made
    made.graph.close()
