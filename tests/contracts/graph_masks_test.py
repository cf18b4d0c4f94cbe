"""Articles of a mask do not count: the answers are those of a graph without their PMIDs."""

from collections import Counter

import pytest

import cypher
from groundwork.network import ArticleMask
from groundwork.settings import Settings
from tests.contracts.graphs import (
    ASPIRIN,
    COX1,
    COX2,
    EXAMPLE,
    FEVER,
    PAIN,
    concept,
    edge,
    fill,
    links_of,
    stored,
    unmasked,
)

ENDS = (ASPIRIN, PAIN, COX1, COX2, FEVER)
SIMILAR = [("m", ASPIRIN, FEVER, 0.4)]
OPPOSED = [(PAIN, FEVER, "s")]
#: Masked PMIDs, and the PMID cut. PMID 300 is the newest article of an edge, 100 its oldest; 150 is the only article of
#: an edge, 220 that of a self-relation, and 7 and 999 are articles of no edge.
MASKS = {
    "nothing": ((), None),
    "articles of no edge": ((7, 999), None),
    "the newest article": ((300,), None),
    "the oldest article": ((100,), None),
    "all articles of an edge": ((150,), None),
    "a self-relation": ((220,), None),
    "articles under a cut": ((100, 160), 250),
    "articles beyond a cut": ((260, 300), 250),
    "the only articles under a cut": ((100,), 150),
    "every article": (tuple(pmid for one in EXAMPLE for pmid in one.pmids), None),
}


@pytest.fixture
def stripped(request):
    """A function that returns a memory store of the example without some PMIDs."""

    def made(masked):
        graph = cypher.connect("memory:", Settings())
        request.addfinalizer(graph.close)
        return fill(graph, unmasked(EXAMPLE, masked), [concept(key) for key in ENDS], SIMILAR, OPPOSED)

    return made


def degrees(relations, before):
    """Return the number of relation edges of each concept with other concepts, counted one by one."""
    there = [one for one in relations if any(before is None or pmid <= before for pmid in one.pmids)]
    return Counter(end for one in there if one.head != one.tail for end in (one.head, one.tail))


def test_the_answers_are_those_of_a_graph_without_the_masked_pmids(graph, stripped):
    fill(graph, EXAMPLE, similar=SIMILAR, contradictions=OPPOSED)
    before_all = stored(graph), graph.stats()
    for what, (masked, before) in MASKS.items():
        without, other = ArticleMask.of(masked), stripped(masked)
        cut = {"before": before, "pmids": 2}
        assert graph.edges(ENDS, without=without, **cut) == other.edges(ENDS, **cut), what
        for rank, similar in (("evidence", None), ("evidence", 0.9), ("dwpc", 0.9), ("hops", None)):
            for hops in (1, 2, 3, 4):
                asked = {"hops": hops, "rank": rank, "similar": similar, **cut}
                found, wanted = (
                    graph.chains(ASPIRIN, PAIN, without=without, **asked),
                    other.chains(ASPIRIN, PAIN, **asked),
                )
                assert (found.total, found.chains) == (wanted.total, wanted.chains), (what, asked)
        for hops in (1, 2, 3, 4):
            links = links_of(graph, ASPIRIN, FEVER, hops=hops, before=before, without=without)
            assert links == links_of(other, ASPIRIN, FEVER, hops=hops, before=before), (what, hops)
            network = graph.network(ASPIRIN, FEVER, hops=hops, before=before, without=without)
            wanted = degrees(unmasked(EXAMPLE, masked), before)
            counted = {key: wanted[key] for key in network.keys}
            assert dict(zip(network.keys, network.degree.tolist(), strict=True)) == counted, (what, hops)
    assert (stored(graph), graph.stats()) == before_all


def test_an_edge_of_two_releases_keeps_the_articles_of_the_other(graph):
    """The second release brings the union of the PMIDs, as `ingest` writes it."""
    fill(graph, [edge(ASPIRIN, "treat", PAIN, 100)], release="r1")
    fill(graph, [edge(ASPIRIN, "treat", PAIN, 100, 200)], release="r2")
    for masked, pmids in ([100], (200,)), ([200], (100,)), ([100, 200], None):
        found = graph.edges([ASPIRIN, PAIN], without=ArticleMask.of(masked))
        assert [hop.pmids for hop in found] == ([] if pmids is None else [pmids])
        assert [hop.belief for hop in found] == ([] if pmids is None else pytest.approx([0.65]))


def test_a_mask_of_many_articles_is_no_other_than_a_small_one(graph):
    """The mask has large PMIDs, and hides all articles of a large edge but the newest three."""
    fill(graph, [edge(ASPIRIN, "treat", PAIN, *range(1, 3000), 2**31, 2**53 + 1), edge(PAIN, "cause", COX1, 5)])
    without = ArticleMask.of([*range(1, 2999), 2**40, 2**62])
    for _ in range(3):  # after some look-ups, an atlas finds all masked PMIDs at once
        (hop,) = graph.chains(ASPIRIN, PAIN, hops=1, without=without).chains[0].hops
        assert (hop.articles, hop.pmids) == (3, (2**53 + 1, 2**31, 2999))
        assert graph.chains(ASPIRIN, COX1, without=without).total == 0
        assert graph.chains(ASPIRIN, COX1).total == 1
