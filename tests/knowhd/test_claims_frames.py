"""Who knows it, in whose view it is and against whom it was found is no part of a claim."""

import pytest

from knowhd.claims.claims import RuleClaims
from tests.knowhd.named import knowing

CLAIM = "TP53 activates MDM2."


@pytest.fixture(scope="module", params=["TP53, MDM2", "ZRB77"], ids=["known", "unknown"])
def rules(request, tmp_path_factory):
    return RuleClaims(knowing(tmp_path_factory.mktemp("frames"), {"Gene": request.param}))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("TP53 is known to activate MDM2.", [CLAIM]),
        ("TP53 is not known to activate MDM2.", ["TP53 is not known to activate MDM2."]),
        ("No protein is known to activate MDM2.", ["No protein is known to activate MDM2."]),
        ("In our view, the evidence indicates that TP53 activates MDM2.", [CLAIM]),
        ("TP53 activates MDM2, contrary to earlier reports.", [CLAIM]),
    ],
)
def test_a_frame_falls_off(rules, text, expected):
    assert [claim.text for claim in rules.extract(text)] == expected
