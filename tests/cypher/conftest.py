"""Stores that tests of the graph room share."""

import pytest

from cypher.bolt.graph import BoltGraph
from tests.contracts.conftest import emptied


@pytest.fixture
def bolt(neo4j_address, settings):
    """An empty graph on the session's Neo4j."""
    store = BoltGraph(emptied(neo4j_address), settings)
    yield store
    store.close()
