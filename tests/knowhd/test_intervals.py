"""Intervals against textbook values, statsmodels and their own promise: to hold the truth 95 times of 100."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from knowhd.intervals import bootstrap, wilson


@given(st.integers(1, 500), st.data())
def test_wilson_is_what_statsmodels_computes(n, data):
    successes = data.draw(st.integers(0, n))
    assert wilson(successes, n) == pytest.approx(proportion_confint(successes, n, method="wilson"), abs=1e-6)


def test_nothing_measured_has_no_interval():
    assert wilson(0, 0) is None
    assert bootstrap(np.empty((0, 1)), lambda rows: float(rows.mean())) is None
    assert bootstrap(np.ones((1, 1)), lambda rows: float(rows.mean())) is None


def test_the_bootstrap_of_a_mean_is_near_the_normal_interval_and_the_same_again():
    rows = np.random.default_rng(1).normal(0.5, 0.1, (400, 1))

    def mean(drawn):
        return float(drawn.mean())

    low, high = bootstrap(rows, mean)
    half = 1.96 * rows.std() / 20
    assert (low, high) == pytest.approx((rows.mean() - half, rows.mean() + half), abs=0.002)
    assert bootstrap(rows, mean) == (low, high)
    assert bootstrap(rows, mean, seed=1) != (low, high)


def test_rows_are_drawn_whole():
    rows = np.repeat([[1.0, 10.0], [0.0, 10.0]], 20, axis=0)
    low, high = bootstrap(rows, lambda drawn: float(drawn[:, 0].sum() / drawn[:, 1].sum()))
    assert 0.02 < low < 0.05 < high < 0.08
