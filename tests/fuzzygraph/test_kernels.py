"""Path sums by compiled code equal brute force: beside hubs, without paths, and on a graph kept in memory."""

from fractions import Fraction
from itertools import combinations
from math import floor, log10
from random import Random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fuzzygraph.lanes import CHANNELS, Weights, lanes
from fuzzygraph.paths import best_routes, pooled
from groundwork import chance, compiled
from groundwork.digits import twelve
from groundwork.records import Link
from tests.fuzzygraph.test_paths import LINK, brute, edge, similar
from tests.networks import of_links, reliability

CHANNEL = {-1: 0, 0: 1, 1: 2}


@pytest.fixture(autouse=True)
def from_the_first_step(monkeypatch):
    """Makes all searches of this file run compiled."""
    monkeypatch.setattr(compiled, "MANY", 0)


@settings(max_examples=150, deadline=None)
@given(st.lists(LINK, max_size=20), st.integers(1, 4))
def test_compiled_aggregates_equal_brute_force_in_every_channel(links, hops):
    wanted = {channel: [] for channel in range(CHANNELS)}
    both = zip(brute(links, hops, 1, False, Weights()), brute(links, hops, -1, False, Weights()), strict=True)
    for (side, p, _), (denied, _, _) in both:
        wanted[3 if side == denied == 1 else CHANNEL[side]].append(p)
    got = pooled(lanes(of_links(links), Weights()), "s", "t", hops)
    assert got.count == sum(map(len, wanted.values()))
    for channel, ps in wanted.items():
        assert got.sum[channel] == pytest.approx(sum(ps), rel=1e-9)
        assert (got.sum[channel] == 0.0) == (not ps), "exactly zero where there is no path, and only there"
        assert got.max[channel] == pytest.approx(max(ps, default=0.0), rel=1e-12)
        assert got.noisy_or[channel] == pytest.approx(chance.noisy_or(ps), rel=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.lists(LINK, max_size=20), st.integers(1, 4), st.integers(1, 30))
def test_compiled_and_plain_searches_give_the_same_paths(links, hops, limit):
    made = lanes(of_links(links), Weights())
    fast = best_routes(made, "s", "t", hops, limit)
    before, compiled.MANY = compiled.MANY, 10**9
    try:
        assert fast == best_routes(lanes(of_links(links), Weights()), "s", "t", hops, limit)
    finally:
        compiled.MANY = before


@settings(max_examples=40, deadline=None)
@given(st.lists(LINK, max_size=20), st.integers(1, 4))
def test_a_look_up_does_not_affect_the_next_one(links, hops):
    """Look up all pairs twice on one graph, and compare with a new graph for each pair."""
    network = of_links(links, ["s", "t"])
    kept = lanes(network, Weights())
    for head, tail in [*combinations(network.keys, 2)] * 2:
        fresh = lanes(network, Weights())
        for one, other in zip((*_numbers(kept, head, tail, hops),), (*_numbers(fresh, head, tail, hops),), strict=True):
            assert one == other


def _numbers(made, head, tail, hops):
    found = pooled(made, head, tail, hops)
    yield found.count
    yield from (found.sum.tolist(), found.max.tolist(), found.noisy_or.tolist())
    yield best_routes(made, head, tail, hops, 5)


def test_beside_a_hub_of_seven_thousand_no_digit_is_lost():
    """The hub h is next to both ends. W^4 minus the walks that revisit a concept loses six digits there."""
    middle = [f"m{i:04}" for i in range(7000)]
    links = [edge("h", m, "cause", 1 + i % 4) for i, m in enumerate(middle)]
    links += [edge("s", "h"), edge("h", "t"), edge("s", "m0000", "treat"), edge("m0001", "t"), edge("m0000", "m0001")]
    got = pooled(lanes(of_links(links), Weights()), "s", "t", 4)
    b = {n: 1 - (0.05 + 0.3**n) for n in range(1, 5)}
    assert got.count == 7
    # The paths are s-h-t, s-m0-h-t, s-h-m1-t, s-m0-m1-t, s-m0-h-m1-t, s-m0-m1-h-t and s-h-m0-m1-t. The edge from the
    # hub to m0 has one article, and the edge to m1 has two.
    positive = b[1] ** 2 + b[1] * b[2] * b[1] + b[1] * b[1] * b[1] * b[1]
    negative = b[1] ** 3 + b[1] ** 3 + 2 * b[1] ** 3 * b[2]
    assert got.sum[2] == pytest.approx(positive, rel=1e-14)
    assert got.sum[0] == pytest.approx(negative, rel=1e-14)


