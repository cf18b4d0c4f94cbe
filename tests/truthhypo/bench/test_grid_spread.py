"""The intervals of a grid's points: they hold the truth as often as they say, and agree with slow ways."""

import numpy as np
import pytest
from scipy.stats import norm

from fuzzygraph.terms import Terms
from knowhd.intervals import bootstrap
from tests.truthhypo.bench.test_grid import drawn
from truthhypo.bench.grid import measures
from truthhypo.bench.grid.spread import of_area, of_f1


def test_intervals_of_a_point_hold_its_figures_and_narrow_with_its_statements():
    points = [measures.point(Terms(), *drawn(n)) for n in (60, 2000)]
    for name in ("coverage", "auroc", "f1_all"):
        low, value, high = ([getattr(p, f"{name}{end}") for p in points] for end in ("_low", "", "_high"))
        assert all(0 <= low[i] < value[i] < high[i] <= 1 for i in (0, 1))
        assert (high[1] - low[1]) * 3 < high[0] - low[0]
    nothing = measures.point(Terms(), ["maybe"] * 3, [0.5] * 3)
    assert (nothing.coverage_low, nothing.auroc_low, nothing.f1_all_high) == (None, None, None)


@pytest.mark.parametrize(("apart", "n"), [(0.0, 20), (1.2, 20), (2.5, 60)])
def test_nineteen_of_twenty_intervals_of_an_area_hold_the_true_one(apart, n):
    draws, true, held = np.random.default_rng(3), float(norm.cdf(apart / np.sqrt(2))), 0
    for _ in range(400):
        false, hrs = np.arange(2 * n) < n, draws.normal(size=2 * n)
        low, high = of_area(measures.area(false, hrs + apart * false), n, n)
        held += low <= true <= high
    assert held / 400 > 0.93
    low, high = of_area(1.0, n, n)
    assert 0.7 < low < 1.0 == high
    assert of_area(0.0, n, n) == pytest.approx((0.0, 1.0 - low)), "it knows no better side"


def test_the_interval_of_f1_is_that_of_resampled_statements():
    draws = np.random.default_rng(1)
    false, flagged = draws.random(80) < 0.4, draws.random(80) < 0.5
    rows = np.column_stack([false, flagged]).astype(float)
    slow = bootstrap(rows, lambda each: measures.f1(each[:, 0] > 0, each[:, 1] > 0))
    quick = of_f1(int((false & flagged).sum()), int(flagged.sum()), int(false.sum()), 80)
    assert quick == pytest.approx(slow, abs=0.03)
