"""What points to something named before is told by its name where it can mean that alone, else it stays, flagged."""

import pytest

from knowhd.claims.claims import RuleClaims
from tests.knowhd.hard import linker


@pytest.fixture(scope="module")
def rules(tmp_path_factory):
    return RuleClaims(linker(tmp_path_factory.mktemp("meant")))


def last(rules, text):
    return rules.extract(text)[-1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # The only thing that was harmed is restored; what is done to drugs or diseases alone is not done to others.
        ("KRAS loss impairs ERK signalling; SOS1 agonists restore it.", "SOS1 agonists restore ERK signalling."),
        ("QLT2 is reduced in the hippocampus of rats; quelistat restores it.", "Quelistat restores QLT2."),
        ("Aspirin causes bleeding. Omeprazole prevents it.", "Omeprazole prevents bleeding."),
        ("AMPK metabolises simvastatin; quelistat inhibits it.", "Quelistat inhibits AMPK."),
        ("Metformin treats headache. Patients tolerate it.", "Patients tolerate metformin."),
        ("MDM2 inhibits TP53 and is inhibited by it.", "MDM2 is inhibited by TP53."),
        ("Quelistat lowers QLT2 and ZRB1; mirvanib raises them.", "Mirvanib raises ZRB1."),
        ("Infection causes gastric ulcers; mirvanib heals most of them.", "Mirvanib heals most of the gastric ulcers."),
        # What is owned.
        ("QLT2 rises in krell fever. Its levels fall in headache.", "The levels of QLT2 fall in headache."),
        (
            "Zorbafen was withdrawn in two patients because of nausea, and their transaminases returned to normal.",
            "The transaminases of two patients returned to normal.",
        ),
        (
            "Patients had krell fever. Zorbafen lowered their QLT2 levels.",
            "Zorbafen lowered the QLT2 levels of patients.",
        ),
        ("QLT2 is lost in mice. Its promoter is methylated.", "The promoter of QLT2 is methylated."),
    ],
)
def test_a_pronoun_that_can_mean_one_thing_means_that(rules, text, expected):
    claim = last(rules, text)
    assert (claim.text, claim.flags) == (expected, ("pronoun_resolved",))


@pytest.mark.parametrize(
    "text",
    [
        "TP53 activates MDM2. Quelistat blocks it.",
        "QLT2 phosphorylates ZRB1; mirvanib inhibits it.",
        "Aspirin inhibits PTGS2. Its levels fall.",
        "Metformin and insulin lower glucose. Quelistat restores it in mice and them in rats.",
        "Quelistat lowers it.",
        "Aspirin lowers QLT2. Mirvanib treats it.",
        "Zorbafen has found a place in care. Although this is rare, its use grows.",
    ],
)
def test_a_pronoun_that_may_mean_several_things_or_none_stays_and_is_flagged(rules, text):
    assert "pronoun_unresolved" in last(rules, text).flags


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Quelistat lowers the level of QLT2 and that of ZRB1.", "Quelistat lowers the level of ZRB1."),
        (
            "Interferon gamma increases the expression of CXCL9 but decreases that of CXCL8.",
            "Interferon gamma decreases the expression of CXCL8.",
        ),
        ("The levels of QLT2 fall in mice. Those of ZRB1 rise.", "The levels of ZRB1 rise."),
        (
            "Zorbafen lowers the serum level of QLT2. It raises that of ZRB1.",
            "Zorbafen raises the serum level of ZRB1.",
        ),
    ],
)
def test_that_of_a_thing_is_the_noun_before(rules, text, expected):
    assert last(rules, text).text == expected


def test_a_pronoun_that_may_mean_what_stands_nearer_is_not_told_by_the_sentence_before(rules):
    claim = last(rules, "QLT2 is lost in mice. Quelistat binds to its promoter.")
    assert (claim.text, claim.flags) == ("Quelistat binds to its promoter.", ())


def test_what_a_claim_compares_in_itself_stays(rules):
    claim = last(rules, "The efficacy of quelistat exceeds that of zorbafen.")
    assert (claim.text, claim.flags) == ("The efficacy of quelistat exceeds that of zorbafen.", ())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "AKT phosphorylates FOXO1. This phosphorylation prevents krell fever.",
            "The phosphorylation of FOXO1 by AKT prevents krell fever.",
        ),
        (
            "The kinase QLT2 phosphorylates ZRB1, and this phosphorylation is increased by quelistat.",
            "The phosphorylation of ZRB1 by the kinase QLT2 is increased by quelistat.",
        ),
        (
            "ZRB1 is inhibited by quelistat. The inhibition lowers QLT2.",
            "The inhibition of ZRB1 by quelistat lowers QLT2.",
        ),
        (
            "QLT2 and ZRB1 interact. This interaction causes krell fever.",
            "The interaction of QLT2 and ZRB1 causes krell fever.",
        ),
        ("QLT2 is cleaved in mice. Such a cleavage causes headache.", "The cleavage of QLT2 causes headache."),
        (
            "Zorbafen reduces QLT2. This rapid reduction prevents headache.",
            "The rapid reduction of QLT2 by zorbafen prevents headache.",
        ),
    ],
)
def test_a_noun_that_points_to_a_verb_is_told_in_full(rules, text, expected):
    claim = last(rules, text)
    assert (claim.text, claim.flags) == (expected, ("pronoun_resolved",))


