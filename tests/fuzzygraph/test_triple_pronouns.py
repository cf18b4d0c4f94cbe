"""Whom "it" and "they" mean: in the sentence, across sentences, and where nothing tells."""

import re

import pytest

from fuzzygraph.check import told

NAMES = "warfarin|thrombosis|bleeding|lithium|goitre|thyroxine|aspirin|ibuprofen|stroke|PTEN|AKT1|cancer"


def said(text: str) -> list[tuple[str, str, str]]:
    """Subject, predicate and object of each claim with a known predicate."""
    found = told(text, [m.span() for m in re.finditer(NAMES, text, re.IGNORECASE)])
    return [(t.subject.text.lower(), t.predicate, t.object.text.lower()) for t in found if t.relation]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Warfarin prevents thrombosis, but it may cause bleeding.", ("warfarin", "cause", "bleeding")),
        ("Aspirin is cheap, and it prevents stroke.", ("aspirin", "prevents", "stroke")),
        ("Although warfarin is old, it causes bleeding.", ("warfarin", "causes", "bleeding")),
        ("Although it prevents thrombosis, warfarin causes bleeding.", ("warfarin", "prevents", "thrombosis")),
        ("Warfarin did not prevent stroke but it did cause bleeding.", ("warfarin", "cause", "bleeding")),
        ("Thrombosis is prevented by warfarin, but it causes bleeding.", ("warfarin", "causes", "bleeding")),
    ],
)
def test_it_is_who_did_the_same_part_before(text, wanted):
    assert wanted in said(text)
    assert not any(end in {"it", "they"} for subject, _, target in said(text) for end in (subject, target))


def test_what_is_done_to_it_is_done_to_what_something_was_done_to_before():
    assert ("thyroxine", "treated with", "goitre") in said("Lithium causes goitre, and it is treated with thyroxine.")


def test_they_are_all_of_them():
    found = said("Aspirin and ibuprofen prevent stroke, but they cause bleeding.")
    assert {("aspirin", "cause", "bleeding"), ("ibuprofen", "cause", "bleeding")} <= set(found)


def test_a_pronoun_takes_up_the_sign_of_what_it_means():
    text = "Loss of PTEN activates AKT1, and it causes cancer."
    (first, second) = told(text, [m.span() for m in re.finditer(NAMES, text)])
    assert (first.sign, second.sign) == (-1, -1)
    assert {"pronoun_subject", "reversed"} <= set(second.flags)


@pytest.mark.parametrize("text", ["It causes bleeding.", "They prevent stroke."])
def test_a_pronoun_that_nothing_explains_stays_and_is_flagged(text):
    (claim,) = told(text, [m.span() for m in re.finditer(NAMES, text, re.IGNORECASE)])
    assert claim.subject.text.lower() in {"it", "they"}
    assert {"generic_subject", "unresolved_pronoun"} <= set(claim.flags)


def test_an_it_that_means_nothing_is_left_alone():
    assert said("It is known that warfarin causes bleeding.") == [("warfarin", "causes", "bleeding")]
