"""A model's claim that drops the negation of its sentence, or adds one, is flagged. A reworded negation is not."""

import pytest

from groundwork.llm.scripted import ScriptedModel
from knowhd.claims import ModelClaims


@pytest.fixture
def flagged(stores):
    def flagged(text, *claims):
        replies = [{"claims": [{"text": each, "sentence": 1} for each in claims]}]
        found = ModelClaims(stores.linker, ScriptedModel(replies)).divided(text)[0]
        return ["turned" in claim.flags for claim in found]

    return flagged


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("Quelistat does not raise QLT2.", "Quelistat raises QLT2."),
        ("Quelistat raises QLT2.", "Quelistat does not raise QLT2."),
        ("Aspirin doesn't treat headache.", "Aspirin treats headache."),
        ("Aspirin failed to treat headache.", "Aspirin treated headache."),
        ("Neither aspirin nor metformin treats headache.", "Metformin treats headache."),
        ("Aspirin treats headache, but not type 2 diabetes.", "Aspirin treats type 2 diabetes."),
        ("Aspirin treats headache but does not cause myocardial infarction.", "Aspirin does not treat headache."),
        ("Aspirin treats headache but does not cause myocardial infarction.", "Aspirin causes myocardial infarction."),
        ("We found no evidence that aspirin treats headache.", "Aspirin treats headache."),
        ("No patient on aspirin had headache.", "Patients on aspirin had headache."),
    ],
)
def test_a_claim_that_drops_or_adds_a_negation_is_flagged(flagged, text, claim):
    assert flagged(text, claim) == [True]


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("Quelistat does not raise QLT2.", ["Quelistat does not raise QLT2.", "Quelistat fails to raise QLT2."]),
        ("Aspirin treats headache, but not type 2 diabetes.", ["Aspirin treats headache."]),
        (
            "Aspirin treats headache but does not cause myocardial infarction.",
            ["Aspirin treats headache.", "Aspirin does not cause myocardial infarction."],
        ),
        (
            "Neither aspirin nor metformin treats headache.",
            ["Aspirin does not treat headache.", "Metformin does not treat headache."],
        ),
        ("Unless aspirin is not taken, ibuprofen treats headache.", ["Ibuprofen treats headache."]),
        (
            "Aspirin treats not only headache but also type 2 diabetes.",
            ["Aspirin treats headache.", "Aspirin treats type 2 diabetes."],
        ),
        ("Aspirin is ineffective against headache.", ["Aspirin is not effective against headache."]),
        ("Aspirin treats headache without causing infarction.", ["Aspirin does not cause infarction."]),
    ],
)
def test_a_claim_with_the_same_meaning_is_not_flagged(flagged, text, claims):
    assert flagged(text, *claims) == [False] * len(claims)
