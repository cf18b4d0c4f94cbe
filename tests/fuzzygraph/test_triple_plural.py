"""Several names, or a plural, and a bare verb: "lower" is an adjective and "block" a noun to the parser."""

import re

import pytest

from fuzzygraph.triples.claims import told
from fuzzygraph.triples.triple import Triple

NAMES = ("metformin", "simvastatin", "aspirin", "statins", "glucose", "insulin")
VERBS = {
    "lower": -1,
    "block": -1,
    "decrease": -1,
    "reduce": -1,
    "suppress": -1,
    "inhibit": -1,
    "increase": 1,
    "raise": 1,
    "activate": 1,
}


def claims(text: str) -> list[Triple]:
    found = re.finditer("|".join(NAMES), text, re.IGNORECASE)
    return list(told(text, sorted(match.span() for match in found)))


def said(text: str) -> set[tuple[str, str, int]]:
    return {(claim.subject.word.text.lower(), claim.object.word.text.lower(), claim.sign) for claim in claims(text)}


@pytest.mark.parametrize(("verb", "sign"), VERBS.items())
@pytest.mark.parametrize(
    "text",
    [
        "Metformin and simvastatin {} glucose.",
        "Both metformin and simvastatin {} glucose.",
        "Metformin, aspirin and simvastatin {} glucose.",
        "Metformin and simvastatin {} fasting glucose levels.",
        "Metformin and simvastatin significantly {} the level of glucose.",
        "Metformin or simvastatin {} the glucose in patients.",
        "We show that metformin and simvastatin significantly {} glucose.",
        "Statins {} glucose.",
    ],
)
def test_a_bare_verb_after_several_names_is_a_verb(text, verb, sign):
    subjects = {name for name in ("metformin", "aspirin", "simvastatin", "statins") if name in text.lower()}
    assert said(text.format(verb)) == {(subject, "glucose", sign) for subject in subjects}
    assert {claim.predicate for claim in claims(text.format(verb))} == {verb}


def test_several_such_verbs_and_objects():
    text = "Metformin and simvastatin lower glucose and raise insulin."
    wanted = {("glucose", -1), ("insulin", 1)}
    assert said(text) == {(name, *end) for name in ("metformin", "simvastatin") for end in wanted}
    text = "Metformin and simvastatin lower glucose and insulin."
    assert {target for _, target, sign in said(text) if sign == -1} == {"glucose", "insulin"}


@pytest.mark.parametrize(
    "text",
    [
        "With metformin and simvastatin lower glucose was seen.",
        "In patients on metformin and simvastatin lower glucose levels were observed.",
        "Metformin and simvastatin lower doses were used.",
        "Aspirin and metformin block trial was negative.",
        "In patients with statins lower glucose levels occur.",
        "Lower glucose and insulin.",
    ],
)
def test_an_adjective_or_a_noun_stays_one(text):
    assert not {claim.predicate for claim in claims(text)} & set(VERBS)
    assert not [claim for claim in claims(text) if claim.relation is not None]
