"""What the verification of a load needs from a store: cheap counts, some edges, its constraints, and whether a load is
running."""

from contextlib import closing

import pytest

import cypher
from groundwork.errors import StoreBusy
from groundwork.records import Counts
from tests.contracts.graphs import ASPIRIN, COX1, COX2, EXAMPLE, ODD, PAIN, concept, edge, edge_keys, fill

ABSENT = (edge(ASPIRIN, "cause", PAIN, 1), edge("Gene|404", "treat", PAIN, 1), edge(COX1, "associate", COX1, 1))


def held(graph, *edges):
    rows = [row for batch in graph.held([edge_keys(*edges)]) for row in batch.to_pylist()]
    return sorted((row["head"], row["relation"], row["tail"], tuple(row["pmids"])) for row in rows)


def test_counts_are_those_of_the_stats(graph):
    assert graph.counts() == Counts({}, {})
    fill(graph, EXAMPLE, [concept(key) for key in ODD], similar=[("m", COX1, PAIN, 0.5)])
    stats = graph.stats()
    assert graph.counts() == Counts(stats.concepts, stats.edges, 1)
    assert sum(graph.counts().edges.values()) == len(EXAMPLE)


def test_the_edges_asked_for_come_with_all_their_pmids(graph):
    fill(graph, EXAMPLE)
    assert held(graph, *EXAMPLE[:5], *ABSENT) == sorted((e.head, e.relation, e.tail, e.pmids) for e in EXAMPLE[:5])
    assert held(graph, *EXAMPLE) == sorted((e.head, e.relation, e.tail, e.pmids) for e in EXAMPLE)
    assert held(graph) == []


def test_edges_of_odd_keys_are_found(graph):
    edges = [edge(key, "associate", COX2, number) for number, key in enumerate(ODD, 1)]
    fill(graph, edges)
    assert held(graph, *edges) == sorted((e.head, e.relation, e.tail, e.pmids) for e in edges)


def test_a_written_store_lacks_no_constraint_or_index(graph):
    fill(graph, EXAMPLE)
    assert graph.faults() == ()


def test_a_store_at_rest_is_distinguished_from_one_that_is_being_loaded(graph, graph_address, settings):
    graph.check_idle()
    other = graph if graph_address == "memory:" else cypher.connect(graph_address, settings)
    with closing(other), graph.writing(), pytest.raises(StoreBusy, match=r"is being loaded|in use"):
        other.check_idle()
    graph.check_idle()
