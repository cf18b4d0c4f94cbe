"""Significance tests against numbers printed by the paper, counted by hand or enumerated."""

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwork.statistics import (
    difference,
    holm,
    mcnemar,
    preferred,
)


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
