"""Paths that support or contradict a claim: worked numbers, and brute force over all orders of all concepts."""

from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
from math import exp, floor, log10, prod
from random import Random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from benchmarks.performance.paths import sums_from
from fuzzygraph.lanes import CHANNELS, Weights, lanes
from fuzzygraph.membership import Membership
from fuzzygraph.paths import best_routes, pooled, totals
from fuzzygraph.support import Amount, Evidence, score, weigh
from groundwork import chance, compiled
from groundwork.compiled import twelve
from groundwork.errors import InputError
from groundwork.records import Link
from tests.networks import of_links, reliability

SIGNS = {"cause": 1, "treat": -1, "contradicts": -1, "associate": 0, "similar_to": 1}


def evidence(links, hops=3, claim=1, weights=None, head="s", tail="t", **options) -> Evidence:
    return weigh(lanes(of_links(links), weights or Weights()), head, tail, hops, claim=claim, **options)


def slots(links, weights):
    """pair -> sign -> (probability, whether a relation gives it)."""
    best = {}
    for link in links:
        if link.kind == "similar_to":
            mu = weights.membership.mu(link.cosine)
            walked, p = mu >= weights.tau_min, weights.alpha * mu
        elif link.kind == "contradicts":
            walked, p = True, weights.alpha
        else:
            p = 1 - (0.05 + 0.3**link.articles)
            walked = p >= weights.tau_min
        if walked and link.head != link.tail:
            slot = best.setdefault(frozenset((link.head, link.tail)), {})
            sign = SIGNS[link.kind]
            slot[sign] = max(slot.get(sign, (0.0, False)), (p, link.kind != "similar_to"))
    return best


def brute(links, hops, claim, negated, weights):
    """(side, probability, keys) of every path, by trying every order of concepts and every choice of sign."""
    best = slots(links, weights)
    wanted = -claim if negated else claim
    found = []
    for n in range(hops):
        for middle in permutations(sorted({key for pair in best for key in pair} - {"s", "t"}), n):
            keys = ("s", *middle, "t")
            for choice in product(*(best.get(frozenset(pair), {}).items() for pair in pairwise(keys))):
                side = wanted * prod(sign for sign, _ in choice)
                if not any(relation for _, (_, relation) in choice):
                    side = 1
                elif claim == 0:
                    side = -1 if negated else 1
                found.append((side, prod(p for _, (p, _) in choice), keys))
    return found


NODES = ["s", "t", "a", "b", "c", "d"]
LINK = st.builds(
    lambda ends, kind, n, cosine: Link(
        min(ends),
        max(ends),
        kind,
        *((0, cosine) if kind == "similar_to" else (n, None) if kind in {"cause", "treat", "associate"} else (0, None)),
    ),
    st.tuples(st.sampled_from(NODES), st.sampled_from(NODES)),
    st.sampled_from(list(SIGNS)),
    st.integers(1, 4),
    st.floats(-1, 1),
)


@settings(max_examples=250, deadline=None)
@given(
    st.lists(LINK, max_size=18),
    st.integers(1, 4),
    st.sampled_from([-1, 0, 1]),
    st.booleans(),
    st.sampled_from(
        [
            Weights(),
            Weights(tau_min=0.7),
            Weights(Membership("paper"), alpha=0.5),
            Weights(Membership("linear"), tau_min=0.0),
        ]
    ),
)
@example([Link("s", "t", "similar_to", 0, 0.9)], 1, 0, True, Weights())
def test_path_evidence_equals_brute_force(links, hops, claim, negated, weights):
    want = brute(links, hops, claim, negated, weights)
    got = evidence(links, hops, claim, weights, negated=negated, limit=10**6)
    assert got.paths_total == len(want) == len(got.paths)
    side_of = {"support": 1, "contradiction": -1, "unsigned": 0}
    assert sorted((side_of[p.side], round(p.probability, 12), p.keys) for p in got.paths) == sorted(
        (side, round(p, 12), keys) for side, p, keys in want
    )
    for side, amount in ((1, got.support), (-1, got.contradiction), (0, got.unsigned)):
        ps = [p for s, p, _ in want if s == side]
        assert amount.sum == pytest.approx(sum(ps), rel=1e-9)
        assert amount.max == pytest.approx(max(ps, default=0.0), rel=1e-12)
        assert amount.noisy_or == pytest.approx(1 - prod(1 - p for p in ps), rel=1e-9)


