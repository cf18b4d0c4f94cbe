"""Paths that support or contradict a claim: worked numbers, and brute force over all orders of all concepts."""

from itertools import pairwise, permutations, product
from math import exp, prod

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fuzzygraph.lanes import Weights, lanes
from fuzzygraph.membership import Membership
from fuzzygraph.support import Amount, Evidence, score, weigh
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
