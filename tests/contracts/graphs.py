"""Small graphs for the contract suite, and how they are put into a store."""

from dataclasses import replace

import pyarrow as pa

from groundwork.records import Concept, Contradiction, Relation, Release, Similarity
from groundwork.tables import CONCEPT_KEYS, EDGE_KEYS, SIMILARITY_KEYS, concept_batch, edge_batch, similarity_batch
from groundwork.vocabulary import canonical

ASPIRIN, PAIN, COX1, COX2, FEVER = (
    "Chemical|MESH:D001241",
    "Disease|MESH:D010146",
    "Gene|5742",
    "Gene|5743",
    "Disease|MESH:D005334",
)

#: Keys as in PubTator, and stranger ones. A store must return each of them unchanged.
ODD = (
    "ProteinMutation|RS#:121908192;HGVS:c.581G>A;CorrespondingGene:2671",
    "Mutation|tmVar:c|SUB|A|2063|G;HGVS:c.2063A>G;VariantGroup:0",
    "DNAMutation|Chr8:18765448-18804898del",
    'Mutation|it\'s "quoted" and `ticked`',
    "Mutation|back\\slash \\' \\u0027",
    "Mutation|$key ${key} {key} %s",
    "Mutation|β-αμ 数 é e\u0301 🧬",
    "Mutation|tab\there",
    "Mutation|// no comment /* at all */",
)


def links_of(graph, head, tail, *, hops=3, **reach):
    """Return the links on walks between two concepts, as records. Relations without articles are left out."""
    network = graph.network(head, tail, hops=hops, **reach)
    return network.chosen(network.there()).within(head, tail, hops).links()


def concept(key, *names):
    """A concept. Each name is given as (name, count), the most frequent first."""
    return Concept(
        key, names[0][0] if names else key.partition("|")[2], tuple(n for n, _ in names), tuple(c for _, c in names)
    )


def edge(a, relation, b, *pmids):
    """A relation edge in canonical order."""
    head, tail = canonical(a, b)
    return Relation(head, relation, tail, tuple(sorted(pmids)))


def unmasked(edges, masked):
    """The edges without some PMIDs. Edges without any other PMID are left out."""
    left = [replace(edge, pmids=tuple(pmid for pmid in edge.pmids if pmid not in masked)) for edge in edges]
    return [edge for edge in left if edge.pmids]


def fill(graph, edges=(), concepts=(), similar=(), contradictions=(), release="r1"):
    """Load a graph at once. Ends of edges that are missing from `concepts` become concepts without names."""
    named = {c.key: c for c in concepts}
    ends = [key for e in edges for key in (e.head, e.tail)]
    ends += [key for pair in similar for key in pair[1:3]] + [key for pair in contradictions for key in pair[:2]]
    for key in ends:
        named.setdefault(key, concept(key))
    with graph.writing():
        graph.put_concepts([concept_batch(named.values())])
        graph.put_edges([edge_batch(edges)], release)
        if similar:
            edges = [Similarity(*sorted(ends), cosine, model) for model, *ends, cosine in similar]
            graph.put_similarities([similarity_batch(edges)])
        for source in sorted({pair[2] for pair in contradictions}):
            ends = [Contradiction(*sorted(pair[:2]), source) for pair in contradictions if pair[2] == source]
            graph.put_contradictions(source, ends)
    return graph


def copied(source, target):
    """Load what one store holds into another."""
    with target.writing():
        target.put_concepts([concept_batch(source.every_concept())])
        target.put_edges(source.relations(), "r")
        target.put_similarities(source.similarities())
        for each in source.releases():
            target.put_release(each)
    return target


def edge_keys(*edges):
    """A batch of edge keys."""
    rows = [{"head": e.head, "relation": e.relation, "tail": e.tail} for e in edges]
    return pa.RecordBatch.from_pylist(rows, schema=EDGE_KEYS)


def similarity_keys(*keys):
    """A batch of keys of similarity edges: (model, one end, the other)."""
    rows = [{"model": model, "head": min(ends), "tail": max(ends)} for model, *ends in keys]
    return pa.RecordBatch.from_pylist(rows, schema=SIMILARITY_KEYS)


def concept_keys(*keys):
    """A batch of concept keys."""
    return pa.RecordBatch.from_pylist([{"key": key} for key in keys], schema=CONCEPT_KEYS)


def stored(graph):
    """All relation edges a store gives back, as {(head, relation, tail): pmids}."""
    rows = [row for batch in graph.relations() for row in batch.to_pylist()]
    found = {(row["head"], row["relation"], row["tail"]): tuple(row["pmids"]) for row in rows}
    assert len(found) == len(rows)
    return found


def release(source, ident, state="live", order=1):
    """A release."""
    return Release(source, ident, "ab" * 32, 10, 9, 1, state, "2026-01-02T03:04:05+00:00", order)


#: Aspirin treats pain and inhibits both cyclooxygenases, which stimulate pain and fever.
EXAMPLE = (
    edge(ASPIRIN, "treat", PAIN, 100, 200, 300),
    edge(ASPIRIN, "inhibit", COX1, 150),
    edge(ASPIRIN, "inhibit", COX2, 160, 260),
    edge(ASPIRIN, "negative_correlate", COX2, 170),
    edge(COX1, "stimulate", PAIN, 180, 280),
    edge(COX2, "stimulate", PAIN, 190),
    edge(COX2, "associate", COX1, 400),
    edge(COX2, "stimulate", FEVER, 210),
    edge(COX2, "associate", COX2, 220),
)
