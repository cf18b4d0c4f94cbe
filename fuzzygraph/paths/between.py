"""Simple paths between two concepts: their number, the aggregates of their probabilities, and the best paths.

A path is a sequence of concepts with one lane (a chosen edge, see `lanes`) between each two neighbours. Two neighbours
with lanes of several signs give several paths. The probability of a path is the product of the probabilities of its
lanes (paper B, 6.2). The aggregates by channel are computed without listing the paths (`sums`, `noisy`). So the time
for a hub of degree 7,000 depends on the number of its arcs, not on the number of its paths.
"""

from dataclasses import dataclass

import numpy as np

from fuzzygraph.paths.lanes import CHANNELS, Lanes
from fuzzygraph.paths.noisy import noisy_or
from fuzzygraph.paths.ring import joined
from fuzzygraph.paths.sums import totals
from groundwork.network import Floats
from groundwork.walks import best_walks


@dataclass(frozen=True, slots=True)
class PathSums:
    """Aggregates of all paths between two concepts, by channel (`lanes`: negative, unsigned, positive, alike).

    Attributes:
        count: Number of paths of all channels together.
        sum: Sum of the probabilities of the paths, which is not a probability.
        max: Probability of the most probable path.
        noisy_or: Probability that at least one path holds, if the paths were independent.
    """

    count: int
    sum: Floats
    max: Floats
    noisy_or: Floats


@dataclass(frozen=True, slots=True)
class Route:
    """One path.

    Attributes:
        keys: Concepts from head to tail.
        probability: Product of the probabilities of its lanes.
        channel: Channel of the path (see `lanes`).
        kinds: For each step, the kind of edge: a relation, `similar_to` or `contradicts`.
    """

    keys: tuple[str, ...]
    probability: float
    channel: int
    kinds: tuple[str, ...]


def pooled(lanes: Lanes, head: str, tail: str, hops: int) -> PathSums:
    """Return the aggregates of all simple paths of 1 to `hops` links; `hops` is at most 4.

    All aggregates are 0 if both concepts are the same, or if one of them is not in the network.
    """
    start, end = lanes.network.place(head), lanes.network.place(tail)
    if start is None or end is None or start == end:
        return PathSums(0, *np.zeros((3, CHANNELS)))
    start, end = sorted((start, end))  # fixes the order of additions, so that both directions give the same sum
    count, by_length, largest = totals(lanes.arcs, start, end, hops)
    sums = by_length.sum(axis=0)
    return PathSums(count, sums, largest.max(axis=0), noisy_or(lanes, start, end, hops, sums))


def best_routes(lanes: Lanes, head: str, tail: str, hops: int, limit: int) -> tuple[Route, ...]:
    """Return at most `limit` paths, the most probable first.

    Paths with the same probability (12 significant digits) are sorted by length, keys and lanes.
    """
    start, end = lanes.network.place(head), lanes.network.place(tail)
    if start is None or end is None or start == end or not limit:
        return ()
    _, walks = best_walks(lanes.arcs, start, end, [1.0] * hops, limit)
    routes = []
    for walk in walks:
        channel = int(lanes.arcs.mark[walk.arcs[0]])
        for arc in walk.arcs[1:]:
            channel = joined(channel, int(lanes.arcs.mark[arc]))
        keys = tuple(lanes.keys[node] for node in walk.nodes)
        routes.append(Route(keys, walk.score, channel, tuple(lanes.kind(arc) for arc in walk.arcs)))
    return tuple(routes)