@pytest.mark.parametrize(
    "text",
    [
        "QLT2 does not phosphorylate ZRB1. This phosphorylation is rare.",
        "Quelistat inhibits QLT2. This effect lasts two hours.",
        "Quelistat raises ZRB1. This inhibition causes krell fever.",
        "Quelistat inhibits QLT2 and mirvanib inhibits ZRB1. This inhibition causes krell fever.",
        "Quelistat inhibits QLT2. This lowers ZRB1.",
    ],
)
def test_a_noun_without_its_only_verb_stays_and_is_flagged(rules, text):
    assert "pronoun_unresolved" in last(rules, text).flags


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Aspirin and warfarin cause bleeding. The latter lowers QLT2.", ["Warfarin lowers QLT2."]),
        ("Aspirin and warfarin cause bleeding. The former lowers QLT2.", ["Aspirin lowers QLT2."]),
        ("Aspirin and warfarin cause bleeding, but the latter lowers QLT2.", ["Warfarin lowers QLT2."]),
        ("Aspirin inhibits QLT2. The former causes bleeding.", ["Aspirin causes bleeding."]),
        ("Nausea is worse with quelistat and zorbafen. Mirvanib lowers the latter.", ["Mirvanib lowers zorbafen."]),
        ("Aspirin and warfarin cause bleeding. Both lower QLT2.", ["Aspirin lowers QLT2.", "Warfarin lowers QLT2."]),
        ("Zirnolol and mavorel cause bleeding. Both raise QLT2.", ["Zirnolol raises QLT2.", "Mavorel raises QLT2."]),
        ("QLT2 and ZRB1 rise in mice. Both are kinases.", ["QLT2 is a kinase.", "ZRB1 is a kinase."]),
    ],
)
def test_of_two_the_former_the_latter_and_both_are_told(rules, text, expected):
    assert [claim.text for claim in rules.extract(text)[-len(expected) :]] == expected


@pytest.mark.parametrize(
    "text",
    [
        "Aspirin, warfarin and metformin cause bleeding. The latter lowers QLT2.",
        "Aspirin, warfarin and metformin cause bleeding. Both lower QLT2.",
        "Aspirin causes bleeding. Both lower QLT2.",
        "Aspirin and warfarin lower QLT2 and ZRB1. Both cause bleeding.",
    ],
)
def test_of_more_than_two_none_is_told(rules, text):
    assert "pronoun_unresolved" in last(rules, text).flags


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Quelistat lowers QLT2. The drug prevents krell fever.", "Quelistat prevents krell fever."),
        ("Quelistat treats krell fever. Zorbafen worsens the disease.", "Zorbafen worsens krell fever."),
        ("Quelistat binds QLT2. Mirvanib inhibits the enzyme.", "Mirvanib inhibits QLT2."),
        ("Quelistat lowers QLT2. Mice were given this compound.", "Mice were given quelistat."),
        ("QLT2 raises ZRB1 in krell fever. Zorbafen treats this disorder.", "Zorbafen treats krell fever."),
    ],
)
def test_a_kind_of_thing_is_the_only_one_named(rules, text, expected):
    assert last(rules, text).text == expected


def test_both_of_a_kind_are_the_two_named(rules):
    claims = rules.extract("Quelistat and mirvanib lower QLT2. Both drugs prevent krell fever.")
    assert [c.text for c in claims[2:]] == ["Quelistat prevents krell fever.", "Mirvanib prevents krell fever."]


@pytest.mark.parametrize(
    "text",
    [
        "QLT2 binds its receptor. The receptor lowers ZRB1.",
        "Quelistat lowers QLT2 more than zorbafen does. The drug prevents krell fever.",
        "Quelistat and a second drug lower QLT2. The drug prevents krell fever.",
        "QLT2 raises ZRB1. The enzyme falls in krell fever.",
        "Nausea is rare. The drug prevents krell fever.",
    ],
)
def test_a_kind_of_thing_that_may_be_another_stays_and_is_flagged(rules, text):
    claim = last(rules, text)
    assert claim.text == text.split(". ")[1]
    assert "pronoun_unresolved" in claim.flags


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Krell fever is caused by mutations in QLT2. These mutations raise ZRB1.", "Mutations in QLT2 raise ZRB1."),
        ("A variant of QLT2 causes headache. This variant raises ZRB1.", "The variant of QLT2 raises ZRB1."),
        ("Quelistat lowers the level of QLT2. Zorbafen raises this level.", "Zorbafen raises the level of QLT2."),
        ("A loss of a urea receptor causes headache. This loss is rare.", "The loss of a urea receptor is rare."),
        ("Zorbafen has effects on mice. Some of these effects are rare.", "Some of the effects on mice are rare."),
        ("A loss of QLT2 causes headache. This loss raises ZRB1.", "The loss of QLT2 raises ZRB1."),
    ],
)
def test_a_noun_is_told_as_the_sentence_before_told_it(rules, text, expected):
    assert last(rules, text).text == expected


@pytest.mark.parametrize(
    "text",
    [
        "Mutations in QLT2 and mutations in ZRB1 cause headache. These mutations are rare.",
        "Mutations are rare in mice. These mutations cause headache.",
        "A mutation in QLT2 causes headache. These mutations are rare.",
    ],
)
def test_a_noun_that_is_not_told_once_in_full_stays_and_is_flagged(rules, text):
    assert "pronoun_unresolved" in last(rules, text).flags


def test_what_may_be_owned_by_its_own_subject_stays(rules):
    text = "Zorbafen users fall more often than others and have twice their risk of headache."
    assert not any("risk of zorbafen" in claim.text for claim in rules.extract(text))


def test_a_drug_that_is_named_twice_is_one(rules):
    text = "Zorbafen raises QLT2 in zorbafen users. Nausea worsens with this drug."
    assert last(rules, text).text == "Nausea worsens with zorbafen."


def test_who_takes_it_takes_the_only_drug(rules):
    text = "Zorbafen inhibits QLT2, reducing the flow of ZRB1. Men taking it have headache."
    assert last(rules, text).text == "Men taking zorbafen have headache."
