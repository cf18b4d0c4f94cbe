"""The steps of `natural_claims` at a small size: nothing is on both sides, and thresholds keep what they promise."""

import numpy as np
import pytest

from benchmarks.quality.natural_claims import apart, figures, judged, threshold
from truthhypo.bench.judge_calibration.confusion import LABELS
from truthhypo.bench.judge_calibration.labelled import pair_of


def test_no_claim_passage_or_group_is_on_both_sides():
    pairs = [pair_of(f"Claim {n % 7}.", f"Passage {n % 9}.", LABELS[n % 3], str(n // 2)) for n in range(63)]
    kept = apart(pairs, inside := [0, 1])
    assert kept == [n for n in range(2, 63) if n % 7 not in (0, 1) and n % 9 not in (0, 1)]
    assert not {pairs[n].group for n in kept} & {pairs[n].group for n in inside}


@pytest.mark.parametrize(
    ("right", "least"),
    [
        ([True] * 40 + [False] * 60, 50),
        ([False] * 6 + [True] * 24 + [False] * 70, 30),
        ([True] * 15 + [False] * 85, None),
        ([True, False] * 50, None),
    ],
    ids=["falls below", "is reached late", "too few", "never"],
)
def test_the_threshold_is_the_lowest_with_enough_right(right, least):
    chances = np.linspace(1, 0, len(right))
    assert threshold(chances, np.array(right)) == (float("inf") if least is None else chances[least - 1])


@pytest.mark.parametrize("telling", [True, False])
def test_a_head_decides_only_if_its_features_tell(telling):
    pairs = [pair_of(f"Claim {n}.", f"Passage {n}.", LABELS[n % 3], str(n)) for n in range(300)]
    x = np.random.default_rng(0).normal(size=(300, 3))
    if telling:
        x += 6 * np.eye(3)[[n % 3 for n in range(300)]]
    cells = figures(pairs[:100], judged(pairs, x, 1.0, range(100)))
    assert (float(cells[0].split()[0]) > 0.95) == telling
    assert ["nan" in cell for cell in cells[1:4]] == [not telling] * 3
