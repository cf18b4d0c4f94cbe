"""Simple paths between two concepts as probabilities: how many, their sums, the best of them.

A path is a sequence of concepts with one lane chosen at each step, so a pair with several signs makes several paths;
its probability is the product of its lanes' (paper B, 6.2). What the paths of each channel add up to is known without
walking them (`sums`, `noisy`), so a hub of degree 7,000 costs its arcs and not its paths.
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
class Pooled:
    """All paths between two concepts, by channel (`lanes`: negative, unsigned, positive, alike).

    Attributes:
        count: How many there are.
        sum: Of their probabilities; no probability itself.
        max: The likeliest path.
        noisy_or: The chance that at least one holds, if they were independent.
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
        probability: Product of its lanes' probabilities.
        channel: Of the path.
        kinds: The kind of link behind each lane.
    """

    keys: tuple[str, ...]
    probability: float
    channel: int
    kinds: tuple[str, ...]


def pooled(lanes: Lanes, head: str, tail: str, hops: int) -> Pooled:
    """All simple paths of 1 to `hops` (at most 4) hops between two concepts; none where they are one and the same."""
    start, end = lanes.network.place(head), lanes.network.place(tail)
    if start is None or end is None or start == end:
        return Pooled(0, *np.zeros((3, CHANNELS)))
    start, end = sorted((start, end))  # one order of adding up, whichever way round and however much lies around
    count, (sums, largest) = totals(lanes, start, end, hops)
    return Pooled(count, sums, largest, noisy_or(lanes, start, end, hops, sums))


def best_routes(lanes: Lanes, head: str, tail: str, hops: int, limit: int) -> tuple[Route, ...]:
    """The likeliest paths by probability (12 significant digits), length, keys and lanes."""
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