def test_four_hops_between_two_hubs_are_counted_and_summed_at_once():
    """Both ends have the same 7,000 neighbours, which one more hub joins: nearly 49 million paths of four hops and
    7,000 shorter paths."""
    middle = [f"m{i:04}" for i in range(7000)]
    links = [edge(end, m) for m in middle for end in "sth"]
    got = pooled(lanes(of_links(links), Weights()), "s", "t", 4)
    assert got.count == 7000 + 7000 * 6999
    assert got.sum[2] == pytest.approx(7000 * 0.65**2 + 7000 * 6999 * 0.65**4, rel=1e-9)
    assert got.noisy_or.tolist() == [0.0, 0.0, 1.0, 0.0]
    assert [route.keys[1] for route in best_routes(lanes(of_links(links), Weights()), "s", "t", 4, 3)] == [
        "m0000",
        "m0001",
        "m0002",
    ]


def test_tiny_contradiction_beside_huge_support_keeps_its_digits():
    middle = [f"m{i:03}" for i in range(300)]
    links = [edge(a, b) for a, b in combinations(["s", *middle[:40], "t"], 2) if (a, b) != ("s", "t")]
    links += [similar("s", "x", -0.1), edge("x", "t", "treat")]
    got = pooled(lanes(of_links(links), Weights(tau_min=0.0)), "s", "t", 3)
    mu = Weights().membership.mu(-0.1)
    assert got.sum[0] == pytest.approx(0.9 * mu * 0.65, rel=1e-12)
    assert got.sum[2] > 500 * got.sum[0]


@given(st.floats(1e-11, 1.0))
def test_rounding_to_twelve_digits_equals_that_of_text(value):
    assert twelve(value) == float(f"{value:.12g}")


@given(st.lists(st.integers(1, 9), min_size=1, max_size=4), st.randoms())
@example([9, 1, 1], Random(0))
def test_the_order_of_a_product_changes_only_the_rounding_of_exact_halves(counts, random):
    """.949980317 x .65 x .65 ends exactly between two values of the twelfth digit, so rounding depends on the order.

    So all code that ranks paths multiplies in walking order.
    """
    factors = [1 - (0.05 + 0.3**n) for n in counts]
    shuffled = factors.copy()
    random.shuffle(shuffled)
    exact, other = twelve(float(np.prod(factors))), twelve(float(np.prod(shuffled)))
    unit = 10.0 ** (floor(log10(exact)) - 11)
    halves = abs(Fraction(np.prod(factors)) / Fraction(unit) % 1 - Fraction(1, 2))
    assert exact == other or (halves < 0.01 and abs(exact - other) < 1.5 * unit)


def test_of_parallel_links_the_most_probable_of_each_sign_is_used():
    links = [
        Link("s", "t", "cause", 1),
        Link("s", "t", "stimulate", 3),
        similar("s", "t", 0.9),
        edge("s", "t", "treat"),
    ]
    made = lanes(of_links(links), Weights())
    assert [(r.kinds, r.channel) for r in best_routes(made, "s", "t", 1, 9)] == [(("stimulate",), 2), (("treat",), 0)]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("sabct"), st.sampled_from("sabct"), st.integers(1, 4)), max_size=9))
def test_noisy_or_over_all_paths_is_never_below_the_exact_reliability(drawn):
    """Paths share edges, so they hold together more often than independent ones: noisy-or is an upper bound."""
    found = {tuple(sorted((a, b))): n for a, b, n in drawn if a != b}
    links = [edge(a, b, "cause", n) for (a, b), n in found.items()]
    exact = reliability({ends: 1 - (0.05 + 0.3**n) for ends, n in found.items()}, "s", "t")
    got = pooled(lanes(of_links(links), Weights()), "s", "t", 4).noisy_or[2]
    assert got >= exact - 1e-12
    if len(best_routes(lanes(of_links(links), Weights()), "s", "t", 4, 2)) < 2:
        assert got == pytest.approx(exact), "one path alone is as likely as its edges"
