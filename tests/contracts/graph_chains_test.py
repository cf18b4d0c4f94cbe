"""Chains, edges and links: cases worked by hand, and random graphs against a brute force."""

from itertools import pairwise
from math import exp, sqrt

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groundwork.errors import InputError, UnknownConcept
from groundwork.network import ArticleMask
from groundwork.vocabulary import canonical
from tests.contracts import brute
from tests.contracts.brute import shape
from tests.contracts.graphs import (
    ASPIRIN,
    COX1,
    COX2,
    EXAMPLE,
    FEVER,
    ODD,
    PAIN,
    concept,
    edge,
    fill,
    links_of,
    unmasked,
)

ONE, TWO, THREE = 0.65, 0.86, 0.923  # 1 - (0.05 + 0.3^n)


def shapes(found):
    return [shape(chain) for chain in found.chains]


def test_chains_are_scored_by_the_product_of_beliefs(graph):
    found = fill(graph, EXAMPLE).chains(ASPIRIN, PAIN, hops=2)
    assert shapes(found) == [
        (THREE, (ASPIRIN, PAIN), ("treat",)),
        (0.559, (ASPIRIN, COX1, PAIN), ("inhibit", "stimulate")),  # 0.65 * 0.86
        (0.559, (ASPIRIN, COX2, PAIN), ("inhibit", "stimulate")),  # the same score and length: by keys
        (0.4225, (ASPIRIN, COX2, PAIN), ("negative_correlate", "stimulate")),
    ]
    assert (found.head, found.tail, found.total, found.truncated) == (ASPIRIN, PAIN, 4, False)


def test_hops_follow_the_walk_and_show_the_newest_pmids(graph):
    found = fill(graph, EXAMPLE).chains(PAIN, ASPIRIN, hops=1, pmids=2)
    (hop,) = found.chains[0].hops
    assert (hop.head, hop.relation, hop.tail) == (PAIN, "treat", ASPIRIN)
    assert (hop.articles, hop.pmids) == (3, (300, 200))
    assert hop.belief == pytest.approx(THREE, abs=1e-15)


@pytest.mark.parametrize(("hops", "total"), [(1, 1), (2, 4), (3, 7), (4, 7)])
def test_every_simple_path_counts_once(graph, hops, total):
    """The paths of three hops: aspirin-COX1-COX2-pain, and aspirin-COX2-COX1-pain by two relations."""
    assert fill(graph, EXAMPLE).chains(ASPIRIN, PAIN, hops=hops).total == total


def test_chains_are_the_same_in_both_directions(graph):
    fill(graph, EXAMPLE)
    there, back = graph.chains(ASPIRIN, FEVER, hops=4), graph.chains(FEVER, ASPIRIN, hops=4)
    assert there.total == back.total > 0
    assert {(s, k[::-1], r[::-1]) for s, k, r in shapes(back)} == set(shapes(there))


def test_a_pmid_cut_leaves_out_newer_pmids_and_edges(graph):
    fill(graph, EXAMPLE)
    found = graph.chains(ASPIRIN, PAIN, hops=2, before=180)
    assert shapes(found) == [
        (ONE, (ASPIRIN, PAIN), ("treat",)),
        (0.4225, (ASPIRIN, COX1, PAIN), ("inhibit", "stimulate")),
    ]
    assert [(hop.articles, hop.pmids) for chain in found.chains for hop in chain.hops] == [
        (1, (100,)),
        (1, (150,)),
        (1, (180,)),
    ]
    assert graph.chains(ASPIRIN, PAIN, hops=4, before=99).chains == ()
    assert graph.chains(ASPIRIN, PAIN, hops=1, before=100).total == 1


def test_dwpc_divides_by_the_degrees_of_the_relation_under_the_pmid_cut(graph):
    fill(graph, EXAMPLE)
    found = graph.chains(ASPIRIN, PAIN, hops=2, rank="dwpc")
    # Degrees: treat 1 and 1; inhibit aspirin 2, COX1 1, COX2 1; stimulate pain 2, COX1 1, COX2 2 (pain, fever).
    assert shapes(found) == [
        (1.0, (ASPIRIN, PAIN), ("treat",)),
        (0.5, (ASPIRIN, COX1, PAIN), ("inhibit", "stimulate")),
        (0.5, (ASPIRIN, COX2, PAIN), ("negative_correlate", "stimulate")),
        (float(f"{1 / sqrt(8):.12g}"), (ASPIRIN, COX2, PAIN), ("inhibit", "stimulate")),
    ]
    # Under the cut COX2 stimulates nothing: pain's degree is 1, and aspirin's 2 remains.
    cut = graph.chains(ASPIRIN, PAIN, hops=2, rank="dwpc", before=180)
    assert shapes(cut)[1:] == [(float(f"{1 / sqrt(2):.12g}"), (ASPIRIN, COX1, PAIN), ("inhibit", "stimulate"))]


