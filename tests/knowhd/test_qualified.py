"""What a claim says beyond a sign, and what sentences say beside one: read as a careful reviewer would.

`qualified.tsv` holds topic, claim, evidence and verdict; the evidence is a sentence, sentences of one article with " / "
between them, or an edge between the claim's first two concepts, and "!" stands before a verdict that must not come out.
It was written before the rules for it.
"""

from pathlib import Path

import pytest

from groundwork.language import Sentence
from knowhd.claims.claims import linked
from knowhd.evidence.pieces import Edge, Evidence, Passage
from knowhd.judge import Judgement
from knowhd.rules.judge import RuleJudge
from knowhd.rules.quantities import quantities
from tests.knowhd.named import knowing

CASES = [line.split("\t") for line in (Path(__file__).parent / "qualified.tsv").read_text("utf-8").splitlines()]
_NAMED = {
    "Chemical": "quelistat, zorbafen, mirvanib, aspirin, metformin, insulin, levodopa, carbidopa, warfarin, amiodarone, "
    "cholesterol, fostakin, iron, glucose",
    "Disease": "krell fever, stroke|strokes, type 2 diabetes, obesity, insomnia, dyskinesia, thrombosis, infarction|infarctions",
    "Gene": "QLT2, ZRB1, AMPK",
}


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    return knowing(tmp_path_factory.mktemp("names"), _NAMED)


def judged(names, text: str, evidence: str) -> Judgement:
    """The judgement on a claim by one article, or by one edge."""
    claim = linked(text, Sentence(text, 0, len(text)), (), names)
    if evidence.startswith("edge:"):
        head, tail = claim.concepts[:2]
        edge = Edge("edge:1", head, evidence.removeprefix("edge:"), tail, (1,), 1, 0.9, (), frozenset({1}))
        return RuleJudge().judge(claim, Evidence((edge,), ()))["graph"]
    passages = tuple(
        Passage(f"pmid:1#s{number}", 1, "", each, 1.0, False, number, names.mentions(each))
        for number, each in enumerate(evidence.split(" / "))
    )
    return RuleJudge().judge(claim, Evidence((), passages))["literature"]


@pytest.mark.parametrize(("topic", "claim", "evidence", "verdict"), CASES)
def test_a_claim_is_supported_by_what_states_as_much(names, topic, claim, evidence, verdict):
    found = judged(names, claim, evidence).verdict
    assert found != verdict[1:] if verdict.startswith("!") else found == verdict


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ("Quelistat lowers QLT2 in 90 % of adults.", "'90 %'"),
        ("Only quelistat lowers QLT2.", "'Only'"),
        ("Quelistat lowers QLT2 more than zorbafen.", "'more than zorbafen'"),
        ("Quelistat always lowers QLT2 within two hours.", "'within two hours' and 'always'"),
    ],
)
def test_the_reason_names_what_is_not_borne_out(names, claim, told):
    reason = judged(names, claim, "edge:negative_correlate").reason
    assert f"It says {told}: 1 of 1 pieces of evidence that bear on the rest do not state that." in reason
    assert "It says" not in judged(names, "Quelistat lowers QLT2.", "edge:negative_correlate").reason


def test_the_reason_names_the_condition_that_a_claim_has_not(names):
    told = "Quelistat lowered QLT2 provided that zorbafen was given."
    reason = judged(names, "Quelistat lowers QLT2.", told).reason
    assert "that the claim has not: PMID 1 'provided that zorbafen was given'." in reason


def test_the_reason_says_that_an_edge_between_two_of_one_type_has_no_direction(names):
    told = "does not tell which of them acts"
    assert told in judged(names, "QLT2 inhibits ZRB1.", "edge:inhibit").reason
    assert told in judged(names, "ZRB1 inhibits QLT2.", "edge:inhibit").reason
    assert told not in judged(names, "Quelistat inhibits QLT2.", "edge:inhibit").reason
    assert told not in judged(names, "QLT2 inhibits ZRB1.", "QLT2 inhibited ZRB1.").reason
    assert told not in judged(names, "QLT2 goes with ZRB1.", "edge:associate").reason


def test_the_reason_names_the_means_that_is_not_told(names):
    reason = judged(names, "Quelistat lowers QLT2 by blocking ZRB1.", "Quelistat lowered QLT2.").reason
    assert "It says by what means ('by blocking ZRB1'): 1 of the pieces of evidence that bear" in reason


@pytest.mark.parametrize(
    ("text", "kind", "low", "high"),
    [
        ("in 90 % of adults", "share", 90, 90),
        ("in 40 of 50 adults", "share", 80, 80),
        ("in all treated patients", "share", 100, 100),
        ("by 50%", "amount", 50, 50),
        ("halved QLT2", "amount", 50, 50),
        ("by at least 20 %", "amount", 20, float("inf")),
        ("two-fold", "fold", 2, 2),
        ("tripled", "fold", 3, 3),
        ("within two hours", "time", 0, 120),
        ("after 90 min", "time", 90, 90),
        ("2 g daily", "mass", 2000, 2000),
        ("between 20 and 30 %", "amount", 20, 30),
        ("10 mm Hg", "mm hg", 10, 10),
        ("in 1,200 patients", "people", 1200, 1200),
        ("four molecules of p53", "molecule", 4, 4),
        ("two copies of a gene", "copies", 2, 2),
    ],
)
def test_a_quantity_is_an_interval_of_what_it_measures(text, kind, low, high):
    (found,) = quantities(text)
    assert (found.kind, pytest.approx(found.low), pytest.approx(found.high)) == (kind, low, high)


@pytest.mark.parametrize("text", ["a 65-year-old man", "aged 65 years", "double-blind", "IL-6", "type 2", "grade 3"])
def test_ages_names_and_grades_are_no_quantities(text):
    assert quantities(text) == ()


def test_who_says_less_than_a_claim_may_outweigh_who_speaks_against_it(names):
    text = "Quelistat lowers QLT2 more than zorbafen."
    claim = linked(text, Sentence(text, 0, len(text)), (), names)
    head, tail = (names.mentions(name)[0].key for name in ("quelistat", "QLT2"))

    def verdict(lower: int, raised: int) -> str:
        counted = {"negative_correlate": lower, "positive_correlate": raised}
        edges = tuple(
            Edge(f"edge:{kind}", head, kind, tail, tuple(own), len(own), 0.9, (), frozenset(own))
            for kind, articles in counted.items()
            for own in [range(100 * articles, 101 * articles)]
        )
        return RuleJudge().judge(claim, Evidence(edges, ()))["graph"].verdict

    assert verdict(lower=5, raised=1) == "not_enough"
    assert verdict(lower=1, raised=5) == "contradicted"


@pytest.mark.parametrize("relation", ["cause", "treat", "prevent"])
def test_a_disease_does_not_do_what_is_done_to_it(names, relation):
    verb = {"cause": "causes", "treat": "treats", "prevent": "prevents"}[relation]
    assert judged(names, f"Quelistat {verb} krell fever.", f"edge:{relation}").verdict == "supported"
    assert judged(names, f"Krell fever {verb} quelistat.", f"edge:{relation}").verdict == "not_enough"
