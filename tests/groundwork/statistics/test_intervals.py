"""Intervals against textbook values and statsmodels, and their coverage: they contain the true value in 95 of 100
cases."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from groundwork import statistics
from groundwork.statistics import bootstrap, f1_score, percentile_interval, resample_counts, wilson


def mean(values):
    return values.mean(axis=-1)


@given(st.integers(1, 500), st.data())
def test_wilson_is_what_statsmodels_computes(n, data):
    successes = data.draw(st.integers(0, n))
    assert wilson(successes, n) == pytest.approx(proportion_confint(successes, n, method="wilson"), abs=1e-6)


def test_without_a_measurement_there_is_no_interval():
    assert wilson(0, 0) is None
    assert bootstrap(mean, []) is None
    assert bootstrap(mean, [0.5]) is None
    assert percentile_interval([np.nan]) is None
    assert percentile_interval([np.nan, 0.5]) == (0.5, 0.5)


def test_the_bootstrap_of_a_mean_is_near_the_normal_interval_and_repeatable():
    values = np.random.default_rng(1).normal(0.5, 0.1, 400)
    low, high = bootstrap(mean, values)
    half = 1.96 * values.std() / 20
    assert (low, high) == pytest.approx((values.mean() - half, values.mean() + half), abs=0.002)
    assert bootstrap(mean, values) == (low, high)
    assert bootstrap(mean, values, seed=1) != (low, high)
    assert bootstrap(mean, [0.25] * 5) == (0.25, 0.25)


def test_values_of_one_unit_are_drawn_together():
    parts, wholes = np.tile([1.0, 0.0], 20), np.full(40, 10.0)
    low, high = bootstrap(lambda a, b: a.sum(axis=-1) / b.sum(axis=-1), parts, wholes)
    assert 0.02 < low < 0.05 < high < 0.08
    assert bootstrap(lambda a, b: mean(a - b), parts, parts) == (0.0, 0.0)


def test_drawing_many_units_in_parts_gives_the_same_result(monkeypatch):
    values = np.arange(100.0)
    whole = bootstrap(mean, values)
    monkeypatch.setattr(statistics, "_BATCH", 700)
    assert bootstrap(mean, values) == whole


def test_counted_units_give_the_interval_of_the_units_themselves():
    draws = np.random.default_rng(1)
    gold, said = draws.random(80) < 0.4, draws.random(80) < 0.5

    def f1(a, b):
        return f1_score((a & b).sum(axis=-1), b.sum(axis=-1), a.sum(axis=-1), 0.0)

    counts = np.array([[(a & b).sum() for b in (said, ~said)] for a in (gold, ~gold)])
    drawn = resample_counts(counts)
    assert (drawn.sum(axis=(1, 2)) == 80).all()
    hits, missed, alarms = drawn[:, 0, 0], drawn[:, 0, 1], drawn[:, 1, 0]
    found = percentile_interval(f1_score(hits, hits + alarms, hits + missed, 0.0))
    assert found == pytest.approx(bootstrap(f1, gold, said), abs=0.03)
