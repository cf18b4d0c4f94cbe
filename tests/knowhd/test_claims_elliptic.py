"""What is said of a thing without saying it again is claimed of it in full words."""

import pytest

from knowhd.claims.claims import RuleClaims
from tests.knowhd.made_up import linker

SAID = "Quelistat lowers QLT2."
DENIED = "Quelistat does not lower QLT2."


@pytest.fixture(scope="module")
def rules(tmp_path_factory):
    return RuleClaims(linker(tmp_path_factory.mktemp("elliptic")))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Quelistat lowers QLT2, but mirvanib does not.", [SAID, "Mirvanib does not lower QLT2."]),
        ("Quelistat lowers QLT2 while mirvanib doesn't.", [SAID, "Mirvanib does not lower QLT2."]),
        ("Quelistat lowers QLT2, although mirvanib does not.", [SAID, "Mirvanib does not lower QLT2."]),
        ("Quelistat lowers QLT2; mirvanib does not.", [SAID, "Mirvanib does not lower QLT2."]),
        (
            "Quelistat lowers QLT2, whereas mirvanib and zorbafen do not.",
            [SAID, "Mirvanib does not lower QLT2.", "Zorbafen does not lower QLT2."],
        ),
        ("Quelistat does not lower QLT2, but mirvanib does.", [DENIED, "Mirvanib lowers QLT2."]),
        ("Quelistat is a drug, but mirvanib is not.", ["Quelistat is a drug.", "Mirvanib is not a drug."]),
        ("Quelistat lowers QLT2 and so does mirvanib.", [SAID, "Mirvanib lowers QLT2."]),
        ("Quelistat lowers QLT2, and so does mirvanib.", [SAID, "Mirvanib lowers QLT2."]),
        ("Quelistat lowers QLT2, as does mirvanib.", [SAID, "Mirvanib lowers QLT2."]),
        ("Quelistat lowers QLT2 and mirvanib does too.", [SAID, "Mirvanib lowers QLT2."]),
        ("Quelistat does not lower QLT2, and neither does mirvanib.", [DENIED, "Mirvanib does not lower QLT2."]),
        ("Quelistat does not lower QLT2, nor does mirvanib.", [DENIED, "Mirvanib does not lower QLT2."]),
        (
            "Quelistat and zorbafen lower QLT2, but mirvanib does not.",
            [SAID, "Zorbafen lowers QLT2.", "Mirvanib does not lower QLT2."],
        ),
    ],
)
def test_what_is_not_said_again_is_said_of_the_other_thing(rules, text, expected):
    assert [claim.text for claim in rules.extract(text)] == expected


PARTS = {
    "Two copies of MRV3 raise QLT2, whereas one copy does not.": (
        "Two copies of MRV3 raise QLT2.",
        "One copy of MRV3 does not raise QLT2.",
    ),
    "High doses of zorbafen lower QLT2, while low doses do not.": (
        "High doses of zorbafen lower QLT2.",
        "Low doses of zorbafen do not lower QLT2.",
    ),
    "Two doses of aspirin prevent stroke, but one dose does not.": (
        "Two doses of aspirin prevent stroke.",
        "One dose of aspirin does not prevent stroke.",
    ),
    "Loss of ZRB1 causes krell fever, as does loss of MRV3.": (
        "Loss of ZRB1 causes krell fever.",
        "Loss of MRV3 causes krell fever.",
    ),
    "Loss of TP53 does not cause gout, nor does loss of BRCA1.": (
        "Loss of TP53 does not cause gout.",
        "Loss of BRCA1 does not cause gout.",
    ),
    "The oral form of zorbafen lowers serum urate, whereas the inhaled form does not.": (
        "The oral form of zorbafen lowers serum urate.",
        "The inhaled form of zorbafen does not lower serum urate.",
    ),
    "Unlike one copy of MRV3, two copies of MRV3 raise QLT2.": (
        "Two copies of MRV3 raise QLT2.",
        "One copy of MRV3 does not raise QLT2.",
    ),
    "Mutant BRAF activates MYC, but wild-type BRAF does not.": (
        "Mutant BRAF activates MYC.",
        "Wild-type BRAF does not activate MYC.",
    ),
}


@pytest.mark.parametrize(("text", "expected"), PARTS.items())
def test_what_two_things_of_one_kind_share_is_said_of_both(rules, text, expected):
    assert tuple(claim.text for claim in rules.extract(text)) == expected


NEXT = {
    "Quelistat lowers QLT2. Mirvanib does not.": (SAID, "Mirvanib does not lower QLT2."),
    "Quelistat does not lower QLT2. Mirvanib does.": (DENIED, "Mirvanib lowers QLT2."),
    "Quelistat lowers QLT2. Mirvanib does too.": (SAID, "Mirvanib lowers QLT2."),
    "Quelistat lowers QLT2. So does mirvanib.": (SAID, "Mirvanib lowers QLT2."),
    "Quelistat does not lower QLT2. Nor does mirvanib.": (DENIED, "Mirvanib does not lower QLT2."),
    "Quelistat lowers QLT2. However, mirvanib and zorbafen do not.": (
        SAID,
        "Mirvanib does not lower QLT2.",
        "Zorbafen does not lower QLT2.",
    ),
    "Quelistat is approved for krell fever. Mirvanib is not.": (
        "Quelistat is approved for krell fever.",
        "Mirvanib is not approved for krell fever.",
    ),
}


@pytest.mark.parametrize(("text", "expected"), NEXT.items())
def test_a_sentence_that_only_leans_on_the_one_before_is_said_in_full(rules, text, expected):
    claims = rules.extract(text)
    assert tuple(claim.text for claim in claims) == expected
    assert all("pronoun_resolved" in claim.flags for claim in claims[1:])


@pytest.mark.parametrize(
    "text",
    [
        "Warfarin does not.",
        "Quelistat is a drug. Mirvanib does not.",  # "does" stands for no "is"
        "Quelistat may lower QLT2. Mirvanib does not.",
    ],
)
def test_what_stands_for_nothing_that_was_said_does_not_stand_by_itself(rules, text):
    *_, last = rules.extract(text)
    assert last.text.endswith("does not.")
    assert "pronoun_unresolved" in last.flags


@pytest.mark.parametrize(
    "text", ["Nobody knows what mirvanib does.", "Quelistat lowers QLT2 more than mirvanib does.", "Patients did well."]
)
def test_what_ends_like_such_a_sentence_and_is_none_stays(rules, text):
    assert [claim.text for claim in rules.extract(text)] == [text]
