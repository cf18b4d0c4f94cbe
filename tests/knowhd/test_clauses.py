"""Sentences taken apart: what is said, each thing once, nothing more and nothing less."""

import re

import pytest

from groundwork.linking import Mention
from knowhd.claims.clauses import statements
from knowhd.claims.grammar.masked import Masked

NAMES = re.compile(
    r"type 2 diabetes|myocardial infarction|metformin|aspirin|ibuprofen|warfarin|simvastatin|AMPK|mTOR|PTGS1|TP53|MDM2"
    r"|glucose|headache|nausea|bleeding|stroke|statins",
    re.I,
)


def parsed(text):
    return Masked(text, [Mention(m[0], *m.span(), m[0].lower(), m[0], 1.0) for m in NAMES.finditer(text)])


def told(*texts):
    """The statements of sentences that follow each other."""
    before, found = None, []
    for text in texts:
        made = statements(parsed(text), before)
        found += [statement.text for statement in made]
        before = made[-1] if made else None
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Simvastatin lowers cholesterol.", ["Simvastatin lowers cholesterol."]),
        (
            "Metformin inhibits mTOR and activates AMPK.",
            ["Metformin inhibits mTOR.", "Metformin activates AMPK."],
        ),
        (
            "Aspirin and ibuprofen cause headache, nausea and bleeding.",
            [
                "Aspirin causes headache.",
                "Aspirin causes nausea.",
                "Aspirin causes bleeding.",
                "Ibuprofen causes headache.",
                "Ibuprofen causes nausea.",
                "Ibuprofen causes bleeding.",
            ],
        ),
        (
            "Metformin, which activates AMPK, lowers glucose.",
            ["Metformin activates AMPK.", "Metformin lowers glucose."],
        ),
        (
            "Aspirin, ibuprofen, and warfarin were tested.",
            ["Aspirin was tested.", "Ibuprofen was tested.", "Warfarin was tested."],
        ),
        (
            "Metformin does not cause nausea or headache.",
            ["Metformin does not cause nausea.", "Metformin does not cause headache."],
        ),
        ("Statins are safe and reduce stroke.", ["Statins are safe.", "Statins reduce stroke."]),
    ],
)
def test_coordinations_and_asides_become_statements_of_their_own(text, expected):
    assert told(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "TP53 and MDM2 interact.",
        "The combination of aspirin and warfarin increases bleeding.",
        "It is known that aspirin reduces stroke.",
        "Metformin is a drug that lowers glucose.",
        "Aspirin or ibuprofen relieves headache.",
    ],
)
def test_what_is_said_of_several_together_stays_together(text):
    assert told(text) == [text]


def test_a_pronoun_takes_the_subject_before_it():
    assert told("Metformin lowers glucose.", "It activates AMPK.")[1] == "Metformin activates AMPK."
    assert told("Because metformin activates AMPK, it lowers glucose.") == [
        "Because metformin activates AMPK, metformin lowers glucose."
    ]


def test_a_pronoun_that_does_not_agree_stays_and_is_told():
    before = statements(parsed("Metformin lowers glucose."))[-1]
    left = statements(parsed("They cause nausea."), before)
    assert [(s.text, s.pronoun) for s in left] == [("They cause nausea.", "unresolved")]


def test_there_is_no_limit_on_their_number():
    members = ["headache", "nausea", "bleeding", "stroke", "glucose"]
    text = f"Aspirin, ibuprofen and warfarin cause {', '.join(members[:-1])} and {members[-1]}."
    assert len(told(text)) == 15


def test_a_text_without_a_predicate_says_nothing():
    assert told("Hello.") == []
