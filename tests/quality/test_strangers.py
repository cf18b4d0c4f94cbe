"""What strangers wrote, judged and taken apart; limits a little below what QUALITY.md says was measured."""

import pytest

from knowhd.calibration.measures import kappa
from tests.quality import strangers


@pytest.fixture(scope="module")
def names():
    return {group: strangers.linker(group) for group in strangers.SETS}


@pytest.mark.parametrize(
    ("group", "half", "linked", "worded"),
    [
        ("first", "odd", 0.8, 0.75),
        ("first", "even", 0.5, 0.42),
        ("second", "odd", 0.45, 0.4),
        ("second", "even", 0.15, 0.1),
        ("third", "odd", 0.36, 0.28),
        ("third", "even", 0.2, 0.2),
    ],
)
def test_pairs_are_judged_as_the_stranger_did(names, group, half, linked, worded):
    found = strangers.verdicts(group, half, names[group])
    assert kappa(found["linked"]) >= linked
    assert kappa(found["by wording"]) >= worded


@pytest.mark.parametrize(
    ("group", "half", "precision", "recall"),
    [
        ("first", "odd", 0.8, 0.78),
        ("first", "even", 0.74, 0.69),
        ("second", "odd", 0.62, 0.54),
        ("second", "even", 0.57, 0.42),
        ("third", "odd", 0.7, 0.64),
        ("third", "even", 0.7, 0.62),
    ],
)
def test_texts_are_taken_apart_as_the_stranger_did(names, group, half, precision, recall):
    found = strangers.taken_apart(group, half, names[group])
    assert found[0] >= precision and found[1] >= recall
