"""After a load the graph is compared with the expected content. Lost or wrong rows are reported and repaired."""

import re

import pytest
from neo4j import GraphDatabase

import cypher
import ingest
from groundwork.errors import Refused, StoreBusy, StoreError
from groundwork.settings import Settings
from groundwork.tables import concept_batch, edge_batch
from tests.contracts.conftest import STORES, emptied
from tests.contracts.graphs import concept, concept_keys, edge, edge_keys
from tests.ingest.oracle import Load, Oracle, concepts_of, edges_of

CHEMICAL, GENE = "Chemical|MESH:D1", "Gene|1"
FIRST = [(n, "treat", f"Chemical|MESH:D{n % 7}", f"Gene|{n % 11}") for n in range(1, 60)]
SECOND = [(n, "treat", f"Chemical|MESH:D{n % 7}", f"Gene|{n % 11}") for n in range(20, 80)] + [
    (5, "cause", CHEMICAL, GENE)
]


class Disturbed:
    """A store that something else changes after the rows of a load are written."""

    def __init__(self, store, harm) -> None:
        self._store, self._harm = store, harm

    def __getattr__(self, name: str):
        return getattr(self._store, name)

    def drop_concepts(self, batches) -> None:
        self._store.drop_concepts(batches)
        self._harm(self._store)


@pytest.fixture(params=STORES)
def graph(request, tmp_path):
    """An empty graph of each kind."""
    if request.param == "neo4j":
        address = emptied(request.getfixturevalue("neo4j_address"))
    else:
        address = {"memory": "memory:", "embedded": f"embedded:{tmp_path / 'graph'}"}[request.param]
    store = cypher.connect(address, Settings())
    yield store
    store.close()


@pytest.fixture
def load(tmp_path):
    """Loads rows of relations into a graph."""
    settings = Settings(home=tmp_path / "home")
    return lambda rows, graph, **options: ingest.load_relations(
        [Load("relations", rows).write(tmp_path)], graph, settings, **options
    )


def held(rows) -> Oracle:
    oracle = Oracle()
    oracle.load(Load("relations", rows))
    return oracle


def check(rows, graph) -> None:
    assert edges_of(graph) == held(rows).edges()
    assert concepts_of(graph) == held(rows).concepts()


def lose_an_edge(store) -> None:
    store.drop_edges([edge_keys(edge(CHEMICAL, "cause", GENE, 1))])


def lose_evidence(store) -> None:
    store.put_edges([edge_batch([edge(CHEMICAL, "cause", GENE, 4)])], "somebody")


def keep_a_dropped_edge(store) -> None:
    """Put back an edge of the first release that the second release lacks."""
    absent = set(held(FIRST).edges()) - set(held(SECOND).edges())
    head, relation, tail = sorted(absent)[0] if absent else (CHEMICAL, "treat", "Gene|404")
    store.put_concepts([concept_batch([concept(head), concept(tail)])])
    store.put_edges([edge_batch([edge(head, relation, tail, 1)])], "somebody")


def lose_a_concept(store) -> None:
    store.drop_concepts([concept_keys(GENE)])


def rename_a_concept(store) -> None:
    store.put_concepts([concept_batch([concept("Gene|10", ("another", 3))])])


HARM = {
    lose_an_edge: r"cause edges: expected 1, seen 0\n.*MESH:D1 cause Gene\|1: expected 1 PMIDs \[5\], seen none",
    lose_evidence: r"MESH:D1 cause Gene\|1: expected 1 PMIDs \[5\], seen 1 PMIDs \[4\]",
    keep_a_dropped_edge: r"treat edges: expected \d+, seen \d+",
    lose_a_concept: r"Gene concepts: expected 11, seen 10",
}


def test_a_load_says_what_it_verified(load, graph):
    receipt = load(FIRST, graph)
    edges, concepts = len(held(FIRST).edges()), len(held(FIRST).concepts())
    verified = receipt.to_dict()["verified"]
    assert (verified["concepts"], verified["edges"]) == (concepts, edges)
    assert verified["looked_at"] >= edges + concepts  # a sample would be larger, so every row is looked at
    again = load(FIRST, graph)
    assert (again.verified.edges, again.verified.concepts) == (edges, concepts)
    assert load(FIRST, graph, dry_run=True).verified is None