def inverses(links, hops, weights):
    """Yield the product of 1 - p over the edges of each path of `brute`. Each choice of sign makes its own path."""
    best = slots(links, weights)
    others = sorted({key for pair in best for key in pair} - {"s", "t"})
    walks = (("s", *middle, "t") for n in range(hops) for middle in permutations(others, n))
    for keys in walks:
        for choice in product(*(best.get(frozenset(pair), {}).values() for pair in pairwise(keys))):
            yield prod(1 - p for p, _ in choice)


@settings(max_examples=250, deadline=None)
@given(
    st.lists(LINK, max_size=18),
    st.integers(1, 4),
    st.sampled_from([-1, 0, 1]),
    st.booleans(),
    st.sampled_from([Weights(), Weights(alpha=1.0), Weights(Membership("linear"), tau_min=0.0)]),
)
def test_inverted_weights_equal_brute_force(links, hops, claim, negated, weights):
    options = {"negated": negated, "contradiction": "inverted", "limit": 10**6}
    got = evidence(links, hops, claim, weights, **options)
    against = list(inverses(links, hops, weights))
    supporting = [p for _, p, _ in brute(links, hops, claim, negated, weights)]
    assert got.paths_total == len(against) == len(supporting) == len(got.paths)
    assert {path.side for path in got.paths} <= {"support"}
    assert got.unsigned == Amount()
    for ps, amount in ((supporting, got.support), (against, got.contradiction)):
        assert amount.sum == pytest.approx(sum(ps), rel=1e-9)
        assert amount.max == pytest.approx(max(ps, default=0.0), rel=1e-12)
        assert amount.noisy_or == pytest.approx(1 - prod(1 - p for p in ps), rel=1e-9)


def test_with_inverted_contradiction_every_sign_of_a_pair_is_a_separate_path():
    links = [edge("s", "t", "cause", 1), edge("s", "t", "treat", 2), edge("s", "t", "associate", 3)]
    got = evidence(links, contradiction="inverted").contradiction
    assert got.sum == pytest.approx(0.35 + 0.14 + 0.077)
    assert got.max == pytest.approx(0.35)
    assert got.noisy_or == pytest.approx(1 - 0.65 * 0.86 * 0.923)


@settings(max_examples=60, deadline=None)
@given(st.lists(LINK, max_size=14), st.integers(1, 4), st.integers(0, 3))
def test_a_limit_changes_nothing_but_the_list(links, hops, limit):
    whole, cut = evidence(links, hops, limit=10**6), evidence(links, hops, limit=limit)
    assert cut.paths == whole.paths[:limit]
    assert (cut.paths_total, cut.support) == (whole.paths_total, whole.support)


def edge(a, b, kind="cause", n=1):
    return Link(min(a, b), max(a, b), kind, n)


def similar(a, b, cosine):
    return Link(min(a, b), max(a, b), "similar_to", 0, cosine)


def test_one_edge_worked_by_hand():
    got = evidence([edge("s", "t", "cause", 2)])
    assert got.support.sum == got.support.max == pytest.approx(0.86)
    assert got.contradiction.sum == 0.0
    measured = score(got)
    assert measured.p_net == pytest.approx(1.0)
    assert measured.strength == pytest.approx(0.86)
    assert measured.status == "measured"


def test_two_negatives_make_a_positive():
    got = evidence([edge("s", "a", "treat"), edge("a", "t", "inhibit")])
    assert got.support.sum == pytest.approx(0.65**2)
    assert got.paths[0].kinds == ("treat", "inhibit")
    assert got.paths[0].sign == 1


def test_each_sign_of_a_pair_is_a_separate_path():
    links = [
        edge("s", "t", "cause", 1),
        edge("s", "t", "stimulate", 2),
        edge("s", "t", "treat", 1),
        edge("s", "t", "associate", 3),
    ]
    got = evidence(links)
    assert got.paths_total == 3
    assert got.support.sum == pytest.approx(0.86)  # the larger of the two positive ones
    assert got.contradiction.sum == pytest.approx(0.65)
    assert got.unsigned.sum == pytest.approx(0.923)
    assert [path.sign for path in got.paths] == [None, 1, -1]