def test_self_relations_count_in_no_path_and_no_degree(graph):
    a, b = "Gene|1", "Gene|2"
    fill(graph, [edge(a, "associate", b, 1), edge(a, "associate", a, 2), edge(b, "associate", b, 3)])
    assert shapes(graph.chains(a, b, hops=4, rank="dwpc")) == [(1.0, (a, b), ("associate",))]
    assert graph.chains(a, a, hops=4).total == 0
    assert [(hop.head, hop.tail) for hop in graph.edges([a])] == [(a, a)]


def test_rank_by_hops_orders_by_length_then_keys_then_relations(graph):
    found = fill(graph, EXAMPLE).chains(ASPIRIN, PAIN, hops=3, rank="hops")
    assert [chain.score for chain in found.chains] == [1.0] + [0.5] * 3 + [0.333333333333] * 3
    keyed = [(len(kinds), keys, kinds) for _, keys, kinds in shapes(found)]
    assert keyed == sorted(keyed)


def test_ties_are_ordered_by_keys_as_strings_then_by_relations(graph):
    a, b, x, y = "Gene|1", "Gene|2", "Gene|10", "Gene|9"
    edges = [edge(a, r, m, 1) for r in ("treat", "cause") for m in (x, y)] + [edge(m, "treat", b, 1) for m in (x, y)]
    assert [(keys[1], kinds[0]) for _, keys, kinds in shapes(fill(graph, edges).chains(a, b))] == [
        (x, "cause"),
        (x, "treat"),
        (y, "cause"),
        (y, "treat"),
    ]


def test_scores_equal_to_twelve_digits_are_ties(graph):
    """0.65 * 0.86 * 0.923 is the same score in any order, although the last bits differ."""
    a, b = "Gene|1", "Gene|2"
    middles = [("Gene|5", "Gene|6"), ("Gene|3", "Gene|8"), ("Gene|4", "Gene|7")]
    counts = [(1, 2, 3), (3, 2, 1), (2, 3, 1)]
    edges = []
    for (x, y), sizes in zip(middles, counts, strict=True):
        for (p, q), n in zip([(a, x), (x, y), (y, b)], sizes, strict=True):
            edges.append(edge(p, "associate", q, *range(1, n + 1)))
    found = shapes(fill(graph, edges).chains(a, b, hops=3))
    assert {score for score, *_ in found} == {0.515957}
    assert [keys[1] for _, keys, _ in found] == ["Gene|3", "Gene|4", "Gene|5"]


@pytest.mark.parametrize("limit", [0, 1, 3, 4, 5])
def test_truncated_is_true_only_if_chains_were_left_out(graph, limit):
    found = fill(graph, EXAMPLE).chains(ASPIRIN, PAIN, hops=2, limit=limit)
    assert (len(found.chains), found.total, found.truncated) == (min(limit, 4), 4, limit < 4)


def test_similarity_edges_are_used_only_if_alpha_is_given(graph):
    a, b, c = "Gene|1", "Gene|2", "Gene|3"
    similar = [("one", a, b, 0.5), ("two", b, a, 0.8), ("one", b, c, -1.0)]
    fill(graph, [edge(b, "associate", c, 7)], similar=similar, contradictions=[(a, c, "opposites")])
    assert graph.chains(a, c, hops=4).total == 0
    found = graph.chains(a, c, similar=0.9)
    mu, low = 1 / (1 + exp(-0.8)), 1 / (1 + exp(1.0))
    assert shapes(found) == [
        (float(f"{0.9 * mu * ONE:.12g}"), (a, b, c), ("similar_to", "associate")),
        (float(f"{0.81 * mu * low:.12g}"), (a, b, c), ("similar_to", "similar_to")),
    ]
    hop = found.chains[0].hops[0]
    assert (hop.articles, hop.pmids, hop.belief) == (0, (), pytest.approx(0.9 * mu, abs=1e-15))
    # In dwpc the links of both models between a and b count as one link. Degrees: a 1, b 2, c 1.
    assert [score for score, *_ in shapes(graph.chains(a, c, rank="dwpc", similar=0.9))] == [
        float(f"{1 / sqrt(2):.12g}"),
        0.5,
    ]


