"""Sentences of several clauses, and sentences that only look like it."""

import re

import pytest

from groundwork.clauses import clauses, outside

NAMES = re.compile(r"levodopa|captopril|aspirin|warfarin|simvastatin|cholesterol|hypertension|bleeding|ACE|HMGCR", re.I)


def told(text):
    return [text[slice(*found)] for found in clauses(text, [m.span() for m in NAMES.finditer(text)])]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "Captopril inhibits ACE and simvastatin inhibits HMGCR.",
            ["Captopril inhibits ACE", "simvastatin inhibits HMGCR."],
        ),
        (
            "Captopril lowers hypertension, and simvastatin lowers cholesterol.",
            ["Captopril lowers hypertension,", "simvastatin lowers cholesterol."],
        ),
        (
            "Captopril inhibits ACE and hypertension is treated by captopril.",
            ["Captopril inhibits ACE", "hypertension is treated by captopril."],
        ),
        (
            "Captopril inhibits ACE; simvastatin inhibits HMGCR, whereas aspirin causes bleeding.",
            ["Captopril inhibits ACE", "simvastatin inhibits HMGCR", "aspirin causes bleeding."],
        ),
    ],
)
def test_clauses_with_subjects_of_their_own_are_apart(text, wanted):
    assert told(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "Aspirin and warfarin cause bleeding.",
        "Captopril inhibits ACE and lowers hypertension.",
        "Captopril treats hypertension and bleeding in men.",
        "Simvastatin lowers cholesterol and HMGCR levels in mice.",
        "We asked whether captopril inhibits ACE and simvastatin inhibits HMGCR.",
        "Aspirin and.",
        "",
    ],
)
def test_what_is_said_together_stays_together(text):
    assert told(text) == [text]


def test_the_last_stop_belongs_to_every_clause():
    text = "Captopril inhibits ACE and simvastatin inhibits HMGCR."
    first, second = clauses(text, [m.span() for m in NAMES.finditer(text)])
    (after,), (before,) = outside(text, first), outside(text, second)
    assert text[: after[0]] + text[after[1] :] == "Captopril inhibits ACE."
    assert text[before[1] :] == "simvastatin inhibits HMGCR."
