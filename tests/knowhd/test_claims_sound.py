"""Rather a sentence whole than a claim that it does not make."""

import re

import pytest

from knowhd.claims.claims import RuleClaims
from tests.knowhd.named import knowing


@pytest.fixture(scope="module")
def rules(tmp_path_factory):
    named = {
        "Chemical": "aspirin, warfarin, simvastatin, captopril, imatinib, cholesterol, metformin, insulin",
        "Disease": "thrombosis, CML, bleeding, diabetes",
    }
    return RuleClaims(knowing(tmp_path_factory.mktemp("sound"), named))


@pytest.mark.parametrize(
    "text",
    [
        "Imatinib (Gleevec) inhibits BCR and is used to treat CML.",
        "Aspirin (Bayer), warfarin (Coumadin), and heparin prevent thrombosis.",
        "Simvastatin (20 mg/d) lowered cholesterol but raised HDL.",
        "Aspirin (n = 12) did not, and warfarin (n = 14) did, prevent thrombosis.",
        "Simvastatin and captopril lower cholesterol and blood pressure, respectively.",
    ],
)
def test_brackets_close_and_pairs_are_whole(rules, text):
    for claim in rules.extract(text):
        assert claim.text.count("(") == claim.text.count(")")
        assert claim.text == text or "respectively" not in claim.text


def test_nothing_is_said_to_act_on_itself(rules):
    told = [claim.text for claim in rules.extract("Thrombosis is caused by warfarin, and it is also treated by it.")]
    assert not any("by thrombosis" in text for text in told)


def test_a_name_that_a_condition_repeats_is_no_fault(rules):
    told = rules.extract("Even if aspirin treats thrombosis, it causes CML.")
    assert [claim.text for claim in told] == ["Even if aspirin treats thrombosis, aspirin causes CML."]


@pytest.mark.parametrize(
    "text",
    [
        "Metformin treats diabetes               , and, in mice, raises insulin.",
        "Aspirin and warfarin use increases bleeding.",
    ],
)
def test_rather_whole_than_that_nobody_does_it_or_that_it_is_done_to_a_verb(rules, text):
    assert [claim.text for claim in rules.extract(text)] == [re.sub(" +", " ", text).replace(" ,", ",")]


def test_who_uses_what_is_told_of_each(rules):
    told = [claim.text for claim in rules.extract("Physicians and nurses use increases of dose.")]
    assert all(" use" in each for each in told)
