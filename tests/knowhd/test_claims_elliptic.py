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
