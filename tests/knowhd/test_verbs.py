"""Several verbs of one subject, and what is said of a thing by the way."""

import pytest

from knowhd.claims.claims import RuleClaims

VERBS = {
    "Metformin activates AMPK and inhibits TP53.": "Metformin activates AMPK.|Metformin inhibits TP53.",
    "Metformin activates AMPK but inhibits TP53.": "Metformin activates AMPK.|Metformin inhibits TP53.",
    "Aspirin treats headache, activates AMPK and inhibits TP53.": (
        "Aspirin treats headache.|Aspirin activates AMPK.|Aspirin inhibits TP53."
    ),
    "Metformin activates AMPK and TP53 and inhibits MDM2.": (
        "Metformin activates AMPK.|Metformin activates TP53.|Metformin inhibits MDM2."
    ),
    "Aspirin and ibuprofen activate AMPK and inhibit TP53.": (
        "Aspirin activates AMPK.|Ibuprofen activates AMPK.|Aspirin inhibits TP53.|Ibuprofen inhibits TP53."
    ),
    "In mice, metformin activates AMPK and inhibits TP53.": (
        "In mice, metformin activates AMPK.|In mice, metformin inhibits TP53."
    ),
    "Metformin treats headache because it activates AMPK and inhibits TP53.": (
        "Metformin treats headache.|Metformin activates AMPK.|Metformin inhibits TP53."
    ),
}
#: What is possible, denied or under way of the first verb is so of the second.
SHARED = {
    "Aspirin may treat headache and inhibit TP53.": "Aspirin may treat headache.|Aspirin may inhibit TP53.",
    "Aspirin does not activate AMPK and inhibit TP53.": "Aspirin does not activate AMPK.|Aspirin does not inhibit TP53.",
    "Aspirin does not activate AMPK and inhibits TP53.": "Aspirin does not activate AMPK.|Aspirin inhibits TP53.",
    "Aspirin is activating AMPK and inhibiting TP53.": "Aspirin is activating AMPK.|Aspirin is inhibiting TP53.",
}
WHOLE = (
    "If aspirin activates AMPK and inhibits TP53, headache stops.",
    "Aspirin binds a protein that inhibits AMPK and activates TP53.",
    "Aspirin raises TP53, which is why it treats headache.",
    "Drugs which inhibit PTGS2 treat headache.",
)
ASIDES = {
    "Aspirin inhibits PTGS2, which causes headache.": "Aspirin inhibits PTGS2.|PTGS2 causes headache.",
    "Aspirin, which does not activate AMPK, treats headache.": "Aspirin does not activate AMPK.|Aspirin treats headache.",
    "Aspirin and ibuprofen, which inhibit PTGS2, treat headache.": (
        "Aspirin inhibits PTGS2.|Ibuprofen inhibits PTGS2.|Aspirin treats headache.|Ibuprofen treats headache."
    ),
    "Patients, who took aspirin, had headache.": "Patients took aspirin.|Patients had headache.",
    "Aspirin treats headache, which is caused by ibuprofen, and metformin treats type 2 diabetes.": (
        "Aspirin treats headache.|Headache is caused by ibuprofen.|Metformin treats type 2 diabetes."
    ),
}


@pytest.mark.parametrize(("text", "wanted"), {**VERBS, **SHARED, **ASIDES}.items())
def test_each_verb_of_a_subject_is_a_claim(stores, text, wanted):
    assert sorted(claim.text for claim in RuleClaims(stores.linker).extract(text)) == sorted(wanted.split("|"))


@pytest.mark.parametrize("text", WHOLE)
def test_what_belongs_to_something_else_or_holds_under_a_condition_stays_whole(stores, text):
    assert [claim.text for claim in RuleClaims(stores.linker).extract(text)] == [text]
