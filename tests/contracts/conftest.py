"""The graph stores that the contract suite runs on, each empty at the start of a test."""

import pytest
from neo4j import GraphDatabase

import cypher

STORES = ["memory", "embedded", pytest.param("neo4j", marks=pytest.mark.servers)]


@pytest.fixture(params=STORES)
def graph_address(request, tmp_path):
    """The address of an empty graph store."""
    if request.param == "neo4j":
        return emptied(request.getfixturevalue("neo4j_address"))
    return {"memory": "memory:", "embedded": f"embedded:{tmp_path / 'a grâph, stored'}"}[request.param]


@pytest.fixture
def graph(graph_address, settings):
    """An empty graph store."""
    store = cypher.connect(graph_address, settings)
    yield store
    store.close()


def emptied(address):
    """The address of a Neo4j that holds nothing any more; its constraints and indexes stay."""
    with GraphDatabase.driver(address) as driver:
        driver.execute_query("MATCH (n) DETACH DELETE n")
    return address