def test_contradictions_are_never_in_chains_or_edges(graph):
    a, b = "Gene|1", "Gene|2"
    fill(graph, [edge(a, "associate", b, 1)], contradictions=[(a, b, "opposites")])
    assert graph.chains(a, b, hops=4, similar=0.9).total == 1
    assert [hop.relation for hop in graph.edges([a, b])] == ["associate"]


@pytest.mark.parametrize("hops", [0, 5, -1])
def test_hops_outside_one_to_four_are_refused(graph, hops):
    fill(graph, EXAMPLE)
    with pytest.raises(InputError, match="1 to 4"):
        graph.chains(ASPIRIN, PAIN, hops=hops)
    with pytest.raises(InputError, match="1 to 4"):
        links_of(graph, ASPIRIN, PAIN, hops=hops)


@pytest.mark.parametrize("wrong", [{"rank": "best"}, {"limit": -1}, {"pmids": -1}, {"similar": 1.5}])
def test_other_wrong_arguments_are_refused(graph, wrong):
    with pytest.raises(InputError):
        fill(graph, EXAMPLE).chains(ASPIRIN, PAIN, **wrong)


def test_the_error_for_an_unknown_key_names_the_nearest_concept(graph):
    fill(graph, EXAMPLE, [concept(ASPIRIN, ("aspirin", 3))])
    for call in (graph.chains, graph.network):
        with pytest.raises(UnknownConcept) as caught:
            call("Chemical|MESH:D001242", PAIN)
        assert ASPIRIN in str(caught.value) and "aspirin" in str(caught.value)
        with pytest.raises(UnknownConcept):
            call(ASPIRIN, "Gene|")


def test_edges_have_both_ends_among_the_keys(graph):
    fill(graph, EXAMPLE)
    found = graph.edges([COX2, ASPIRIN, COX1, "Gene|404"], pmids=1)
    assert [(hop.head, hop.relation, hop.tail, hop.articles, hop.pmids) for hop in found] == [
        (ASPIRIN, "inhibit", COX2, 2, (260,)),
        (ASPIRIN, "inhibit", COX1, 1, (150,)),
        (ASPIRIN, "negative_correlate", COX2, 1, (170,)),
        (COX1, "associate", COX2, 1, (400,)),
        (COX2, "associate", COX2, 1, (220,)),
    ]
    assert [hop.relation for hop in graph.edges([COX2, ASPIRIN, COX1], before=165)] == ["inhibit", "inhibit"]
    assert graph.edges([]) == graph.edges(["Gene|404"]) == ()


def test_edges_at_a_concept_come_with_their_pmids_and_without_self_relations(graph):
    fill(graph, EXAMPLE)
    assert sorted(graph.edges_at(COX2)) == [
        ("associate", COX1, (400,)),
        ("inhibit", ASPIRIN, (160, 260)),
        ("negative_correlate", ASPIRIN, (170,)),
        ("stimulate", FEVER, (210,)),
        ("stimulate", PAIN, (190,)),
    ]
    assert list(graph.edges_at("Gene|404")) == []


def test_similar_concepts_come_with_cosine_and_model(graph):
    a, b, c = "Gene|1", "Gene|2", "Gene|3"
    fill(graph, [edge(a, "associate", c, 7)], similar=[("one", a, b, 0.5), ("two", b, a, 0.75), ("one", b, c, -1.0)])
    assert sorted(graph.similar_at(b)) == [(a, 0.5, "one"), (a, 0.75, "two"), (c, -1.0, "one")]
    assert list(graph.similar_at("Gene|404")) == []


def test_links_are_those_of_short_walks(graph):
    a, b, c, d = "Gene|1", "Gene|2", "Gene|3", "SNP|4"
    edges = [edge(a, "treat", b, 1, 9), edge(b, "treat", c, 2), edge(c, "treat", d, 3), edge(b, "cause", b, 4)]
    fill(graph, edges, similar=[("m", a, d, 0.4), ("n", a, d, 0.6)], contradictions=[(a, c, "s"), (a, c, "t")])
    found = [(k.head, k.tail, k.kind, k.articles, k.cosine) for k in links_of(graph, a, c, hops=2)]
    assert found == [
        (a, b, "treat", 2, None),
        (a, c, "contradicts", 0, None),
        (a, d, "similar_to", 0, 0.6),
        (b, c, "treat", 1, None),
        (c, d, "treat", 1, None),
    ]
    assert [k.kind for k in links_of(graph, a, c, hops=1)] == ["contradicts"]
    assert [(k.kind, k.articles) for k in links_of(graph, a, c, hops=2, before=2, similar=False)] == [
        ("treat", 1),
        ("contradicts", 0),
        ("treat", 1),
    ]


