"""On a real Neo4j, the cost of a change depends on its own size: the server reads as many records in a small and in a
large graph."""

import pyarrow as pa
import pytest
from neo4j import GraphDatabase

from cypher.bolt.write import portioned
from cypher.catalog import query
from groundwork.settings import Settings
from groundwork.tables import edge_batch
from tests.contracts.graphs import edge, fill

pytestmark = pytest.mark.servers

HUB, LEAVES = "Gene|0", 400
ENDS = [(HUB, f"Gene|{n}") for n in range(1, 11)]
TURNED = [(f"Gene|{n}", "Gene|999") for n in range(1, 11)]
MOST = 40  # records per row; walking a hub takes 800


@pytest.fixture
def hub(bolt):
    """A graph with two hubs: one is the head of very many edges, the other the tail."""
    leaves = [f"Gene|{n}" for n in range(1, LEAVES + 1)]
    return fill(
        bolt, [edge(HUB, "treat", leaf, 1) for leaf in leaves] + [edge(leaf, "treat", "Gene|999", 1) for leaf in leaves]
    )


@pytest.mark.parametrize("ends", [ENDS, TURNED], ids=["from a hub", "to a hub"])
@pytest.mark.parametrize("name", ["drop_edges", "held"])
def test_finding_or_dropping_an_edge_of_a_hub_costs_no_more_than_another_edge(hub, name, ends):
    rows = [{"head": head, "tail": tail} for head, tail in ends]
    assert _records(hub, name, rows=rows) <= MOST * len(rows)


@pytest.mark.parametrize("ends", [ENDS, TURNED], ids=["from a hub", "to a hub"])
@pytest.mark.parametrize("name", ["change_edges", "create_edges"])
def test_writing_an_edge_of_a_hub_costs_no_more_than_another_edge(hub, name, ends):
    edges = pa.Table.from_batches([edge_batch([edge(head, "treat", tail, 1) for head, tail in ends])])
    [portion] = portioned(edges, "r", Settings())
    assert _records(hub, name, **portion.parameters) <= MOST * len(ends)


@pytest.mark.parametrize("ends", [ENDS, TURNED], ids=["from a hub", "to a hub"])
def test_showing_an_edge_of_a_hub_costs_no_more_than_another_edge(hub, ends):
    assert _records(hub, "stated", pairs=list(map(list, ends)), before=None, without=[], pmids=20) <= MOST * len(ends)


@pytest.mark.parametrize("turned", [False, True])
def test_chains_of_three_links_are_searched_from_the_end_without_a_neighbouring_hub(hub, turned):
    fill(hub, [edge("Gene|2000", "treat", "Gene|2001", 1), edge(HUB, "treat", "Gene|3000", 1)])
    head, tail = ("Gene|3000", "Gene|2000")[:: -1 if turned else 1]
    assert _records(hub, "links_3", head=head, tail=tail, before=None, without=[]) <= MOST


def test_few_records_are_read_to_know_that_a_hub_is_the_head_of_edges(hub):
    assert _records(hub, "heads_without", keys=[HUB]) <= MOST


def test_counts_are_read_from_the_count_store_of_the_server(hub):
    assert _records(hub, "concept_count") <= MOST
    assert _records(hub, "edge_count") <= MOST


def _records(store, name: str, **parameters) -> int:
    """The number of records that the server reads for a query. The writes of the query are undone."""
    text = "PROFILE " + query("neo4j", name).naming("treat")
    with GraphDatabase.driver(store.address, notifications_min_severity="OFF") as driver, driver.session() as session:
        transaction = session.begin_transaction()
        result = transaction.run(text, parameters)
        plan = result.consume().profile
        transaction.rollback()
    return _hits(plan)


def _hits(plan) -> int:
    return plan["args"]["DbHits"] + sum(map(_hits, plan.get("children", ())))
