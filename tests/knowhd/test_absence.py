"""Words that say a thing is absent, or only who is spoken of."""

import pytest

from tests.knowhd.test_reading import reading
from tests.knowhd.test_rules import verdicts


@pytest.mark.parametrize(
    ("sign", "text"),
    [
        (-1, "Avoiding metformin increased TP53."),
        (-1, "Avoidance of metformin increases TP53."),
        (-1, "Discontinuation of metformin increased TP53."),
        (-1, "Withdrawal of metformin increased TP53."),
        (1, "Cessation of metformin lowered TP53."),
        (1, "A metformin-free diet lowers TP53."),
        (-1, "Anti-metformin antibodies increase TP53."),
        (-1, "TP53 is increased by anti-metformin antibodies."),
        (-1, "Without metformin, TP53 increased."),
        (-1, "Patients without metformin had higher TP53."),
        (-1, "Metformin increased the clearance of TP53."),
        (-1, "Metformin increased the degradation of TP53."),
        (1, "Metformin blocked the degradation of TP53."),
        (-1, "Increased TP53 was treated with metformin."),
    ],
)
def test_the_sign_is_turned_by_what_says_that_a_thing_is_absent_or_removed(sign, text):
    said = reading(text, "metformin", "TP53", harmful=False)
    assert (said.sign, said.negated) == (sign, False)


def test_withdrawal_that_worsens_a_disease_is_no_word_against_the_drug():
    assert reading("Withdrawal of metformin worsened stroke.", "metformin", "stroke").sign == -1
    assert reading("Metformin improved clearance of influenza.", "metformin", "influenza").sign == -1


def test_without_behind_what_is_done_to_something_else_denies():
    said = reading("Metformin lowers glucose without hypoglycemia.", "metformin", "hypoglycemia")
    assert said.negated


def test_whom_it_is_resistant_to_does_nothing():
    assert reading("Metformin-resistant cells show increased TP53.", "metformin", "TP53", harmful=False) is None


def test_less_than_placebo_did_says_nothing():
    assert not reading("Metformin lowered TP53 less than placebo did.", "metformin", "TP53").asserted


@pytest.mark.parametrize(
    "text", ["Avoiding aspirin treats headache.", "Withdrawal of aspirin reduces headache.", "Metformin-free AMPK."]
)
def test_a_claim_of_absence_is_not_supported_by_presence(stores, text):
    assert verdicts(stores, text)["graph"] != "supported"
