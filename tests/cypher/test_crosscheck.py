"""The embedded store against the memory store on a graph of 20,000 concepts with hubs."""

import numpy as np
import pytest

import cypher
from groundwork.records import Concept, Relation, Similarity
from groundwork.settings import Settings
from groundwork.tables import concept_batch, edge_batch, similarity_batch
from groundwork.vocabulary import RELATIONS, canonical
from tests.contracts.graphs import links_of

CONCEPTS, EDGES, HUBS = 20_000, 60_000, 4
ASKED = 24


@pytest.fixture(scope="module")
def world():
    rng = np.random.default_rng(20)
    types = np.array(["Chemical", "Disease", "Gene", "SNP"])
    keys = [f"{kind}|{n}" for n, kind in enumerate(types[rng.integers(0, 4, CONCEPTS)].tolist())]
    ends = rng.integers(0, CONCEPTS, (EDGES, 2))
    ends[: EDGES // 10, 0] = rng.integers(0, HUBS, EDGES // 10)  # hubs of about 1,500 links
    ends[-500:] = ends[:500]  # the same pair by several relations
    kinds = rng.integers(0, len(RELATIONS), EDGES)
    pmids = rng.integers(1, 1000, (EDGES, 3))
    edges = {}
    for (a, b), kind, found in zip(ends.tolist(), kinds.tolist(), pmids.tolist(), strict=True):
        head, tail = canonical(keys[a], keys[b])
        edges[head, RELATIONS[kind], tail] = tuple(sorted(set(found[: 1 + a % 3])))
    pairs = {tuple(sorted((keys[a], keys[b]))) for a, b in rng.integers(0, CONCEPTS, (4000, 2)).tolist() if a != b}
    return keys, [Relation(*key, pmids) for key, pmids in edges.items()], sorted(pairs)


@pytest.fixture(scope="module")
def stores(world, tmp_path_factory):
    keys, edges, pairs = world
    graphs = [cypher.connect(a, Settings()) for a in ("memory:", f"embedded:{tmp_path_factory.mktemp('big') / 'g'}")]
    for graph in graphs:
        with graph.writing():
            graph.put_concepts([concept_batch(Concept(key, f"name {key}", (f"name {key}",), (3,)) for key in keys)])
            graph.put_edges([edge_batch(edges[i : i + 20_000]) for i in range(0, len(edges), 20_000)], "r")
            for model, some in (("m", pairs), ("n", pairs[::3])):  # parallel links in one table
                cosines = [Similarity(*pair, 0.5 + len(model * i) % 7 / 20, model) for i, pair in enumerate(some)]
                graph.put_similarities([similarity_batch(cosines)])
    yield graphs
    for graph in graphs:
        graph.close()


def test_both_stores_hold_the_same_content(stores):
    memory, embedded = stores
    assert memory.stats() == embedded.stats()
    assert list(memory.every_concept()) == list(embedded.every_concept())


@pytest.mark.parametrize(
    ("hops", "rank", "before", "similar"),
    [(1, "evidence", None, 0.9), (2, "evidence", 400, None), (2, "dwpc", None, 0.9), (3, "evidence", None, None),
     pytest.param(3, "dwpc", 600, 0.9, marks=pytest.mark.slow), (3, "hops", 500, None), (4, "evidence", 700, None)],
)  # fmt: skip
def test_both_stores_find_the_same_chains(stores, world, hops, rank, before, similar):
    keys, edges, _ = world
    rng = np.random.default_rng(hops)
    pairs = [(keys[0], keys[1])] + [(keys[a], keys[b]) for a, b in rng.integers(0, CONCEPTS, (3, 2)).tolist()]
    pairs += [(edges[n].head, edges[n].tail) for n in rng.integers(0, len(edges), 3).tolist()]
    for head, tail in pairs[: 3 if hops == 4 else None]:
        memory, embedded = (
            graph.chains(head, tail, hops=hops, rank=rank, before=before, similar=similar, limit=50) for graph in stores
        )
        assert memory == embedded
    assert stores[0].chains(keys[0], keys[1], hops=hops, before=before).total > (0 if hops > 1 else -1)


@pytest.mark.parametrize(("hops", "before"), [(2, None), (3, 300), (4, 100)])
def test_both_stores_give_the_same_links_and_edges(stores, world, hops, before):
    keys, edges, _ = world
    memory, embedded = stores
    head, tail = edges[7].head, edges[-7].tail
    assert links_of(memory, head, tail, hops=hops, before=before) == links_of(
        embedded, head, tail, hops=hops, before=before
    )
    some = keys[:60] + [edge.head for edge in edges[:20]] + [edge.tail for edge in edges[:20]]
    assert memory.edges(some, before=before) == embedded.edges(some, before=before) != ()


def test_both_stores_find_the_same_names(stores, world):
    keys, *_ = world
    memory, embedded = stores
    for text in (keys[5], f"NAME-{keys[6]}", f"nam {keys[7]}", "name gene|1234", "nothing at all"):
        assert memory.find(text) == embedded.find(text)
    texts = [f"name {key}" for key in keys[:500]]
    assert memory.named(texts) == embedded.named(texts)


def test_cypher_itself_counts_the_same_walks(stores, world):
    """Compare two-hop patterns over all relation tables, as a user would write them, with a count over dicts."""
    keys, edges, _ = world
    _, embedded = stores
    beside = {}
    for edge in edges:
        if edge.head != edge.tail:
            for a, b in ((edge.head, edge.tail), (edge.tail, edge.head)):
                beside.setdefault(a, []).append(b)
    types = "|".join(relation.upper() for relation in RELATIONS)
    asked = f"MATCH (a:Concept {{key: $a}})-[:{types}]-(x:Concept)-[:{types}]-(b:Concept {{key: $b}}) WHERE x.key <> $a AND x.key <> $b RETURN count(*)"
    for a, b in [(keys[0], keys[1]), (keys[2], keys[3]), (edges[0].head, edges[0].tail), (keys[0], edges[5].tail)]:
        wanted = sum(beside[x].count(b) for x in beside.get(a, ()) if x not in (a, b)) if a != b else None
        if wanted is not None:
            assert embedded.query(asked, {"a": a, "b": b}).rows == ((wanted,),)
