"""Sentences that say something of one thing and deny it of another."""

import re

import pytest

from groundwork.contrast import halves

NAMES = re.compile(r"levodopa|carbidopa|aspirin|warfarin|simvastatin|cholesterol|dyskinesia|bleeding", re.I)


def told(text):
    return [(half.of(text), half.denied) for half in halves(text, [m.span() for m in NAMES.finditer(text)])]


@pytest.mark.parametrize(
    ("text", "said", "denied"),
    [
        ("Levodopa, not carbidopa, causes dyskinesia.", "Levodopa causes dyskinesia.", "Carbidopa causes dyskinesia."),
        (
            "Levodopa, but not carbidopa, causes dyskinesia.",
            "Levodopa causes dyskinesia.",
            "Carbidopa causes dyskinesia.",
        ),
        (
            "Simvastatin but not aspirin lowers cholesterol.",
            "Simvastatin lowers cholesterol.",
            "Aspirin lowers cholesterol.",
        ),
        (
            "Not aspirin but simvastatin lowers cholesterol.",
            "Simvastatin lowers cholesterol.",
            "Aspirin lowers cholesterol.",
        ),
        (
            "Simvastatin lowers cholesterol, but not glucose.",
            "Simvastatin lowers cholesterol.",
            "Simvastatin lowers glucose.",
        ),
        (
            "Aspirin and warfarin but not levodopa cause bleeding.",
            "Aspirin and warfarin cause bleeding.",
            "Levodopa cause bleeding.",
        ),
    ],
)
def test_what_is_contrasted_is_told_apart(text, said, denied):
    assert told(text) == [(said, False), (denied, True)]


@pytest.mark.parametrize(
    "text",
    [
        "Aspirin does not cause bleeding.",
        "Not only aspirin but also warfarin causes bleeding.",
        "Simvastatin lowers cholesterol, but not significantly.",
        "Aspirin causes bleeding, but not in children.",
        "Aspirin is not warfarin.",
    ],
)
def test_a_plain_denial_is_no_contrast(text):
    assert told(text) == [(text, False)]


@pytest.mark.parametrize(
    ("text", "halves_told"),
    [
        (
            "Levodopa, but not carbidopa, causes dyskinesia, and simvastatin, but not aspirin, lowers cholesterol.",
            [
                ("Levodopa causes dyskinesia.", False),
                ("Carbidopa causes dyskinesia.", True),
                ("Simvastatin lowers cholesterol.", False),
                ("Aspirin lowers cholesterol.", True),
            ],
        ),
        (
            "Simvastatin lowers cholesterol, but not glucose, and warfarin causes bleeding.",
            [
                ("Simvastatin lowers cholesterol.", False),
                ("Simvastatin lowers glucose.", True),
                ("Warfarin causes bleeding.", False),
            ],
        ),
        (
            "Aspirin treats a cough, but not a fever.",
            [("Aspirin treats a cough.", False), ("Aspirin treats a fever.", True)],
        ),
    ],
)
def test_every_contrast_is_told_apart_within_its_clause(text, halves_told):
    assert told(text) == halves_told
