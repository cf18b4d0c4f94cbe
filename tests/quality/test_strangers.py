"""What a stranger wrote, judged and taken apart; limits a little below what QUALITY.md says was measured."""

import pytest

from knowhd.calibration.measures import kappa
from tests.quality import strangers


@pytest.fixture(scope="module")
def names():
    return strangers.linker()


@pytest.mark.parametrize(("half", "linked", "worded"), [("odd", 0.6, 0.35), ("even", 0.45, 0.2)])
def test_pairs_are_judged_as_the_stranger_did(names, half, linked, worded):
    found = strangers.verdicts(half, names)
    assert kappa(found["linked"]) >= linked
    assert kappa(found["by wording"]) >= worded


@pytest.mark.parametrize(("half", "precision", "recall"), [("odd", 0.65, 0.6), ("even", 0.7, 0.65)])
def test_texts_are_taken_apart_as_the_stranger_did(names, half, precision, recall):
    found = strangers.taken_apart(half, names)
    assert found[0] >= precision and found[1] >= recall
