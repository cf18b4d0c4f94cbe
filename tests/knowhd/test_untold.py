"""Claims that lean on a text around them are judged by no source, unless only their circumstances lean."""

from dataclasses import replace

import pytest

from groundwork.language import Sentence, sentences
from knowhd.calibration.labelled import pair_of
from knowhd.claims.claims import Claim, linked
from knowhd.claims.leaning.leaning import leaning
from knowhd.evidence.pieces import Edge, Evidence, Passage
from knowhd.judge import SOURCES
from knowhd.rules.judge import RuleJudge
from knowhd.rules.untold import untold
from tests.knowhd.named import knowing

LEANING = [
    ("It lowers DOL2.", "'It'"),
    ("Karnex lowers it.", "'it'"),
    ("Its levels are lowered by karnex.", "'Its levels'"),
    ("This drug lowers DOL2.", "'This drug'"),
    ("Karnex lowers this enzyme.", "'this enzyme'"),
    ("The drug lowers DOL2.", "'drug'"),
    ("The latter inhibits DOL2.", "'latter'"),
    ("Such effects on DOL2 are caused by karnex.", "'Such'"),
    ("Karnex causes a change in this enzyme.", "'this enzyme'"),
    ("Inhibition of DOL2 by karnex results in this disease.", "'this disease'"),
    ("Karnex lowers DOL2 by this mechanism.", "'this mechanism'"),
    ("Karnex lowers DOL2 if they are given early.", "'they'"),
    ("Karnex is found in these cells.", "'these cells'"),
]
TOLD = [
    "Karnex lowers DOL2.",
    "Karnex lowers DOL2 in these patients.",
    "In this study, karnex lowered DOL2.",
    "DOL2 is lowered by karnex in this group.",
    "In these cells, karnex lowers DOL2.",
    "Here, karnex lowers DOL2.",
    "Karnex lowers DOL2 there.",
    "Karnex thereby lowers DOL2.",
    "It is known that karnex lowers DOL2.",
    "It is not false that karnex lowers DOL2.",
]
SAYING = "Karnex lowered DOL2, and DOL2 was lowered by karnex in 40 patients."


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    return knowing(tmp_path_factory.mktemp("names"), {"Chemical": "karnex, zorbafen", "Gene": "DOL2"})


def judged(claim, names):
    shown = tuple(
        Passage(f"pmid:1#s{n}", 1, "", s.text, 1.0, False, n, names.mentions(s.text))
        for n, s in enumerate(sentences(SAYING))
    )
    ends = ("Chemical|1", "Gene|1")
    edge = Edge("edge:Chemical|1 inhibit Gene|1", ends[0], "inhibit", ends[1], (2,), 1, 0.6, (), frozenset({2}))
    known = linked(claim, Sentence(claim, 0, len(claim)), (), names)
    return RuleJudge().judge(known, Evidence((edge,), shown))


def flagged(claim: Claim) -> Claim:
    """The claim as one that was taken from a text and leans on it."""
    return replace(claim, flags=("pronoun_unresolved",))


@pytest.mark.parametrize(("claim", "named"), LEANING)
def test_a_claim_that_does_not_tell_what_it_speaks_of_is_judged_by_no_source(names, claim, named):
    found = judged(claim, names)
    assert {found[source].verdict for source in SOURCES} == {"not_enough"}
    assert {found[source].reason for source in SOURCES} == {
        f"What {named} stands for is not said in it, so no evidence decides it."
    }
    pair = pair_of(claim, SAYING, "supported", "")
    assert RuleJudge().judge(flagged(pair.claim), pair.evidence)["literature"].verdict == "not_enough"


def test_beside_evidence_that_was_chosen_for_it_a_claim_is_judged_all_the_same():
    pair = pair_of("Karnex lowers this enzyme in mice.", "Karnex lowers the enzyme in mice.", "supported", "")
    assert untold(flagged(pair.claim))
    assert untold(pair.claim) == ""
    assert RuleJudge().judge(pair.claim, pair.evidence)["literature"].verdict == "supported"


@pytest.mark.parametrize("claim", TOLD)
def test_circumstances_that_lean_leave_what_is_judged(names, claim):
    found = judged(claim, names)
    assert {found[source].verdict for source in SOURCES} == {"supported"}
    pair = pair_of(claim, SAYING, "supported", "")
    told = flagged(pair.claim) if leaning(claim, ()) else pair.claim
    assert RuleJudge().judge(told, pair.evidence)["literature"].verdict == "supported"


@pytest.mark.parametrize(
    "claim",
    [
        "This study shows that karnex lowers DOL2.",
        "Those patients who smoke die of stroke.",
        "Here we show a cure.",
        "They say that karnex heals.",
    ],
)
def test_a_claim_may_speak_of_its_own_text_and_of_what_stands_behind(claim):
    found = pair_of(claim, SAYING, "supported", "").claim
    assert untold(flagged(found) if leaning(claim, ()) else found) == ""


def test_a_claim_that_was_flagged_by_whoever_made_it_is_judged_by_no_source():
    pair = pair_of("Karnex lowers DOL2.", SAYING, "supported", "")
    found = RuleJudge().judge(flagged(pair.claim), pair.evidence)
    assert {found[source].verdict for source in SOURCES} == {"not_enough"}
    assert "leans on something that is not said" in found["both"].reason
