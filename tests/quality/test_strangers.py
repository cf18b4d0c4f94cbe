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
        ("first", "odd", 0.6, 0.35),
        ("first", "even", 0.45, 0.2),
        ("second", "odd", 0.35, 0.05),
        ("second", "even", 0.1, 0.05),
    ],
)
def test_pairs_are_judged_as_the_stranger_did(names, group, half, linked, worded):
    found = strangers.verdicts(group, half, names[group])
    assert kappa(found["linked"]) >= linked
    assert kappa(found["by wording"]) >= worded


@pytest.mark.parametrize(
    ("group", "half", "precision", "recall"),
    [
        ("first", "odd", 0.65, 0.6),
        ("first", "even", 0.7, 0.65),
        ("second", "odd", 0.5, 0.4),
        ("second", "even", 0.5, 0.4),
    ],
)
def test_texts_are_taken_apart_as_the_stranger_did(names, group, half, precision, recall):
    found = strangers.taken_apart(group, half, names[group])
    assert found[0] >= precision and found[1] >= recall