def test_contradicts_has_probability_alpha():
    got = evidence([Link("s", "t", "contradicts")], weights=Weights(alpha=0.8, tau_min=1.0))
    assert got.contradiction.max == pytest.approx(0.8)
    assert got.paths[0].kinds == ("contradicts",)


def test_similarity_is_scaled_but_filtered_before_alpha():
    weights = Weights(Membership("linear"), alpha=0.5, tau_min=0.8)
    assert evidence([similar("s", "t", 0.6)], weights=weights).support.max == pytest.approx(0.4)
    assert evidence([similar("s", "t", 0.5)], weights=weights).paths_total == 0


@pytest.mark.parametrize("claim", [1, 0, -1])
@pytest.mark.parametrize("negated", [False, True])
def test_similarity_alone_supports_any_claim_and_is_positive_beside_relations(claim, negated):
    alone = evidence([similar("s", "a", 0.9), similar("a", "t", 0.9)], claim=claim, negated=negated)
    assert alone.support.max > 0.0 == alone.contradiction.max
    mixed = evidence([similar("s", "a", 0.9), edge("a", "t", "treat")], claim=-1)
    assert mixed.support.max > 0.0 == mixed.contradiction.max


def test_every_path_supports_an_unsigned_claim_and_contradicts_its_denial():
    links = [edge("s", "t", "treat"), edge("s", "a", "associate"), edge("a", "t", "cause")]
    assert evidence(links, claim=0).support.sum == pytest.approx(0.65 + 0.65**2)
    assert evidence(links, claim=0, negated=True).contradiction.sum == pytest.approx(0.65 + 0.65**2)


def test_unsigned_paths_without_others_are_no_evidence_for_a_signed_claim():
    measured = score(evidence([edge("s", "t", "associate")]))
    assert (measured.status, measured.p_net, measured.hrs, measured.strength) == ("no_evidence", None, None, None)


def test_without_an_end_in_the_graph_there_is_no_path():
    assert evidence([edge("s", "a")]).paths_total == 0
    assert evidence([edge("s", "s"), edge("s", "t")], tail="s").paths_total == 0
    assert evidence([]).paths_total == 0


# Known faults of P_net. It is implemented as in the paper, and `strength` is reported beside it.


@pytest.mark.parametrize(("hops", "wanted"), [(1, 0.63), (2, 0.74), (3, 0.83), (4, 0.89)])
def test_inverted_weights_reward_long_paths(hops, wanted):
    """With alpha w = 0.63 on every edge, P_net is higher for longer paths."""
    names = ["s", *"abc"[: hops - 1], "t"]
    logit = np.log(0.7 / 0.3)
    weights = Weights(Membership("scaled", k=1.0, s0=0.0), alpha=0.9)
    links = [similar(a, b, logit) for a, b in pairwise(names)]
    got = evidence(links, hops=4, weights=weights, contradiction="inverted")
    assert got.support.max == pytest.approx(0.63**hops)
    assert got.contradiction.max == pytest.approx(0.37**hops)
    measured = score(got)
    assert measured.p_net == pytest.approx(wanted, abs=0.005)
    shorter = 0.63 ** (hops - 1) * (1 - 0.37 ** (hops - 1)) if hops > 1 else 1.0
    assert measured.strength < shorter


def test_p_net_ignores_how_much_evidence_there_is_and_strength_does_not():
    strong = score(evidence([edge("s", "t", "cause", 9)]))
    weak = score(evidence([edge("s", "a"), edge("a", "b"), edge("b", "t")]))
    assert strong.p_net == pytest.approx(weak.p_net) == pytest.approx(1.0)
    assert strong.strength > 0.9 > 0.3 > weak.strength


def test_sums_can_exceed_one_and_noisy_or_cannot():
    links = [edge(a, b, "cause", 5) for m in "abcd" for a, b in (("s", m), (m, "t"))]
    got = evidence(links, hops=2)
    assert got.support.sum > 1.0 > got.support.noisy_or > got.support.max


