"""Writing: replacing, removing, repeating; what a store counts, streams and hashes."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cypher
from groundwork.errors import StoreBusy, StoreError
from groundwork.records import Contradiction, Relation, Similarity, SimilaritySet
from groundwork.tables import concept_batch, digest, edge_batch, similarity_batch
from tests.contracts.graphs import (
    ASPIRIN,
    COX1,
    COX2,
    EXAMPLE,
    ODD,
    PAIN,
    concept,
    concept_keys,
    edge,
    edge_keys,
    fill,
    links_of,
    release,
    similarity_keys,
    stored,
)

A, B, C = "Gene|1", "Gene|2", "Gene|3"


def pmids(edges):
    return {(e.head, e.relation, e.tail): e.pmids for e in edges}


def test_what_is_put_comes_back(graph):
    fill(graph, EXAMPLE)
    assert stored(graph) == pmids(EXAMPLE)
    keys = sorted({key for e in EXAMPLE for key in (e.head, e.tail)})
    assert [c.key for c in graph.every_concept()] == keys
    assert graph.concepts([*keys, "Gene|404"]).keys() == set(keys)


def test_putting_the_same_records_again_changes_nothing(graph):
    fill(graph, EXAMPLE, [concept(ASPIRIN, ("aspirin", 3))])
    before = (graph.stats(), stored(graph), list(graph.every_concept()))
    fill(graph, EXAMPLE, [concept(ASPIRIN, ("aspirin", 3))])
    assert (graph.stats(), stored(graph), list(graph.every_concept())) == before


def test_putting_an_edge_replaces_its_pmids(graph):
    fill(graph, EXAMPLE)
    fill(graph, [edge(ASPIRIN, "treat", PAIN, 5)], release="r2")
    assert stored(graph) == pmids(EXAMPLE) | {(ASPIRIN, "treat", PAIN): (5,)}
    (hop,) = graph.chains(ASPIRIN, PAIN, hops=1).chains[0].hops
    assert (hop.articles, hop.pmids, hop.belief) == (1, (5,), pytest.approx(0.65, abs=1e-15))


def test_putting_a_concept_replaces_its_names_and_keeps_its_edges(graph):
    fill(graph, EXAMPLE, [concept(ASPIRIN, ("aspirin", 3), ("ASA", 1))])
    with graph.writing():
        graph.put_concepts([concept_batch([concept(ASPIRIN, ("acetylsalicylic acid", 2), ("aspirin", 1))])])
    assert graph.concepts([ASPIRIN])[ASPIRIN] == concept(ASPIRIN, ("acetylsalicylic acid", 2), ("aspirin", 1))
    assert graph.named(["ASA"]) == {} and graph.find("ASA").concepts == ()
    assert graph.named(["aspirin"])["aspirin"][0].how == "synonym"
    assert stored(graph) == pmids(EXAMPLE)


def test_dropped_edges_are_gone_and_absent_ones_are_no_error(graph):
    fill(graph, EXAMPLE)
    gone = EXAMPLE[1], EXAMPLE[8]  # one of them a self-relation
    for _ in range(2):
        with graph.writing():
            graph.drop_edges([edge_keys(*gone), edge_keys(edge("Gene|8", "treat", "Gene|9", 1))])
        assert stored(graph) == pmids(set(EXAMPLE) - set(gone))


def test_edges_are_put_and_others_dropped_in_one_go(graph):
    fill(graph, EXAMPLE)
    new = edge(PAIN, "prevent", ASPIRIN, 5)
    for _ in range(2):
        with graph.writing():
            graph.put_edges(
                [edge_batch([new])], "r2", dropped=[edge_keys(EXAMPLE[1], edge("Gene|8", "treat", "Gene|9", 1))]
            )
        assert stored(graph) == pmids({*EXAMPLE, new} - {EXAMPLE[1]})


def test_dropping_a_concept_drops_its_similarities_and_contradictions(graph):
    fill(graph, [edge(A, "treat", B, 1)], [concept(C, ("third", 1))], [("m", B, C, 0.5)], [(A, C, "s")])
    assert len(links_of(graph, A, B)) == 3
    for _ in range(2):
        with graph.writing():
            graph.drop_concepts([concept_keys(C, "Gene|404")])
        assert [link.kind for link in links_of(graph, A, B)] == ["treat"]
        assert graph.concepts([A, B, C]).keys() == {A, B}
        assert graph.named(["third"]) == {}
    fill(graph, [edge(B, "cause", C, 2)])
    assert graph.chains(A, C, similar=0.9).total == 1


def similarities(graph):
    rows = [row for batch in graph.similarities() for row in batch.to_pylist()]
    assert graph.counts().similarities == len(rows)
    return sorted((row["model"], row["head"], row["tail"], row["cosine"]) for row in rows)


def test_similarities_are_put_and_dropped_by_model_and_ends(graph):
    assert similarities(graph) == []
    fill(graph, [], [], [("m", A, B, 0.5), ("m", B, C, 0.5), ("n", A, B, 0.1)])
    for _ in range(2):
        with graph.writing():
            graph.put_similarities([similarity_batch([Similarity(A, C, 0.7, "m"), Similarity(A, B, 0.6, "m")])])
        assert similarities(graph) == [("m", A, B, 0.6), ("m", A, C, 0.7), ("m", B, C, 0.5), ("n", A, B, 0.1)]
    assert [(k.head, k.tail, k.cosine) for k in links_of(graph, A, B, hops=1)] == [(A, B, 0.6)]
    for _ in range(2):
        with graph.writing():
            graph.drop_similarities([similarity_keys(("m", A, B), ("m", B, C), ("o", A, B), ("m", A, "Gene|404"))])
        assert similarities(graph) == [("m", A, C, 0.7), ("n", A, B, 0.1)]
    assert [(k.head, k.tail, k.cosine) for k in links_of(graph, A, B, hops=1)] == [(A, B, 0.1)]


def test_many_similarities_are_put_and_dropped(graph):
    """A store may write this many edges in a different way than a few edges."""
    keys = [f"Gene|{n:04}" for n in range(900)]
    first = [("m", a, b, 0.25) for a, b in pairwise(keys)]
    fill(graph, [], [concept(key) for key in keys], first)
    others = [Similarity(a, b, 0.75, model) for a, b in pairwise(keys[:600]) for model in ("m", "n")]
    with graph.writing():
        graph.put_similarities([similarity_batch(others[:700]), similarity_batch(others[700:])])
    wanted = {key[:3]: key for key in first} | {
        (s.model, s.head, s.tail): (s.model, s.head, s.tail, 0.75) for s in others
    }
    assert similarities(graph) == sorted(wanted.values())
    with graph.writing():
        graph.drop_similarities([similarity_keys(*(("m", a, b) for a, b in pairwise(keys)))])
    assert similarities(graph) == sorted(key for key in wanted.values() if key[0] == "n")


def test_some_similarities_are_looked_up(graph):
    fill(graph, [], [], [("m", A, B, 0.5), ("n", A, B, 0.1)])
    asked = similarity_keys(("m", A, B), ("m", A, C), ("o", A, B), ("m", A, "Gene|404"))
    found = [row for batch in graph.held_similarities([asked]) for row in batch.to_pylist()]
    assert found == [{"model": "m", "head": A, "tail": B, "cosine": 0.5}]


def test_contradictions_of_a_source_are_replaced_as_a_set(graph):
    fill(graph, [], [], [], [(A, B, "s"), (B, C, "s"), (A, B, "t")])
    with graph.writing():
        graph.put_contradictions("s", [Contradiction(A, C, "s")])
    assert [(k.head, k.tail) for k in links_of(graph, A, B, hops=1)] == [(A, B)]
    assert links_of(graph, B, C, hops=1) == ()
    assert len(links_of(graph, A, C, hops=1)) == 1


def test_an_edge_without_its_concepts_is_an_error(graph):
    fill(graph, EXAMPLE)
    for write in (
        lambda: graph.put_edges([edge_batch([edge(ASPIRIN, "treat", "Disease|404", 1)])], "r"),
        lambda: graph.put_similarities([similarity_batch([Similarity(ASPIRIN, "Gene|404", 0.5, "m")])]),
        lambda: graph.put_contradictions("s", [Contradiction(ASPIRIN, "Gene|404", "s")]),
    ):
        with pytest.raises(StoreError, match="404"), graph.writing():
            write()
    assert stored(graph) == pmids(EXAMPLE)


def test_a_release_of_similarities_keeps_how_they_were_made(graph):
    made = SimilaritySet('a "model" (cls)', "cls", 5, "scaled", 0.5, 20, 1 / 3, 0.1 + 0.2, "background")
    known = replace(release("similarity", "a"), similarity=made), replace(release("similarity", "b"), order=2)
    with graph.writing():
        for one in known:
            graph.put_release(one)
    assert graph.releases() == known


def test_a_release_of_documents_keeps_its_kind_beside_the_name_of_its_source(graph):
    known = replace(release("a corpus", "a"), kind="documents"), release("documents", "b"), release("pubtator3", "c")
    with graph.writing():
        for one in known:
            graph.put_release(one)
    assert [one.kind for one in graph.releases()] == ["documents", "documents", "relations"]
    assert graph.releases() == known


def test_releases_are_replaced_by_source_and_id(graph):
    with graph.writing():
        graph.put_release(release("pubtator3", "b", "past", 1))
        graph.put_release(release("pubtator3", "a", "loading", 2))
        graph.put_release(release("documents", "a", "live", 1))
        graph.put_release(release("pubtator3", "a", "live", 2))
    wanted = (release("documents", "a"), release("pubtator3", "b", "past", 1), release("pubtator3", "a", "live", 2))
    assert graph.releases() == wanted == graph.stats().releases


def test_stats_count_types_and_relations(graph):
    fill(graph, [*EXAMPLE, *(edge(key, "compare", ASPIRIN, 1) for key in ODD[:3])])
    found = graph.stats()
    assert found.concepts == {
        "Chemical": 1,
        "DNAMutation": 1,
        "Disease": 2,
        "Gene": 2,
        "Mutation": 1,
        "ProteinMutation": 1,
    }
    assert found.edges == {
        "associate": 2,
        "compare": 3,
        "inhibit": 2,
        "negative_correlate": 1,
        "stimulate": 3,
        "treat": 1,
    }
    assert list(found.concepts) == sorted(found.concepts) and list(found.edges) == sorted(found.edges)


def test_the_digest_covers_relation_edges_only(graph):
    """The digest is computed here from its definition, so that it is the same on every store."""
    from hashlib import blake2b, sha256

    fill(graph, EXAMPLE, similar=[("m", COX1, COX2, 0.9)], contradictions=[(COX1, COX2, "s")])
    lines = [f"{e.head}\t{e.relation}\t{e.tail}\t{','.join(map(str, e.pmids))}" for e in EXAMPLE]
    hashes = sorted(blake2b(line.encode(), digest_size=16).digest() for line in lines)
    assert graph.stats().digest == sha256(b"".join(hashes)).hexdigest()
    with graph.writing():
        graph.drop_edges([edge_keys(*EXAMPLE)])
    assert graph.stats().digest == sha256(b"").hexdigest() == digest([])


def test_many_batches_are_streamed_in_and_out(graph):
    edges = [edge(f"Gene|{n}", "associate", f"Gene|{n + 1}", n + 1, n + 2) for n in range(3000)]
    concepts = [concept(f"Gene|{n}", (f"name {n}", 1)) for n in range(3001)]
    with graph.writing():
        graph.put_concepts(concept_batch(concepts[i : i + 500]) for i in range(0, 3001, 500))
        graph.put_edges((edge_batch(edges[i : i + 300]) for i in range(0, 3000, 300)), "r")
        graph.put_edges((edge_batch(edges[i : i + 700]) for i in range(0, 3000, 700)), "r")
    assert stored(graph) == pmids(edges)
    assert [c.key for c in graph.every_concept()] == sorted(c.key for c in concepts)


def test_one_load_at_a_time(graph):
    with graph.writing(), pytest.raises(StoreBusy), graph.writing():
        pass
    with graph.writing():
        pass


def test_a_store_for_reading_refuses_to_write(graph, graph_address, settings):
    fill(graph, EXAMPLE)
    reader = cypher.connect(graph_address, settings, read_only=True)
    with pytest.raises(StoreError, match="reading only"), reader.writing():
        pass
    reader.close()
    reader.close()


KEYS = [f"Gene|{n}" for n in range(5)]


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_series_of_writes_has_the_same_result_as_in_a_dict(graph, data):
    """Add and remove edges at random, in the store and in a dict. In the end both hold the same edges."""
    with graph.writing():
        graph.drop_concepts([concept_keys(*KEYS)])
        graph.put_concepts([concept_batch([concept(key) for key in KEYS])])
    ends = st.tuples(st.sampled_from(KEYS), st.sampled_from(["treat", "cause"]), st.sampled_from(KEYS))
    wanted = {}
    for _ in range(data.draw(st.integers(1, 4))):
        chosen = data.draw(st.lists(ends, min_size=1, max_size=8))
        edges = [edge(a, r, b, *data.draw(st.sets(st.integers(1, 9), min_size=1, max_size=3))) for a, r, b in chosen]
        with graph.writing():
            if data.draw(st.booleans()):
                graph.put_edges([edge_batch([e]) for e in edges], "r")
                wanted |= pmids(edges)
            else:
                graph.drop_edges([edge_keys(*edges)])
                wanted = {key: value for key, value in wanted.items() if key not in pmids(edges)}
        assert stored(graph) == wanted


def test_many_and_few_changes_take_turns_in_one_load(graph):
    """A store may write many edges in a different way than a few. The result is the same."""
    edges = [edge(f"Gene|{n % 97}", "treat", f"Gene|{n % 89}", n + 1) for n in range(3000)]
    edges = [Relation(*key, found) for key, found in pmids(edges).items()]
    wanted = {}
    with graph.writing():
        graph.put_concepts([concept_batch([concept(f"Gene|{n}") for n in range(97)])])
        for start, stop, keep in [(0, 2500, 1), (10, 15, 1), (0, 2000, 0), (1500, 3000, 1), (2600, 2603, 0), (0, 5, 1)]:
            some = edges[start:stop]
            if keep:
                again = [Relation(e.head, e.relation, e.tail, (*e.pmids, 9000 + start)) for e in some]
                graph.put_edges([edge_batch(again)], "r")
                wanted |= pmids(again)
            else:
                graph.drop_edges([edge_keys(*some)])
                wanted = {key: found for key, found in wanted.items() if key not in pmids(some)}
            assert stored(graph) == wanted
    assert stored(graph) == wanted
