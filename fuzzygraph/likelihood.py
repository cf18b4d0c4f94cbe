"""How likely a claim holds, its opposite holds, or neither: probabilities from direct edges and from paths.

Longer paths count only as far as they are more than chance. A path weighs the product of (d_a d_b)^-1/2 over its edges,
where d is the number of relation edges of a concept (degree-weighted path count; Himmelstein and Baranzini 2015). If
the edges of a graph were drawn at random and every concept kept its degree, the expected weight of all paths between u
and v would be the same for every length:

    chance = sqrt(d_u d_v) / 2m,        m = number of relation edges of the graph

because a path u-x-v weighs 1 / (d_x sqrt(d_u d_v)) and is expected (d_u d_x / 2m) (d_x d_v / 2m) times, which adds
up to sqrt(d_u d_v) / 2m over all x, and so on for longer paths. In a sparse graph the weight is not spread evenly: most
pairs have no path, and a few have a single one that weighs far more than `chance`. So the strongest path is left out.
If the paths of one length weigh D and the strongest of them w, the share beyond chance is max(0, 1 - (chance + w) / D).
It is divided among the signs in proportion to their weights, which gives x(sign).

The evidence has four rows, each with a number per sign (negative, unsigned, positive): `edge` is 1 if there are direct
edges of the sign, `articles` is the logarithm of their number of articles, `two_hops` and `three_hops` are x. With the
weights of `Coefficients`, two scores follow, one for each sign s, relative to "no relation" with the score 0:

    score(s) = base + sum over rows of  same row(s) - opposite row(-s) + unsigned row(0)

The probability of a sign is exp(score(s)) / (1 + exp(score(+)) + exp(score(-))). All weights are 0 or more. So HRS
falls with the articles of the claim's own sign, and what all longer paths together can change is bounded
(`Coefficients.bound`).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import exp, log, sqrt
from typing import Any

import numpy as np

from fuzzygraph.lanes import CHANNELS, SIGNS, Lanes
from fuzzygraph.paths import totals
from groundwork.network import Floats, Network
from groundwork.records import Record
from groundwork.vocabulary import CONTRADICTS, SIMILAR_TO, Sign, relation_sign
from groundwork.walks import Arcs

#: The coefficients that come with the program, with the card of their fit.
SHIPPED = "risk.json"
#: Lengths of the paths that are compared with chance.
LENGTHS = (2, 3)
#: Largest weight of a fit. With it, no score overflows.
LARGEST = 20.0
#: The rows of the evidence.
ROWS = ("edge", "articles", "two_hops", "three_hops")


@dataclass(frozen=True, slots=True)
class Weight(Record):
    """The weights of one row of the evidence in the score of a sign, all 0 or more.

    Attributes:
        same: Weight of the entry of the same sign.
        opposite: Weight of the entry of the opposite sign, which is subtracted.
        unsigned: Weight of the entry without a sign.

    Raises:
        ValueError: A weight is negative, very large or no number.
    """

    same: float
    opposite: float
    unsigned: float

    def __post_init__(self) -> None:
        if not all(0.0 <= weight <= LARGEST for weight in (self.same, self.opposite, self.unsigned)):
            raise ValueError(f"{self} has a weight outside 0 to {LARGEST:g}")


@dataclass(frozen=True, slots=True)
class Coefficients(Record):
    """The coefficients of the two scores (see the module docstring).

    Attributes:
        base: Score without any evidence.
        edge: Weights of the row `edge`.
        articles: Weights of the row `articles`.
        two_hops: Weights of the row `two_hops`.
        three_hops: Weights of the row `three_hops`.

    Raises:
        ValueError: The score is very large or no number.
    """

    base: float
    edge: Weight
    articles: Weight
    two_hops: Weight
    three_hops: Weight

    def __post_init__(self) -> None:
        if not -LARGEST <= self.base <= LARGEST:
            raise ValueError(f"base = {self.base} is outside -{LARGEST:g} to {LARGEST:g}")

    @property
    def rows(self) -> tuple[Weight, ...]:
        """The weights in the order of `ROWS`."""
        return self.edge, self.articles, self.two_hops, self.three_hops

    @property
    def bound(self) -> float:
        """The most by which longer paths can change the difference between the scores of the two signs."""
        return sum(row.same + row.opposite for row in (self.two_hops, self.three_hops))

    def highest_risk(self, articles: int) -> float:
        """Return the largest HRS of a claim with direct articles of its own sign alone, whatever longer paths say.

        It is 1 / (1 + exp(edge + articles log(n) - bound)), where edge and articles are the sums of the weights of the
        same and the opposite sign.

        Args:
            articles: Number of articles n, at least 1.
        """
        direct = self.edge.same + self.edge.opposite + (self.articles.same + self.articles.opposite) * log(articles)
        return 1.0 / (1.0 + exp(direct - self.bound))


@dataclass(frozen=True, slots=True)
class Observed(Record):
    """What a graph shows about a pair of concepts. Entries by sign are in the order negative, unsigned, positive.

    Attributes:
        articles: Number of articles of the direct edges, by sign. An article that states two relations counts twice.
        exclusive: Whether a `contradicts` edge joins the concepts. It counts as a negative edge without articles.
        beyond: For each length in `LENGTHS`, the share of the paths beyond chance, by sign. Each row sums to at most 1.
        chance: Expected weight of the paths of each length if edges were drawn at random.
        paths: Number of all paths, direct edges included.
    """

    articles: tuple[int, int, int]
    beyond: tuple[tuple[float, float, float], ...]
    chance: float
    paths: int
    exclusive: bool = False

    @property
    def there(self) -> bool:
        """Whether an edge or a path joins the concepts."""
        return self.paths > 0 or any(self.articles)

    def rows(self) -> tuple[tuple[float, float, float], ...]:
        """Return the rows of the evidence, in the order of `ROWS`."""
        down, open_, up = (float(articles > 0) for articles in self.articles)
        there = max(down, float(self.exclusive)), open_, up
        return there, _three([log(articles) if articles else 0.0 for articles in self.articles]), *self.beyond

    def direct(self, claim: Sign, *, negated: bool) -> bool | None:
        """Return whether the direct edges support a claim (True) or contradict it (False); None for neither or both."""
        down, open_, up = self.rows()[0]
        if claim == 0:
            return not negated if down or open_ or up else None
        return None if down == up else ((claim > 0) != negated) == (up > 0.0)


@dataclass(frozen=True, slots=True)
class Likelihood(Record):
    """Probabilities of a signed relation between two concepts; they sum to 1.

    Attributes:
        negative: More of one concept goes with less of the other.
        positive: More of one concept goes with more of the other.
        none: There is no relation between them.
    """

    negative: float
    positive: float
    none: float

    def of(self, claim: Sign, negated: bool) -> tuple[float, float]:
        """Return the probabilities of a claim and of its opposite.

        A negation reverses the sign of a claim. A claim without a sign holds if there is any relation, and nothing is
        its opposite. Its denial holds if there is no relation, and any relation is its opposite.
        """
        if claim == 0:
            related = self.negative + self.positive
            return (self.none, related) if negated else (related, 0.0)
        upwards = (claim > 0) != negated
        return (self.positive, self.negative) if upwards else (self.negative, self.positive)


def damped(lanes: Lanes) -> Arcs:
    """Return the lanes as arcs whose weights multiply to the weight of a path.

    A relation weighs (d_a d_b)^-1/2. A similarity edge or a `contradicts` edge weighs this times its probability; a
    concept without relations counts as one of degree 1.

    Args:
        lanes: Lanes of a network that has `Network.degree`.
    """
    network, arcs = lanes.network, lanes.arcs
    degree = np.ones(len(network.keys)) if network.degree is None else np.maximum(network.degree, 1).astype(np.float64)
    other = network.of_kind(SIMILAR_TO, CONTRADICTS)[arcs.link]
    share = np.where(other, arcs.weight, 1.0)
    ends = degree[np.asarray(network.a)[arcs.link]] * degree[np.asarray(network.b)[arcs.link]]
    return Arcs(arcs.first, arcs.target, arcs.mark, share / np.sqrt(ends), arcs.link)


def observe(lanes: Lanes, arcs: Arcs, relations: int, head: str, tail: str, hops: int) -> Observed:
    """Return what a graph shows about a pair of concepts.

    Args:
        lanes: The edges that paths use.
        arcs: `damped(lanes)`.
        relations: Number of relation edges of the whole graph.
        head: Key of one concept.
        tail: Key of the other concept.
        hops: Maximum length of a path in edges, 1 to 4.
    """
    network = lanes.network
    start, end = network.place(head), network.place(tail)
    if start is None or end is None or start == end:
        return Observed((0, 0, 0), ((0.0, 0.0, 0.0),) * len(LENGTHS), 0.0, 0)
    start, end = sorted((start, end))  # fixes the order of additions, so that both directions give the same sum
    direct, exclusive = _direct(network, start, end)
    count, sums, largest = totals(arcs, start, end, hops)
    one, other = (1, 1) if network.degree is None else (max(int(network.degree[node]), 1) for node in (start, end))
    chance = sqrt(one * other) / (2 * max(relations, 1))
    beyond = tuple(_beyond(sums[length - 1], chance + float(largest[length - 1].max())) for length in LENGTHS)
    return Observed(direct, beyond, chance, count, exclusive)


def likelihood(observed: Observed, coefficients: Coefficients) -> Likelihood:
    """Return the probabilities of a signed relation (see the module docstring)."""
    down, up = (exp(_score(observed, coefficients, sign)) for sign in (-1, 1))
    total = 1.0 + down + up
    return Likelihood(down / total, up / total, 1.0 / total)


@cache
def shipped() -> tuple[Coefficients, Mapping[str, Any]]:
    """Return the coefficients that come with the program, and the card of their fit."""
    return of_card(json.loads(files("fuzzygraph").joinpath(SHIPPED).read_text("utf-8")))


def of_card(card: Mapping[str, Any]) -> tuple[Coefficients, Mapping[str, Any]]:
    """Return the coefficients in a card of a fit, and the card."""
    held = card["coefficients"]
    return Coefficients(float(held["base"]), **{name: Weight(**held[name]) for name in ROWS}), card


def _score(observed: Observed, coefficients: Coefficients, sign: int) -> float:
    """Return the score of a sign, relative to no relation."""
    score = coefficients.base
    for weight, row in zip(coefficients.rows, observed.rows(), strict=True):
        score += weight.same * row[1 + sign] - weight.opposite * row[1 - sign] + weight.unsigned * row[1]
    return score


def _three(numbers: Sequence[float]) -> tuple[float, float, float]:
    down, open_, up = numbers
    return down, open_, up


def _beyond(weights: Floats, usual: float) -> tuple[float, float, float]:
    """Return the share of paths beyond what is usual by sign, given the weights of the paths by channel."""
    total = float(weights.sum())
    share = max(0.0, 1.0 - usual / total) if total > 0.0 else 0.0
    by_sign = [0.0, 0.0, 0.0]
    for channel in range(CHANNELS):
        by_sign[1 + SIGNS[channel]] += float(weights[channel])
    return _three([share * weight / total if total > 0.0 else 0.0 for weight in by_sign])


def _direct(network: Network, start: int, end: int) -> tuple[tuple[int, int, int], bool]:
    """Return the number of articles of the relations between two concepts by sign, and whether they contradict.

    All relations count, also those that no path uses because their belief is below tau_min.
    """
    low, high = (int(np.searchsorted(network.a, start, side)) for side in ("left", "right"))
    ends = network.b[low:high]
    found, exclusive = [0, 0, 0], False
    for link in range(low + int(np.searchsorted(ends, end)), low + int(np.searchsorted(ends, end, "right"))):
        kind = network.kinds[int(network.kind[link])]
        exclusive = exclusive or kind == CONTRADICTS
        found[1 + relation_sign(kind)] += int(network.articles[link])
    down, open_, up = found
    return (down, open_, up), exclusive
