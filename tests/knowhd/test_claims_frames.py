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
        ("To our knowledge, TP53 activates MDM2.", [CLAIM]),
        ("To the best of our knowledge, TP53 activates MDM2.", [CLAIM]),
        ("Based on these results, TP53 activates MDM2.", [CLAIM]),
        ("In line with previous work, TP53 activates MDM2.", [CLAIM]),
        ("Consistent with this, TP53 activates MDM2.", [CLAIM]),
        ("Several lines of evidence indicate that TP53 activates MDM2.", [CLAIM]),
        ("It should be noted that TP53 activates MDM2.", [CLAIM]),
        ("It is worth noting that TP53 activates MDM2.", [CLAIM]),
        ("Note that TP53 activates MDM2.", [CLAIM]),
        ("We show here that TP53 activates MDM2.", [CLAIM]),
        ("TP53 has been shown to activate MDM2.", [CLAIM]),
        ("Mutations in TP53 have been reported to activate MDM2.", ["Mutations in TP53 activate MDM2."]),
        ("Rationale: TP53 activates MDM2.", [CLAIM]),
        ("Hypothesis 1: TP53 activates MDM2.", [CLAIM]),
        ("Proposed mechanism: TP53 activates MDM2.", [CLAIM]),
    ],
)
def test_a_frame_falls_off(rules, text, expected):
    assert [claim.text for claim in rules.extract(text)] == expected


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        ("It is plausible that {}.", "It is plausible that {}."),
        ("Our data raise the possibility that {}.", "Data raise the possibility that {}."),
        ("The possibility exists that {}.", "The possibility exists that {}."),
        ("One explanation is that {}.", "One explanation is that {}."),
        ("The most likely explanation is that {}.", "The most likely explanation is that {}."),
        ("Our working hypothesis is that {}.", "{}."),
        ("We hypothesise that {}.", "{}."),
        ("We therefore think that {}.", "{}."),
        ("The authors hypothesize that {}.", "Authors hypothesize that {}."),
        ("It is tempting to speculate that {}.", "It is tempting to speculate that {}."),
        ("It can be assumed that {}.", "It can be assumed that {}."),
        ("It may be that {}.", "It may be that {}."),
        ("Taken together, these findings suggest that {}.", "Findings suggest that {}."),
        ("Accumulating evidence suggests that {}.", "Accumulating evidence suggests that {}."),
        ("Based on the above, we propose that {}.", "{}."),
        ("We reasoned that {}.", "{}."),
        ("If our hypothesis is correct, {}.", "If our hypothesis is correct, {}."),
    ],
)
def test_a_doubt_stays_with_each_claim_but_for_the_authors_own(rules, text, doubt):
    told = [claim.text for claim in rules.extract(text.format("TP53 activates MDM2 and inhibits KRAS"))]
    assert told == [doubt.format("TP53 activates MDM2"), doubt.format("TP53 inhibits KRAS")]


@pytest.mark.parametrize(
    "text",
    [
        "The most plausible explanation is not that TP53 activates MDM2.",
        "TP53 has not been shown to activate MDM2.",
        "No evidence suggests that TP53 activates MDM2.",
        "Based on TP53, KRAS activates MDM2.",
        "Consistent with the loss of TP53, KRAS activates MDM2.",
        "TP53 may activate MDM2 in mice.",
    ],
)
def test_what_changes_the_meaning_stays(rules, text):
    assert [claim.text for claim in rules.extract(text)] == [text]
