"""The calibrated score: worked numbers, the null of random graphs, and bounds that hold in graphs of every size."""

from dataclasses import replace
from math import exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.performance import generated_graph as generated
from benchmarks.performance.generated_graph import RELATIONS
from fuzzygraph.lanes import Weights, lanes
from fuzzygraph.likelihood import ROWS, Coefficients, Observed, Weight, damped, likelihood, observe, shipped
from fuzzygraph.paths import totals
from groundwork.network import Network
from groundwork.records import Link
from groundwork.vocabulary import relation_sign
from tests.networks import of_links

PLAIN = Coefficients(
    -2.0, *(Weight(*row) for row in ((2.0, 0.5, 1.0), (1.5, 1.0, 0.5), (0.5, 0.2, 0.3), (1.0, 0.4, 0.6)))
)
COEFFICIENTS, CARD = shipped()


def counted(network):
    """Return a network with the degrees of its own links."""
    size = len(network.keys)
    return replace(network, degree=np.bincount(network.a, minlength=size) + np.bincount(network.b, minlength=size))


def seen(links, head="a", tail="b", hops=3):
    """What a whole graph shows about a pair."""
    network = counted(of_links(links, (head, tail)))
    made = lanes(network, Weights())
    return observe(made, damped(made), len(network.a), head, tail, hops)


def test_a_worked_example():
    """a -cause- x -treat- b, and a -treat- b with 4 articles: 3 edges, so m = 3; every degree is 2."""
    links = [Link("a", "x", "cause", 1, None), Link("b", "x", "treat", 2, None), Link("a", "b", "treat", 4, None)]
    found = seen(links)
    assert found.articles == (4, 0, 0)
    assert found.chance == pytest.approx(2 / 6)
    weight = 1 / sqrt(2 * 2) * 1 / sqrt(2 * 2)  # a-x and x-b
    assert weight == 0.25 < found.chance, "as much as chance gives anyway"
    assert found.beyond == ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    told = likelihood(found, PLAIN)
    down, up = -2 + 2 + 1.5 * log(4), -2 - 0.5 - 1.0 * log(4)
    total = 1 + exp(down) + exp(up)
    assert (told.negative, told.positive, told.none) == pytest.approx((exp(down) / total, exp(up) / total, 1 / total))


def test_paths_beyond_chance_are_divided_by_sign():
    """Forty unrelated edges make paths rare: chance is sqrt(3 * 3) / 2m with m = 46. The strongest of three is left out."""
    apart = [Link(f"y{n}", f"z{n}", "cause", 1, None) for n in range(40)]
    both = [Link("a", "x", "cause", 1, None), Link("b", "x", "treat", 1, None)]
    more = [Link("a", "y", "cause", 1, None), Link("b", "y", "associate", 1, None)]
    third = [Link("a", "z", "treat", 1, None), Link("b", "z", "treat", 5, None)]
    found = seen([*apart, *both, *more, *third])
    path = 1 / (3 * 2)  # the ends have degree 3, the middle has degree 2
    share = 1 - (3 / (2 * 46) + path) / (3 * path)
    assert found.beyond[0] == pytest.approx((share / 3, share / 3, share / 3))
    assert found.beyond[1] == (0.0, 0.0, 0.0)
    assert found.paths == 3


STATED = [Link("a", "b", "cause", 2, None)]


@pytest.mark.parametrize(
    ("beside", "articles"),
    [
        ([], (0, 0, 2)),
        ([Link("a", "b", "similar_to", 0, 0.99)], (0, 0, 2)),
        ([Link("a", "b", "contradicts", 0, None)], (0, 0, 2)),
        ([Link("a", "b", "positive_correlate", 3, None)], (0, 0, 5)),
        ([Link("a", "b", "prevent", 1, None), Link("a", "b", "associate", 4, None)], (1, 4, 2)),
    ],
)
def test_every_article_of_a_direct_relation_counts_whatever_stands_beside_it(beside, articles):
    for weights in (Weights(), Weights(alpha=1.0), Weights(tau_min=0.99)):
        network = counted(of_links([*STATED, *beside], ("a", "b")))
        made = lanes(network, weights)
        found = observe(made, damped(made), 1, "a", "b", 3)
        assert found.articles == articles
        assert found.there
        assert found.exclusive == any(link.kind == "contradicts" for link in beside)


