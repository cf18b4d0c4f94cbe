"""Any series of changes, in loads that end well or fail, leaves an embedded graph equal to the memory store."""

from contextlib import closing, nullcontext, suppress
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

import cypher
from groundwork.errors import StoreError
from groundwork.records import Contradiction, Similarity
from groundwork.settings import Settings
from groundwork.tables import concept_batch, edge_batch, similarity_batch
from tests.contracts.graphs import concept, concept_keys, edge, edge_keys, similarity_keys, stored

KEYS = ("Chemical|B", "Disease|b", "Gene|10", "Gene|9", "Gene|é")
key = st.sampled_from(KEYS)
pair = st.lists(key, min_size=2, max_size=2, unique=True).map(sorted)
relation = st.sampled_from(("treat", "inhibit"))
model = st.sampled_from(("m", "n"))
pmids = st.sets(st.sampled_from((1, 5, 2**31 + 1)), min_size=1)

change = st.one_of(
    st.tuples(st.just("concept"), key, st.sampled_from(("one name", "another", "ONE name"))),
    st.tuples(st.just("edge"), key, relation, key, pmids, st.sampled_from(("r1", "r2"))),
    st.tuples(st.just("no edge"), key, relation, key),
    st.tuples(st.just("no concept"), key),
    st.tuples(st.just("similar"), model, pair, st.sampled_from((-0.5, 0.25, 0.75))),
    st.tuples(st.just("not similar"), model, pair),
    st.tuples(st.just("opposed"), st.sampled_from(("s", "t")), st.lists(pair, max_size=2)),
)
ways = st.sampled_from(("one by one", "together", "failing"))


def apply(graph, change):
    """Make one change; a link of a concept that is not in the graph is refused."""
    match change:
        case ("concept", one, name):
            graph.put_concepts([concept_batch([concept(one, (name, 2))])])
        case ("edge", one, kind, other, cited, release):
            graph.put_edges([edge_batch([edge(one, kind, other, *cited)])], release)
        case ("no edge", one, kind, other):
            graph.drop_edges([edge_keys(edge(one, kind, other))])
        case ("no concept", one):
            graph.drop_concepts([concept_keys(one)])
        case ("similar", name, ends, cosine):
            graph.put_similarities([similarity_batch([Similarity(*ends, cosine, name)])])
        case ("not similar", name, ends):
            graph.drop_similarities([similarity_keys((name, *ends))])
        case ("opposed", source, pairs):
            graph.put_contradictions(source, [Contradiction(*ends, source) for ends in pairs])


def content(graph):
    """All that a store holds. Beside links come in any order."""
    stats = graph.stats(anew=True)
    assert graph.stats() == stats
    beside = sorted(tuple(row.values()) for batch in graph.beside() for row in batch.to_pylist())
    similar = sorted(tuple(row.values()) for batch in graph.similarities() for row in batch.to_pylist())
    around = {one: sorted(graph.edges_at(one)) for one in KEYS}, {one: sorted(graph.similar_at(one)) for one in KEYS}
    held = [
        tuple(row.values())
        for batch in graph.held([edge_keys(*map(stated, stored(graph)))])
        for row in batch.to_pylist()
    ]
    named = [graph.find(name).concepts for name in ("one name", "another", "Gene|9")]
    return stats, stored(graph), beside, similar, around, sorted(map(str, held)), named, list(graph.every_concept())


def stated(key):
    return edge(key[0], key[1], key[2], 1)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.lists(change, min_size=1, max_size=6), ways), min_size=1, max_size=4))
def test_any_series_of_changes_leaves_the_content_of_the_memory_store(loads):
    memory = cypher.connect("memory:", Settings())
    with TemporaryDirectory() as folder, closing(cypher.connect(f"embedded:{folder}/graph", Settings())) as embedded:
        for changes, way in loads:
            if way == "failing":  # nothing of a load that fails stays
                with suppress(ZeroDivisionError, StoreError), embedded.writing():
                    for one in changes:
                        apply(embedded, one)
                    raise ZeroDivisionError
            else:
                with embedded.writing() if way == "together" else nullcontext():
                    for one in changes:
                        refused = []
                        for graph in (memory, embedded):
                            try:
                                apply(graph, one)
                            except StoreError as error:
                                refused.append(error.seen)
                        assert len(refused) in {0, 2}, "both stores refuse the same links"
            assert content(embedded) == content(memory)
        with closing(cypher.connect(embedded.address, Settings(), read_only=True)) as again:
            assert content(again) == content(memory)
