"""Frames that deny, doubt or merely affirm the clause they stand around."""

import pytest

from knowhd.calibration.labelled import pair_of
from knowhd.rules.framing import bare, claims_nothing
from knowhd.rules.judge import RuleJudge
from tests.knowhd.test_reading import reading
from tests.knowhd.test_rules import verdicts

DENIED = [
    "It is false that metformin increases stroke.",
    "It is incorrect to say that metformin increases stroke.",
    "The claim that metformin increases stroke is wrong.",
    "The idea that metformin increases stroke is a myth.",
    "It has been refuted that metformin increases stroke.",
    "Smith et al. denied that metformin increases stroke.",
    "It has been claimed that metformin increases stroke; our data refute this.",
    "Metformin would be expected to increase stroke, yet it did not.",
    "Metformin did not, in any of the four cohorts that we studied over ten years, increase stroke.",
    "Metformin increased stroke in no patient.",
    "Metformin increases stroke in hardly any patient.",
    "It is not true that metformin increases stroke.",
]
AFFIRMED = [
    "There is no doubt that metformin increases stroke.",
    "It cannot be denied that metformin increases stroke.",
    "Not surprisingly, metformin increased stroke.",
    "Metformin did not only increase stroke, it tripled it.",
    "Metformin cannot but increase stroke.",
    "The idea that aspirin cures baldness is a myth; metformin increases stroke.",
    "Metformin increased stroke in no more than ten patients.",
]
OPEN = [
    "Metformin may or may not increase stroke.",
    "There was a non-significant trend for metformin to increase stroke (p = 0.8).",
]


@pytest.mark.parametrize("text", DENIED)
def test_a_frame_that_denies_turns_what_is_in_it(text):
    said = reading(text, "metformin", "stroke")
    assert (said.sign, said.negated, said.asserted) == (1, True, True)


@pytest.mark.parametrize("text", AFFIRMED)
def test_a_frame_that_affirms_and_one_around_something_else_deny_nothing(text):
    said = reading(text, "metformin", "stroke")
    assert (said.sign, said.negated, said.asserted) == (1, False, True)


@pytest.mark.parametrize("text", OPEN)
def test_a_frame_that_leaves_it_open_asserts_nothing(text):
    assert not reading(text, "metformin", "stroke").asserted


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("It is false that aspirin treats headache.", "contradicted"),
        ("The claim that aspirin treats headache is wrong.", "contradicted"),
        ("Aspirin treats headache in no patient.", "contradicted"),
        ("Aspirin cannot but reduce headache.", "supported"),
        ("Whether aspirin treats headache is unclear.", "not_enough"),
        ("We do not know whether aspirin treats headache.", "not_enough"),
        ("Aspirin may or may not treat headache.", "not_enough"),
    ],
)
def test_a_framed_claim_is_judged_by_its_frame(stores, text, verdict):
    assert verdicts(stores, text)["graph"] == verdict


@pytest.mark.parametrize(
    ("text", "nothing"),
    [
        ("Aspirin treats headache whether or not caffeine is given.", False),
        ("Whether aspirin treats headache remains unknown.", True),
        ("It is unclear if aspirin treats headache.", True),
        ("Aspirin may treat headache.", False),
    ],
)
def test_a_claim_that_asks_claims_nothing(text, nothing):
    assert claims_nothing(text) is nothing


def test_a_whole_claim_is_taken_out_of_its_frame():
    assert bare("It is false that zinc cures colds.") == ("Zinc cures colds.", True)
    assert bare("There is no doubt that zinc cures colds.") == ("Zinc cures colds.", False)
    assert bare("Zinc cures colds.") == ("Zinc cures colds.", False)


def test_wording_is_held_against_what_a_frame_denies():
    text = "Zorbafen cured krell fever in 40 of 50 adults."
    pair = pair_of(f"It is false that {text[0].lower()}{text[1:]}", text, "contradicted", "")
    assert RuleJudge().judge(pair.claim, pair.evidence)["literature"].verdict == "contradicted"
