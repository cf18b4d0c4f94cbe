"""What a sentence denies, verb by verb: "not" and "failed" reach as far as they are shared, and no further."""

import pytest

from fuzzygraph.check import told
from fuzzygraph.triples.predicates import predicates


def said(text: str, *names: str) -> dict[tuple[str, str, str], bool]:
    """(subject, predicate, object) -> whether it is denied."""
    spans = sorted((text.index(name), text.index(name) + len(name)) for name in names)
    return {(t.subject.word.text, t.predicate, t.object.word.text): t.negated for t in told(text, spans)}


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("Exendin failed to reduce weight but did lower cholesterol.", {"reduce": True, "lower": False}),
        ("Exendin failed to reduce weight but lowered cholesterol.", {"reduce": True, "lowered": False}),
        ("Exendin failed to reduce weight or prevent cholesterol.", {"reduce": True, "prevent": True}),
        ("Exendin did not reduce weight or prevent cholesterol.", {"reduce": True, "prevent": True}),
        ("Exendin did not reduce weight but increased cholesterol.", {"reduce": True, "increased": False}),
        ("Exendin did not reduce weight but did increase cholesterol.", {"reduce": True, "increase": False}),
        ("Exendin does not reduce weight and causes cholesterol.", {"reduce": True, "causes": False}),
    ],
)
def test_denial_is_shared_by_verbs_that_share_their_auxiliary(text, denied):
    found = said(text, "Exendin", "weight", "cholesterol")
    assert {predicate: no for (_, predicate, _), no in found.items()} == denied
    assert {subject for subject, _, _ in found} == {"Exendin"}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Gout was not caused or worsened by zinc.", {"caused": True, "worsened": True}),
        ("Gout was caused or worsened by zinc.", {"caused": False, "worsened": False}),
        ("Zinc neither treats nor prevents Gout.", {"treats": True, "prevents": True}),
        ("Zinc prevents and treats Gout.", {"prevents": False, "treats": False}),
    ],
)
def test_verbs_side_by_side_say_each_something_of_the_same_ends(text, wanted):
    drug = "zinc" if "zinc" in text else "Zinc"
    assert {predicate: no for (_, predicate, _), no in said(text, drug, "Gout").items()} == wanted


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("Nifedipine is a drug that lowers cholesterol.", False),
        ("Nifedipine is not a drug that lowers cholesterol.", True),
    ],
)
def test_what_something_is_said_to_be_does_what_is_said_of_it(text, negated):
    assert said(text, "Nifedipine", "cholesterol") == {("Nifedipine", "lowers", "cholesterol"): negated}


@pytest.mark.parametrize(("proof", "negated"), [("evidence", False), ("no evidence", True), ("no sign", True)])
def test_no_evidence_of_a_noun_denies_what_the_noun_says(proof, negated):
    found = said(f"We found {proof} of an association between tea and gout.", "tea", "gout")
    assert list(found.values()) == [negated]


@pytest.mark.parametrize("verb", ["impaired", "reduced", "decreased", "diminished"])
def test_a_participle_is_no_adjective_and_the_ends_stay_where_they_are(verb):
    """Less of it in the disease: subject and object are not turned round, the sign is minus."""
    text = f"Insulin secretion is {verb} in type 2 diabetes."
    (triple,) = told(text, [(0, 7), (text.index("type"), len(text) - 1)])
    assert (triple.subject.word.text, triple.object.word.text) == ("Insulin", "type 2 diabetes")
    assert (triple.relation, triple.sign, triple.negated) == ("negative_correlate", -1, False)


def test_a_noun_after_an_article_is_not_taken_for_a_verb():
    assert predicates().verb_form("results") == "result"
    found = said("These results suggest that curcumin suppresses STAT3.", "curcumin", "STAT3")
    assert found == {("curcumin", "suppresses", "STAT3"): False}
