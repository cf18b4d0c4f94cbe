"""The rule for verdicts, compared with counts by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwork.records import Chain, Hop
from knowhd.claims import Claim
from knowhd.ground_report import reported
from knowhd.judge import SOURCES, articles, failed, pieces_of, weigh, without_evidence
from knowhd.pieces import Edge, Evidence, Passage, trail_of


def edge(name, *pmids):
    return Edge(f"edge:{name}", "A|1", name, "B|2", tuple(sorted(pmids)), len(pmids), 0.5, (), frozenset(pmids))


def passage(pmid, number=0):
    return Passage(f"pmid:{pmid}#s{number}", pmid, "title", "sentence", 1.0, False, number)


PIECES = st.lists(
    st.tuples(st.sets(st.integers(1, 9), min_size=1, max_size=5), st.sampled_from(["supports", "contradicts", None])),
    max_size=6,
)


@given(PIECES)
def test_the_side_with_more_articles_wins_and_a_tie_decides_nothing(given_pieces):
    pieces = [edge(f"r{n}", *pmids) for n, (pmids, _) in enumerate(given_pieces)]
    stances = {p.id: side for p, (_, side) in zip(pieces, given_pieces, strict=True) if side}
    judgement = weigh(pieces, stances, "why")
    pro = set().union(*[pmids for pmids, side in given_pieces if side == "supports"])
    con = set().union(*[pmids for pmids, side in given_pieces if side == "contradicts"])
    expected = "supported" if len(pro) > len(con) else "contradicted" if len(con) > len(pro) else "not_enough"
    assert judgement.verdict == expected
    assert judgement.mixed == (bool(pro) and bool(con))


def test_an_article_counts_once_however_many_pieces_it_gives():
    pieces = [passage(1, 0), passage(1, 1), passage(1, 2), edge("treat", 1), edge("cause", 2, 3)]
    stances = {p.id: "supports" for p in pieces[:4]} | {pieces[4].id: "contradicts"}
    assert articles(pieces[:4]) == {1}
    assert weigh(pieces, stances, "").verdict == "contradicted"


@pytest.mark.parametrize(
    ("pmids", "told"),
    [
        ((3,), "Read so. Each article counted once: 2 for the claim, 1 against it."),
        ((3, 4), "Read so. Each article counted once: 2 for the claim, 2 against it, so neither side prevails."),
    ],
)
def test_mixed_evidence_is_reported_in_the_reason(pmids, told):
    pieces = (edge("treat", 1, 2), edge("cause", *pmids))
    judgement = weigh(pieces, {"edge:treat": "supports", "edge:cause": "contradicts"}, "Read so.")
    assert judgement.mixed
    claim = Claim("A.", "A.", (0, 2), ())
    assert reported("A.", claim, Evidence(pieces, ()), dict.fromkeys(SOURCES, judgement)).reason == told


def test_the_source_both_is_the_union_of_graph_and_literature():
    evidence = Evidence((edge("treat", 1),), (passage(2),))
    assert pieces_of(evidence, "both") == pieces_of(evidence, "graph") + pieces_of(evidence, "literature")
    assert [len(pieces_of(evidence, source)) for source in SOURCES] == [1, 1, 2]


def test_without_evidence_the_verdict_is_not_enough_and_failed_is_a_separate_verdict():
    assert {without_evidence(source).verdict for source in SOURCES} == {"not_enough"}
    assert failed("no JSON").verdict == "failed"


def test_a_chain_never_outvotes_an_edge_or_a_sentence():
    trail = trail_of(Chain(0.5, (Hop("A|1", "treat", "C|3", 9, tuple(range(9, 0, -1)), 0.9),)), set())
    pieces = (passage(77), trail)
    alone = weigh(pieces, {trail.id: "contradicts"}, "")
    assert (alone.verdict, alone.mixed) == ("contradicted", False)
    beside = weigh(pieces, {trail.id: "contradicts", pieces[0].id: "supports"}, "Read so.")
    assert (beside.verdict, beside.mixed) == ("supported", True)
    claim, found = Claim("A.", "A.", (0, 2), ()), Evidence((), pieces[:1], pieces[1:])
    told = reported("A.", claim, found, dict.fromkeys(SOURCES, beside)).reason
    assert told == (
        "Read so. Each article counted once: 1 for the claim, 0 against it. Chains of edges are not counted."
    )