def test_odd_keys_go_in_and_out_unchanged(graph):
    edges = [edge(a, "associate", b, 5) for a, b in pairwise(ODD)]
    fill(graph, edges)
    for a, b, c in zip(ODD, ODD[1:], ODD[2:], strict=False):
        assert shapes(graph.chains(a, c)) == [(0.4225, (a, b, c), ("associate", "associate"))]
        assert {(k.head, k.tail) for k in links_of(graph, a, c, hops=2)} == {canonical(a, b), canonical(b, c)}
    assert graph.concepts(ODD).keys() == set(ODD)
    assert {hop.head for hop in graph.edges(ODD)} | {hop.tail for hop in graph.edges(ODD)} == set(ODD)


def test_pmids_may_be_large_and_many(graph):
    pmids = (*range(1, 3000), 2**31, 2**53 + 1)
    fill(graph, [edge("Gene|1", "treat", "Gene|2", *pmids)])
    (hop,) = graph.chains("Gene|1", "Gene|2", hops=1, pmids=3).chains[0].hops
    assert (hop.articles, hop.pmids) == (3001, (2**53 + 1, 2**31, 2999))
    assert graph.chains("Gene|1", "Gene|2", hops=1, before=2**31).chains[0].hops[0].articles == 3000
    assert graph.edges(["Gene|1", "Gene|2"], before=2000)[0].articles == 2000


def test_an_empty_graph_has_no_concepts_and_no_edges(graph):
    assert graph.edges(["Gene|1"]) == () and list(graph.every_concept()) == [] and graph.concepts(["Gene|1"]) == {}
    with pytest.raises(UnknownConcept, match="no similar name"):
        graph.chains("Gene|1", "Gene|2")


KEYS = [f"Gene|{n}" for n in range(6)] + ["Chemical|1", "SNP|2"]
PAIRS = [canonical(a, b) for i, a in enumerate(KEYS) for b in KEYS[i:]]


@st.composite
def worlds(draw):
    """Edges among eight concepts, dense enough for many paths, with few PMIDs so that scores tie."""
    kinds = st.sampled_from(["associate", "treat", "cause"])
    chosen = draw(st.lists(st.tuples(st.sampled_from(PAIRS), kinds), unique=True, max_size=45))
    pmids = st.lists(st.integers(1, 8), min_size=1, max_size=4, unique=True)
    edges = [edge(a, kind, b, *draw(pmids)) for (a, b), kind in chosen]
    apart = [pair for pair in PAIRS if pair[0] != pair[1]]
    links = st.tuples(st.sampled_from(["m", "n"]), st.sampled_from(apart))
    similar = {link: draw(st.sampled_from([-0.5, 0.0, 0.3, 0.9])) for link in draw(st.sets(links, max_size=10))}
    return edges, similar


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_chains_and_links_equal_the_brute_force(graph, data):
    edges, similar = data.draw(worlds())
    with graph.writing():
        graph.drop_concepts([_keys(KEYS)])
    fill(graph, edges, [concept(key) for key in KEYS], [(m, *pair, cosine) for (m, pair), cosine in similar.items()])
    best = {pair: max(c for (_, p), c in similar.items() if p == pair) for _, pair in similar}
    for _ in range(4):
        head, tail = data.draw(st.sampled_from(KEYS)), data.draw(st.sampled_from(KEYS))
        hops, before = data.draw(st.integers(1, 4)), data.draw(st.sampled_from([None, 2, 5]))
        rank, alpha = data.draw(st.sampled_from(["evidence", "dwpc", "hops"])), data.draw(st.sampled_from([None, 0.9]))
        limit = data.draw(st.sampled_from([1, 7, 10_000]))
        masked = data.draw(st.sets(st.integers(1, 8), max_size=4))
        counted, cut = unmasked(edges, masked), {"before": before, "without": ArticleMask.of(masked)}
        walked = best if alpha is not None else None
        wanted = brute.paths(counted, walked, head, tail, hops, before, rank, alpha)
        found = graph.chains(head, tail, hops=hops, rank=rank, limit=limit, similar=alpha, **cut)
        assert (found.total, shapes(found)) == (len(wanted), wanted[:limit])
        links = {(*sorted((k.head, k.tail)), k.kind) for k in links_of(graph, head, tail, hops=hops, **cut)}
        there = {(*sorted(pair), kind) for *pair, kind in brute.linked(counted, best, before)}
        assert brute.on_walks(there, head, tail, hops) <= links <= there


def _keys(keys):
    from tests.contracts.graphs import concept_keys

    return concept_keys(*keys)
