"""Verbs that the parser loses for the unknown word behind them."""

import pytest

from knowhd.claims.claims import RuleClaims
from knowhd.claims.grammar.masked import Masked
from knowhd.claims.grammar.objects import objects
from tests.knowhd.named import knowing


@pytest.fixture(scope="module")
def rules(tmp_path_factory):
    return RuleClaims(knowing(tmp_path_factory.mktemp("objects"), {"Chemical": "aspirin", "Gene": "PTGS1, BDNF"}))


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("Aspirin inhibits PTGS1 and lowers thromboxane.", ["Aspirin inhibits PTGS1.", "Aspirin lowers thromboxane."]),
        (
            "Aspirin inhibits prostaglandin synthesis and lowers thromboxane production in platelets.",
            ["Aspirin inhibits prostaglandin synthesis.", "Aspirin lowers thromboxane production in platelets."],
        ),
        (
            "Exercise lowers blood pressure, improves mood and prevents falls in older adults.",
            ["Exercise lowers blood pressure.", "Exercise improves mood.", "Exercise prevents falls in older adults."],
        ),
        ("Mirvanib blocks quelin and raises zeltin.", ["Mirvanib blocks quelin.", "Mirvanib raises zeltin."]),
        ("Smoking causes cancer and lowers fertility.", ["Smoking causes cancer.", "Smoking lowers fertility."]),
        ("Drug targets modulate BDNF.", ["Drug targets modulate BDNF."]),
        ("The causes of thromboxane release are unknown.", []),
    ],
)
def test_what_is_done_to_a_thing_without_a_name_is_told(rules, text, claims):
    assert [claim.text for claim in rules.extract(text)] == (claims or [text])


@pytest.mark.parametrize("text", ["Aspirin lowers pain.", "Aspirin is a drug.", "It increases rapidly.", "Lowers."])
def test_a_sentence_whose_verbs_are_seen_stays_as_it_is(text):
    assert objects(Masked(text, ())) == ()