def test_noisy_or_is_exact_if_paths_share_no_edge_and_otherwise_above_reliability():
    apart = [edge("s", "a"), edge("a", "t", "cause", 2), edge("s", "t", "cause", 3)]
    exact = reliability({("s", "a"): 0.65, ("a", "t"): 0.86, ("s", "t"): 0.923}, "s", "t")
    assert evidence(apart, hops=2).support.noisy_or == pytest.approx(exact)
    sharing = [edge("s", "a"), edge("a", "b"), edge("a", "c"), edge("b", "t"), edge("c", "t")]
    exact = reliability({(e.head, e.tail): 0.65 for e in sharing}, "s", "t")
    assert evidence(sharing, hops=3).support.noisy_or > exact


def test_a_hub_of_seven_thousand_neighbours_does_not_hang():
    """Both ends are hubs: 7,000 paths of two hops and some 40,000 of three; the sums equal their closed forms."""
    middle = [f"m{i:04}" for i in range(7000)]
    links = [edge("s", m) for m in middle] + [edge(m, "t") for m in middle]
    links += [edge(middle[i], middle[(i + step) % 7000]) for i in range(7000) for step in (1, 2, 3)]
    got = evidence(links, hops=3, limit=5)
    assert got.paths_total == 7000 + 2 * 3 * 7000
    assert got.support.sum == pytest.approx(7000 * 0.65**2 + 42000 * 0.65**3, rel=1e-9)
    assert [path.keys[1] for path in got.paths] == middle[:5]


def test_membership_forms_worked_by_hand():
    assert Membership("paper").mu(1.0) == pytest.approx(0.731, abs=5e-4)
    assert Membership("paper").mu(-1.0) == pytest.approx(0.269, abs=5e-4)
    assert Membership("linear").mu(0.5) == 0.75
    assert Membership("scaled").mu(0.26) == pytest.approx(0.5)
    assert Membership("scaled").mu(0.5) == pytest.approx(1 / (1 + exp(-13.4 * 0.24)))


@given(st.floats(-1, 1), st.floats(-1, 1), st.sampled_from(["paper", "scaled", "linear"]))
def test_membership_is_a_degree_that_rises_with_the_cosine(a, b, form):
    low, high = sorted((a, b))
    assert 0.0 <= Membership(form).mu(low) <= Membership(form).mu(high) <= 1.0


def test_an_unknown_form_and_a_flat_slope_are_refused():
    with pytest.raises(InputError, match="scaled, paper, linear"):
        Membership("cubic")
    with pytest.raises(InputError, match="k > 0"):
        Membership("scaled", k=0.0)


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


def all_pairs(made, hops):
    size = made.arcs.size
    found = np.zeros((4, size, size))
    for a in range(size):
        for b in range(size):
            if a != b:
                found[:, a, b] = totals(made.arcs, *sorted((a, b)), hops)[1].sum(axis=0)
    return found


@settings(max_examples=60, deadline=None)
@given(st.lists(LINK, max_size=20), st.integers(1, 4))
def test_each_row_equals_the_sums_of_its_pairs(links, hops):
    made = lanes(of_links(links, ["s", "t"]), Weights())
    wanted = all_pairs(made, hops)
    for source, found in sums_from(made, range(made.arcs.size), hops):
        np.testing.assert_allclose(found, wanted[:, source], rtol=1e-9, atol=0.0)
        assert ((found == 0.0) == (wanted[:, source] == 0.0)).all()


@pytest.mark.parametrize("hops", [3, 4])
def test_digits_lost_beside_a_hub_are_recovered(hops, monkeypatch):
    """W^4 counts walks over the two thousand leaves of a hub. Their sum is subtracted again, and the sum over the few
    real paths is much smaller."""
    monkeypatch.setattr(compiled, "MANY", 0)
    leaves = [f"m{i:04}" for i in range(2000)]
    links = [edge("h", m, "treat" if i % 7 == 0 else "cause", 1 + i % 4) for i, m in enumerate(leaves)]
    links += [edge("s", "h"), similar("h", "t", 0.5), edge("s", "m0000"), edge("m0001", "t", "associate")]
    made = lanes(of_links(links), Weights())
    for source in (made.network.number("s"), made.network.number("h")):
        ((_, found),) = sums_from(made, [source], hops)
        for tail in range(0, made.arcs.size, 97):
            wanted = totals(made.arcs, *sorted((source, tail)), hops)[1].sum(axis=0) if tail != source else np.zeros(4)
            np.testing.assert_allclose(found[:, tail], wanted, rtol=1e-9, atol=0.0)
