"""The graph stores that the contract suite runs on, each empty at the start of a test."""

import pytest
from neo4j import GraphDatabase

import cypher
from cypher.atlas.charts import ChartedGraph, charts

#: The graph stores.
STORES = ["memory", "embedded", pytest.param("neo4j", marks=pytest.mark.servers)]
#: The ways to read: from each store, and from the atlas of a memory store.
READERS = [*STORES, "charted"]


class Charted(ChartedGraph):
    """A memory store that is read through its atlas. The atlas is built again after every change. Writes go to the
    store."""

    def __getattr__(self, name):
        return getattr(self._store, name)


@pytest.fixture(params=READERS)
def graph_address(request, tmp_path):
    """The address of an empty graph store."""
    if request.param == "neo4j":
        return emptied(request.getfixturevalue("neo4j_address"))
    return {
        "memory": "memory:",
        "charted": "memory:",
        "embedded": f"embedded:{tmp_path / 'a grâph, stored'}",
    }[request.param]


@pytest.fixture
def graph(graph_address, settings, request):
    """An empty graph store."""
    store = cypher.connect(graph_address, settings)
    if request.node.callspec.params.get("graph_address") == "charted":
        yield Charted(store, charts(settings.home, store).atlas, trusted=-1.0)
    else:
        yield store
    store.close()


def emptied(address):
    """The address of an emptied Neo4j; its constraints and indexes remain."""
    with GraphDatabase.driver(address) as driver:
        driver.execute_query("MATCH (n) DETACH DELETE n")
    return address