@pytest.mark.parametrize("harm", HARM, ids=lambda harm: harm.__name__)
def test_rows_lost_during_a_load_are_reported_and_repaired(load, graph, harm):
    load(FIRST, graph)
    with pytest.raises(Refused, match=r"after pubtator3:\w+ \(\d+\.txt\) was written, .* is wrong") as caught:
        load(SECOND, Disturbed(graph, harm))
    assert caught.value.exit_code == 1
    assert re.search(HARM[harm], str(caught.value), re.DOTALL), str(caught.value)
    assert "--rebuild" in caught.value.remedy
    assert [release.state for release in graph.releases()] == ["live", "loading"]
    receipt = load(SECOND, graph, rebuild=True)
    check(SECOND, graph)
    assert [release.state for release in graph.releases()] == ["past", "live"]
    assert receipt.verified.edges == len(held(SECOND).edges())


def test_a_concept_with_other_names_is_reported(load, graph):
    with pytest.raises(
        Refused, match=r"Gene\|10: expected 'NAT2' with 1 names \[NAT2\], seen 'another' with 1 names \[another\]"
    ):
        load(FIRST, Disturbed(graph, rename_a_concept))
    load(FIRST, graph, rebuild=True)
    check(FIRST, graph)


def test_what_was_lost_before_a_load_is_reported_by_it(load, graph):
    load(FIRST, graph)
    lost = sorted(set(held(FIRST).edges()) & set(held(SECOND).edges()))[0]
    graph.drop_edges([edge_keys(edge(lost[0], lost[1], lost[2], 1))])
    with pytest.raises(Refused, match=r"treat edges: expected \d+, seen \d+"):
        load(SECOND, graph)
    with pytest.raises(Refused, match="treat edges"):  # every time, until it is repaired
        load(SECOND, graph)
    load(SECOND, graph, rebuild=True)
    check(SECOND, graph)


def test_a_load_is_refused_before_it_reads_its_files_while_another_is_under_way(graph, tmp_path):
    other = graph if graph.address == "memory:" else cypher.connect(graph.address, Settings())
    with graph.writing(), pytest.raises(StoreBusy, match=r"is being loaded|in use"):
        ingest.load_relations([tmp_path / "missing"], other, Settings(home=tmp_path / "home"))
    other.close()


@pytest.mark.servers
def test_an_edge_that_exists_twice_is_reported_and_repaired(load, neo4j_address):
    graph = cypher.connect(emptied(neo4j_address), Settings())
    twice = "MATCH (a {key: $key})-[r]->(b) WITH a, r, b LIMIT 1 CREATE (a)-[s:TREAT]->(b) SET s = r"

    def double(_store) -> None:
        with GraphDatabase.driver(neo4j_address) as driver:
            driver.execute_query(twice, key=CHEMICAL)

    with pytest.raises(Refused, match=r"treat edges: expected \d+, seen \d+") as caught:
        load(FIRST, Disturbed(graph, double))
    assert " and " in str(caught.value)
    load(FIRST, graph, rebuild=True)
    check(FIRST, graph)
    graph.close()


@pytest.mark.servers
def test_a_constraint_that_went_missing_is_reported(load, neo4j_address):
    graph = cypher.connect(emptied(neo4j_address), Settings())

    def unguard(_store) -> None:
        with GraphDatabase.driver(neo4j_address) as driver:
            driver.execute_query("DROP CONSTRAINT concept_key")

    with pytest.raises(Refused, match="constraint concept_key is missing"):
        load(FIRST, Disturbed(graph, unguard))
    load(FIRST, graph)  # the next load makes it again
    check(FIRST, graph)
    graph.close()


def test_a_store_that_fails_during_a_load_names_the_files_of_the_load(load, graph):
    def fail(store) -> None:
        raise StoreError("it failed", "", "")

    with pytest.raises(StoreError, match=r"The load of pubtator3:\w+ \(\d+\.txt\) into .* is not finished"):
        load(FIRST, Disturbed(graph, fail))
