"""Statements without their relation or with an addition that no article states, and statements of strangers."""

import pytest

from benchmarks.quality import ground
from benchmarks.quality.ground import LENGTHENED, REWORDED, loaded, measured, pairs
from groundwork.statistics import cohen_kappa
from truthhypo.bench.judge_calibration import confusion_matrix


@pytest.mark.slow
def test_reworded_statements_are_not_decided_and_lengthened_ones_not_supported(data, tmp_path):
    documents = data / "biored" / "Dev.PubTator"
    with loaded(tmp_path, "", [documents]) as world:
        found = measured(world, pairs(documents))
    assert (found.reworded, found.lengthened) == (REWORDED, LENGTHENED)
    assert (found.decided, found.still) == (0, 0)


@pytest.fixture(scope="module")
def names():
    return {group: ground.linker(group) for group in ground.SETS}


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
    found = ground.verdicts(group, half, names[group])
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
    found = ground.taken_apart(group, half, names[group])
    assert found[0] >= precision and found[1] >= recall
