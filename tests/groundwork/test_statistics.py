"""Intervals against textbook values and statsmodels, and their coverage: they contain the true value in 95 of 100
cases."""

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics
from statsmodels.stats.proportion import proportion_confint

from groundwork import statistics
from groundwork.statistics import (
    auroc,
    balanced_accuracy,
    bootstrap,
    calibration_error,
    cohen_kappa,
    difference,
    f1_score,
    holm,
    macro_f1,
    mcnemar,
    percentile_interval,
    preferred,
    reliability,
    resample_counts,
    share,
    wilson,
)


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


LABELS = ("a", "b", "c")


@given(st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=1))
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")
def test_figures_of_a_confusion_matrix_equal_those_of_scikit_learn(pairs):
    gold, said = zip(*pairs, strict=True)
    table = metrics.confusion_matrix(gold, said, labels=LABELS).astype(float)
    assert balanced_accuracy(table) == pytest.approx(metrics.balanced_accuracy_score(gold, said))
    assert macro_f1(table) == pytest.approx(metrics.f1_score(gold, said, average="macro"))
    kappa = metrics.cohen_kappa_score(gold, said)
    assert cohen_kappa(table) == pytest.approx(0.0 if kappa != kappa else kappa)  # NaN: agreement by chance is 1
    both = np.stack([table, 2 * table])
    assert cohen_kappa(both) == pytest.approx(np.tile(cohen_kappa(table), 2)), "tables may have leading axes"


def test_an_answer_that_is_not_a_label_is_wrong():
    table = np.array([[1.0, 0, 1], [0, 2, 0]])
    assert balanced_accuracy(table) == 0.75
    assert macro_f1(table) == pytest.approx((2 / 3 + 1) / 2)


def test_f1_and_shares_equal_values_by_hand_also_for_empty_input():
    assert f1_score([2, 0], [3, 0], [3, 0], 0.0) == pytest.approx([2 / 3, 0.0])
    assert np.isnan(f1_score(0, 0, 0))
    assert share([1, 0], [4, 0], 1.0).tolist() == [0.25, 1.0]


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=1))
def test_the_area_equals_that_of_scikit_learn_also_with_ties(units):
    positive, score = np.array([each for each, _ in units]), [each for _, each in units]
    if positive.any() and not positive.all():
        assert auroc(positive, score) == pytest.approx(metrics.roc_auc_score(positive, score))
    else:
        assert np.isnan(auroc(positive, score))


def test_the_reliability_diagram_equals_values_worked_out_by_hand():
    found = reliability([0.62, 0.68, 0.7, 1.0], [True, False, True, True])
    # 0.7 belongs to the bin that begins at 0.7, and 1 to the last bin.
    assert [(one.low, one.n, one.sure, one.right) for one in found] == [
        (0.6, 2, pytest.approx(0.65), 0.5),
        (0.7, 1, 0.7, 1.0),
        (0.9, 1, 1.0, 1.0),
    ]
    assert found[0].right_low < 0.5 < found[0].right_high
    assert reliability([], []) == ()


def test_the_calibration_error_equals_values_worked_out_by_hand():
    # Bin 0.6: one of two is right, mean .65. Bin 0.9: one, right, mean .95. The error is (2 * .15 + 1 * .05) / 3.
    found = calibration_error([0.62, 0.68, 0.95], [True, False, True])
    assert found == pytest.approx((0.3 + 0.05) / 3, abs=1e-6)
    # First bin: mean 0.05, half right; last bin (closed): mean 0.975, all right.
    found = calibration_error([0.05, 0.05, 0.95, 1.0], [True, False, True, True])
    assert found == pytest.approx(0.5 * 0.45 + 0.5 * 0.025, abs=1e-6)
    assert calibration_error([1.0], [True]) == 0
    assert calibration_error([], []) is None


@pytest.mark.parametrize(
    ("chosen", "printed", "exact"), [(33, 1.05e-2, 0.066837), (32, 2.71e-2, 0.110164)], ids=["GPT-4o", "human"]
)
def test_the_papers_test_reproduces_table_4_and_the_sound_test_is_not_significant(chosen, printed, exact):
    paper, sound = preferred(chosen, 54)

    assert float(f"{paper.p:.2e}") == printed
    assert sound.p == pytest.approx(exact, abs=1e-6)
    assert (paper.n, sound.n) == (108, 54)  # the paper's test counts 54 pairs as 108 units
    assert sound.p > 0.05 > paper.p


def test_the_binomial_form_is_the_tail_of_pascals_triangle():
    _, sound = preferred(7, 10)

    assert sound.p == pytest.approx(sum(comb(10, k) for k in range(7, 11)) / 2**10)


def test_mcnemar_counts_only_the_units_on_which_the_two_disagree():
    a = [True] * 50 + [True] * 9 + [False] * 2 + [False] * 30
    b = [True] * 50 + [False] * 9 + [True] * 2 + [False] * 30

    found = mcnemar(a, b)

    assert (found.statistic, found.n) == (2, 11)
    assert found.p == pytest.approx(2 * sum(comb(11, k) for k in range(3)) / 2**11)  # 0.06543
    assert mcnemar(b, a).p == found.p


def test_without_disagreement_there_is_nothing_to_test():
    assert mcnemar([True, False], [True, False]).p is None


def test_holm_equals_a_worked_example():
    # Sorted 0.01, 0.02, 0.03, 0.04 times 4, 3, 2, 1, made monotone: 0.04, 0.06, 0.06, 0.06.
    assert holm([0.04, 0.01, 0.03, 0.02]) == pytest.approx((0.06, 0.04, 0.06, 0.06))
    assert holm([]) == ()


def test_the_difference_of_one_unit_has_no_interval():
    assert difference([1.0], [0.0]).to_dict() == {"value": 1.0, "low": None, "high": None, "n": 1}


def test_pairing_removes_the_spread_between_units():
    hard = np.random.default_rng(5).random(300)
    a, b = hard + 0.05, hard

    found = difference(a, b)

    assert found.value == pytest.approx(0.05)
    assert found.high - found.low < 1e-9  # unpaired, the means alone spread by +-0.05


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_mcnemar_is_a_probability_and_does_not_depend_on_the_order(pairs):
    a, b = zip(*pairs, strict=True)
    found = mcnemar(a, b)

    assert found.n == sum(x != y for x, y in pairs)
    assert (found.p is None) == (found.n == 0)
    assert found.p is None or 0 < found.p <= 1
    assert mcnemar(b, a).p == found.p
