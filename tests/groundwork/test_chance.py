"""Probabilities: worked numbers, bounds, and enumeration as the oracle."""

from itertools import product
from math import isclose, prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwork import chance
from tests.networks import reliability

P = st.floats(0, 1)
MANY = st.lists(P, max_size=6)


def test_worked_numbers():
    assert chance.series([0.9, 0.5]) == pytest.approx(0.45)
    assert chance.noisy_or([0.5, 0.5]) == pytest.approx(0.75)
    assert [chance.belief(n) for n in (0, 1, 2, 3)] == pytest.approx([0.0, 0.65, 0.86, 0.923])
    assert chance.belief(2, syst=0.1, rand=0.5) == pytest.approx(0.65)
    assert chance.net(0.3, 0.1) == pytest.approx(0.75)
    assert chance.sigmoid(0) == 0.5
    assert chance.sigmoid(1) == pytest.approx(0.7310585786300049)
    assert chance.sigmoid(-1) == pytest.approx(0.2689414213699951)


def test_combining_no_probabilities_gives_the_neutral_value():
    assert chance.series([]) == 1.0
    assert chance.noisy_or([]) == 0.0
    assert chance.net(0.0, 0.0) == 0.0


@given(P, st.integers(0, 3))
def test_noisy_or_of_one_cause_returns_its_exact_probability(probability, others):
    assert chance.noisy_or([probability, *[0.0] * others]) == probability


@given(MANY)
def test_noisy_or_is_the_chance_that_any_holds(probabilities):
    states = product((False, True), repeat=len(probabilities))
    weights = ((s, prod(p if up else 1 - p for p, up in zip(probabilities, s, strict=True))) for s in states)
    assert chance.noisy_or(probabilities) == pytest.approx(sum(w for s, w in weights if any(s)), abs=1e-12)


@given(MANY)
def test_a_product_is_at_most_the_smallest_factor_and_a_noisy_or_at_least_the_largest(probabilities):
    assert chance.series(probabilities) <= min(probabilities, default=1.0)
    assert max(probabilities, default=0.0) - 1e-15 <= chance.noisy_or(probabilities) <= 1.0


def test_noisy_or_does_not_lose_many_small_probabilities():
    assert isclose(chance.noisy_or([1e-18] * 100_000), 1e-13, rel_tol=1e-9)


@given(st.integers(0, 200), st.floats(0, 0.5), st.floats(0, 0.5))
def test_belief_rises_with_articles_and_never_passes_its_ceiling(articles, syst, rand):
    assert 0 <= chance.belief(articles, syst, rand) <= chance.belief(articles + 1, syst, rand) + 1e-15
    assert chance.belief(articles, syst, rand) <= 1 - syst


@given(st.floats(-800, 800))
def test_the_sigmoid_is_stable_and_symmetric(x):
    assert 0.0 <= chance.sigmoid(x) <= 1.0
    assert chance.sigmoid(x) + chance.sigmoid(-x) == pytest.approx(1.0)


@given(st.floats(1e-6, 1e6), st.floats(0, 1e6))
def test_net_is_above_one_half_exactly_if_support_outweighs_contradiction(support, contradiction):
    net = chance.net(support, contradiction)
    assert 0 <= net <= 1
    assert (net > 0.5) == (support > contradiction) or net == pytest.approx(0.5, abs=1e-6)
    assert chance.net(support, 0.0) == pytest.approx(1.0, abs=1e-5)


def test_reliability_of_known_shapes():
    assert reliability({("a", "b"): 0.9, ("b", "c"): 0.5}, "a", "c") == pytest.approx(chance.series([0.9, 0.5]))
    twice = {("a", "b"): 0.5, ("b", "d"): 0.5, ("a", "c"): 0.5, ("c", "d"): 0.5}
    assert reliability(twice, "a", "d") == pytest.approx(chance.noisy_or([0.25, 0.25]))
    bridge = twice | {("b", "c"): 0.5}
    assert reliability(bridge, "a", "d") == pytest.approx(0.5)
    paths = [0.25, 0.25, 0.125, 0.125]
    assert chance.noisy_or(paths) > 0.5, "noisy-or of paths that share edges overstates; the exact number is the oracle"
