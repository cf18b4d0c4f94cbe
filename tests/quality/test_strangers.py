"""The strangers' texts are judged and split. The limits are a little below the figures in MEASURED.md.

One half of the first stranger's pairs always runs. The other halves of pairs are slow.
"""

import pytest

from benchmarks.quality import strangers
from groundwork.statistics import cohen_kappa
from truthhypo.bench.judge_calibration.confusion import confusion_matrix


@pytest.fixture(scope="module")
def names():
    return {group: strangers.linker(group) for group in strangers.SETS}


@pytest.mark.parametrize(
    ("group", "half", "linked", "worded"),
    [
        ("first", "even", 0.35, 0.32),
        pytest.param("first", "odd", 0.37, 0.27, marks=pytest.mark.slow),
        pytest.param("second", "odd", 0.24, 0.18, marks=pytest.mark.slow),
        pytest.param("second", "even", 0.15, 0.06, marks=pytest.mark.slow),
        pytest.param("third", "odd", 0.17, 0.09, marks=pytest.mark.slow),
        pytest.param("third", "even", 0.11, 0.08, marks=pytest.mark.slow),
    ],
)
def test_pairs_are_judged_as_the_stranger_did(names, group, half, linked, worded):
    found = strangers.verdicts(group, half, names[group])
    assert cohen_kappa(confusion_matrix(found["linked"])) >= linked
    assert cohen_kappa(confusion_matrix(found["by wording"])) >= worded


@pytest.mark.parametrize(
    ("group", "half", "precision", "recall"),
    [
        ("first", "odd", 0.83, 0.79),
        ("first", "even", 0.78, 0.7),
        ("second", "odd", 0.66, 0.58),
        ("second", "even", 0.67, 0.55),
        ("third", "odd", 0.77, 0.69),
        ("third", "even", 0.75, 0.62),
    ],
)
def test_texts_are_split_into_claims_as_the_stranger_did(names, group, half, precision, recall):
    found = strangers.taken_apart(group, half, names[group])
    assert found[0] >= precision and found[1] >= recall