def test_a_contradiction_counts_as_a_negative_edge_without_articles():
    found = seen([Link("a", "b", "contradicts", 0, None)])
    assert (found.articles, found.exclusive, found.rows()[:2]) == ((0, 0, 0), True, ((1.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    told = likelihood(found, COEFFICIENTS)
    assert told.negative > 5 * told.positive
    assert found.direct(1, negated=False) is False


def test_an_article_under_another_relation_of_the_same_sign_lowers_the_risk():
    others = [Link("a", f"x{n}", "cause", 1, None) for n in range(5)]
    for n in (1, 2, 5):
        one = likelihood(seen([Link("a", "b", "cause", n, None), *others]), COEFFICIENTS)
        links = [Link("a", "b", "cause", n, None), Link("a", "b", "positive_correlate", 1, None), *others]
        more = likelihood(seen(links), COEFFICIENTS)
        assert more.negative / more.positive < one.negative / one.positive


@pytest.mark.parametrize("bad", [-0.1, float("nan"), float("inf"), 400.0])
def test_weights_that_are_no_weights_are_refused(bad):
    with pytest.raises(ValueError, match="outside"):
        Weight(bad, 0.0, 0.0)
    with pytest.raises(ValueError, match="outside"):
        replace(PLAIN, base=bad * 1000)


def test_a_single_path_is_never_more_than_chance():
    apart = [Link(f"y{n}", f"z{n}", "cause", 1, None) for n in range(1000)]
    assert seen([*apart, Link("a", "x", "cause", 9, None), Link("b", "x", "cause", 9, None)]).beyond[0] == (
        0.0,
        0.0,
        0.0,
    )


@pytest.mark.parametrize(
    ("claim", "negated", "wanted"),
    [
        (1, False, (0.5, 0.2)),
        (-1, False, (0.2, 0.5)),
        (1, True, (0.2, 0.5)),
        (0, False, (0.7, 0.0)),
        (0, True, (0.3, 0.7)),
    ],
)
def test_claims_take_their_part_of_the_probabilities(claim, negated, wanted):
    told = likelihood(Observed((0, 0, 0), ((0.0,) * 3,) * 2, 0.1, 1), PLAIN)
    made = replace(told, positive=0.5, negative=0.2, none=0.3)
    assert made.of(claim, negated) == pytest.approx(wanted)


shares = st.tuples(*[st.floats(0, 1)] * 3).map(lambda row: tuple(part / max(sum(row), 1.0) for part in row))
beyond = st.tuples(shares, shares)
counts = st.tuples(*[st.integers(0, 50)] * 3)


@given(counts, beyond)
def test_risk_falls_with_the_articles_of_the_claim_whatever_else_is_seen(articles, paths):
    before = likelihood(Observed(articles, paths, 0.1, 1), COEFFICIENTS)
    more = (articles[0], articles[1], articles[2] + 1)
    after = likelihood(Observed(more, paths, 0.1, 1), COEFFICIENTS)
    assert after.negative / (after.negative + after.positive) <= before.negative / (before.negative + before.positive)


@given(st.integers(3, 10_000), beyond)
def test_three_undisputed_articles_are_never_outvoted(articles, paths):
    told = likelihood(Observed((0, 0, articles), paths, 0.1, 1), COEFFICIENTS)
    risk = told.negative / (told.negative + told.positive)
    assert risk <= COEFFICIENTS.highest_risk(articles) + 1e-12 <= 0.0501
    assert told.negative + told.positive + told.none == pytest.approx(1.0)


def test_the_shipped_weights_are_not_negative_and_named():
    assert all(part >= 0 for row in COEFFICIENTS.rows for part in (row.same, row.opposite, row.unsigned))
    assert set(CARD["coefficients"]) == {"base", *ROWS}


# -- generated graphs


def drawn(concepts, count, seed, beside=()):
    """Return a generated graph of so many edges, with those of `beside` in it."""
    rng = np.random.default_rng(seed)
    keys = generated.make(concepts, np.random.default_rng(concepts))
    made = generated.draw(keys, count, rng)
    articles = generated.evidence_counts(len(made), 10_000, rng)
    order = np.argsort(np.array(keys.keys, dtype=object))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    a, b = np.minimum(place[made.head], place[made.tail]), np.maximum(place[made.head], place[made.tail])
    kinds = tuple(sorted(name.lower() for name in RELATIONS))
    kind = np.array([kinds.index(name.lower()) for name in RELATIONS])[made.relation]
    columns = [
        np.concatenate([own, other]) for own, other in zip((a, b, kind, articles), beside or [[]] * 4, strict=True)
    ]
    a, b, kind, articles = (column.astype(np.int64) for column in columns)
    sort = np.lexsort((kind, b, a))
    a, b, kind, articles = a[sort], b[sort], kind[sort], articles[sort]
    new = np.concatenate([[True], (a[1:] != a[:-1]) | (b[1:] != b[:-1]) | (kind[1:] != kind[:-1])]) & (a != b)
    keys_in_order = tuple(np.array(keys.keys, dtype=object)[order].tolist())
    network = Network(keys_in_order, kinds, a[new], b[new], kind[new], articles[new], np.zeros(int(new.sum())))
    return counted(replace(network, wiring=network.wired()))


def stated(network, most, seed):
    """Return links with three articles or more whose ends no link of another sign joins, and their signs."""
    signs = np.array([relation_sign(kind) for kind in network.kinds])[network.kind]
    codes = network.a * len(network.keys) + network.b
    disputed = np.isin(codes, codes[signs >= 0]) & np.isin(codes, codes[signs <= 0])
    found = np.flatnonzero((network.articles >= 3) & (signs != 0) & ~disputed)
    chosen = np.random.default_rng(seed).permutation(found)[:most]
    return [(int(network.a[link]), int(network.b[link]), int(signs[link])) for link in chosen]


class Measure:
    """Measures pairs of one network, given as numbers of concepts."""

    def __init__(self, network):
        self.network = network
        self.lanes = lanes(network, Weights())
        self.arcs = damped(self.lanes)

    def likely(self, one, other):
        """Return the likelihood of a pair, and its number of paths."""
        keys = self.network.keys
        found = observe(self.lanes, self.arcs, len(self.network.a), keys[one], keys[other], 3)
        return likelihood(found, COEFFICIENTS), found.paths

    def risk(self, one, other, sign):
        """Return the HRS of a claim of a sign."""
        for_, against = self.likely(one, other)[0].of(sign, negated=False)
        return against / (for_ + against)


SIZES = [(3_600, 7_000), (60_000, 300_000), pytest.param((250_000, 1_500_000), marks=pytest.mark.slow)]


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[1]} edges")
def test_stated_facts_stay_stated_and_chance_says_little_in_generated_graphs(size):
    network = drawn(*size, seed=1)
    measure = Measure(network)
    facts = stated(network, 300, seed=2)
    assert len(facts) == 300
    risks = np.array([measure.risk(*fact) for fact in facts])
    turned = np.array([measure.risk(one, other, -sign) for one, other, sign in facts])
    assert (risks < 0.1).mean() >= 0.95
    assert (turned > 0.9).mean() >= 0.95
    codes = set((network.a * len(network.keys) + network.b).tolist())
    rng = np.random.default_rng(3)  # pairs whose ends are drawn as the ends of edges are: with the same degrees
    ones, others = rng.choice(network.a, 2_000), rng.choice(network.b, 2_000)
    pairs = [(min(a, b), max(a, b)) for a, b in zip(ones.tolist(), others.tolist(), strict=True) if a != b]
    told = [measure.likely(*pair) for pair in pairs if pair[0] * len(network.keys) + pair[1] not in codes][:400]
    strengths = np.array([1 - likely.none for likely, paths in told if paths])
    assert len(strengths) >= 100
    assert (strengths < 0.2).mean() >= 0.95


def test_ten_times_as_many_unrelated_edges_move_no_stated_fact():
    network = drawn(3_600, 7_000, seed=1)
    facts = stated(network, 200, seed=2)
    own = network.a, network.b, network.kind, network.articles
    added, more = drawn(3_600, 70_000, seed=4), drawn(3_600, 70_000, seed=4, beside=own)
    assert network.keys == added.keys == more.keys
    drawn_again = set((added.a * len(added.keys) + added.b).tolist())
    kept = [fact for fact in facts if fact[0] * len(added.keys) + fact[1] not in drawn_again]
    before, after = Measure(network), Measure(more)
    assert len(more.a) > 10 * len(network.a) * 0.9
    assert len(kept) > 100
    moved = [abs(before.risk(*fact) - after.risk(*fact)) for fact in kept]
    assert max(moved) <= 0.05


@pytest.mark.parametrize(("seed", "length"), [(1, 2), (2, 3)])
def test_chance_is_what_random_graphs_with_these_degrees_give(seed, length):
    """The mean weight of all paths of a length between pairs, relative to chance, is 1 in a graph drawn at random."""
    rng = np.random.default_rng(seed)
    concepts, count = 300, 6_000
    popular = rng.permutation(concepts) / concepts + 0.2
    ends = rng.choice(concepts, (count, 2), p=popular / popular.sum())
    links = {(min(a, b), max(a, b)) for a, b in ends.tolist() if a != b}
    network = counted(of_links([Link(f"Gene|{a:04}", f"Gene|{b:04}", "cause", 1, None) for a, b in links]))
    made = lanes(network, Weights())
    arcs, m = damped(made), len(network.a)
    ratios = []
    for one, other in rng.choice(len(network.keys), (400, 2)).tolist():
        if one != other:
            one, other = sorted((one, other))
            weight = totals(arcs, one, other, 3)[1][length - 1].sum()
            ratios.append(weight / (sqrt(network.degree[one] * network.degree[other]) / (2 * m)))
    assert np.mean(ratios) == pytest.approx(1.0, abs=0.12)
