from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwork.errors import InputError
from literature import bm25


def test_idf_and_saturation_follow_the_formula():
    assert bm25.idf(10, 3) == pytest.approx(log(1 + 7.5 / 3.5))
    assert bm25.saturation(2, 30, 20.0, 1.2, 0.75) == pytest.approx(2 / (2 + 1.2 * (0.25 + 0.75 * 30 / 20)))


def test_lengths_are_kept_as_lucene_keeps_them():
    # The first steps of Lucene's table (SmallFloat.byte4ToInt of 0, 1, 2 ...).
    steps = sorted({bm25.stored_length(length) for length in range(200)})
    assert steps[:41] == list(range(41))
    assert steps[41:58] == [42, 44, 46, 48, 50, 52, 54, 56, 60, 64, 68, 72, 76, 80, 84, 88, 96]


@given(st.integers(0, 10**9))
def test_a_stored_length_is_at_most_an_eighth_shorter_and_never_longer(length):
    assert length * 7 / 8 <= bm25.stored_length(length) <= length


def test_scores_that_single_precision_cannot_tell_apart_are_ties():
    scored = [(1.0, 7), (1.0 + 1e-7, 9), (2.0, 5), (1.0 - 1e-7, 3), (0.9, 1)]
    assert list(bm25.settle(scored)) == [(2.0, 5), (1.0 + 1e-7, 3), (1.0 + 1e-7, 7), (1.0 + 1e-7, 9), (0.9, 1)]


@pytest.mark.parametrize("k", [-1, 0, 10_001])
def test_k_outside_its_range_is_refused(k):
    with pytest.raises(InputError, match="1 to 10000"):
        bm25.check_k(k)
