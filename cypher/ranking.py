"""Simple paths between two concepts: their exact number, and the best paths, without enumerating all of them.

A simple path visits no concept twice. If head and tail are excluded from the middle, a walk of at most three links is
always simple. A walk of four links is simple unless its first and third inner concepts are equal. So the number of
paths is computed with a few sparse products and one correction. For the same reason, the best score that a path with a
given prefix (its first concepts) can reach is known exactly. A search that always extends the prefix with the best
(score, length, keys) finds the paths in their final order and stops after `limit` paths.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from heapq import heappop, heappush
from itertools import pairwise, product
from operator import mul

import numpy as np

from cypher.network import Floats, Ints, Network

#: Factor slightly above 1. A bound multiplies in another order than a score, so it is rounded differently. This factor
#: keeps the bound from falling below the score.
_SLACK = 1.0 + 2e-15
_NONE = -1.0  # the bound if no path continues

#: A prefix or a complete path in the queue: -bound, length of the path, concepts so far, kinds (if complete), product.
_Entry = tuple[float, int, tuple[int, ...], tuple[int, ...], float]


@dataclass(frozen=True, slots=True)
class Path:
    """A simple path: its score (12 significant digits), its concepts, and the kind of link of each hop."""

    score: float
    keys: tuple[str, ...]
    kinds: tuple[str, ...]


def rounded(score: float) -> float:
    """Return a score rounded to 12 significant digits. Scores are rounded before they are compared and shown."""
    return float(f"{score:.12g}")


def best_paths(
    network: Network, weights: Floats, head: str, tail: str, scales: Sequence[float], limit: int
) -> tuple[int, list[Path]]:
    """Return the number of simple paths, and the best ones.

    Args:
        network: Contains every link on a walk of at most len(scales) links between the two concepts.
        weights: Weight of each link, in [0, 1]. The score of a path is the product of the weights of its links, in
            walking order, times the scale for its length.
        head: Key of the start.
        tail: Key of the end; not equal to head.
        scales: The factor for paths of 1 link, the factor for paths of 2 links, and so on; at most 4. The number of
            factors is the maximum length of a path.
        limit: Maximum number of paths to return.

    Returns:
        The number of simple paths, where parallel links make separate paths; and the best `limit` paths, ordered by
        score (descending), length, keys and kinds (ascending).
    """
    walker = _Walker(network, weights, network.number(head), network.number(tail))
    total = sum(walker.count(length) for length in range(1, len(scales) + 1))
    best = walker.search(scales) if limit and total else iter(())
    return total, [path for path, _ in zip(best, range(limit), strict=False)]


class _Walker:
    """The links as arcs in both directions. Parallel links are one arc, with their number and their largest weight.

    The object also holds, for each inner concept (neither head nor tail), the largest products of weights on the
    way to the tail.
    """

    def __init__(self, network: Network, weights: Floats, head: int, tail: int) -> None:
        self.network, self.head, self.tail = network, head, tail
        self.size = len(network.keys)
        ends = np.concatenate([network.a * self.size + network.b, network.b * self.size + network.a])
        self.order = np.argsort(ends, kind="stable")
        arcs, self.first, parallel = np.unique(ends[self.order], return_index=True, return_counts=True)
        self.weights, self.kinds = np.tile(weights, 2)[self.order], np.tile(network.kind, 2)[self.order]
        self.source, self.target = arcs // max(self.size, 1), arcs % max(self.size, 1)
        self.parallel = parallel.astype(np.int64)
        self.best = np.maximum.reduceat(self.weights, self.first) if arcs.size else np.empty(0)
        self.row = np.searchsorted(self.source, np.arange(self.size + 1))
        ends_of_path = np.array([head, tail])
        inner = ~(np.isin(self.source, ends_of_path) | np.isin(self.target, ends_of_path))
        self.inner = np.flatnonzero(inner)
        self._remaining()

    # -- counting

    def count(self, length: int) -> int:
        """Return the number of simple paths with this many links."""
        if length == 1:
            return int(self.parallel[self._arc(self.head, self.tail)].sum())
        start, end = self._spread(self.head), self._spread(self.tail)
        u, v, m = self.source[self.inner], self.target[self.inner], self.parallel[self.inner]
        walks = end
        for _ in range(length - 2):
            onward = np.zeros(self.size, dtype=np.int64)
            np.add.at(onward, u, m * walks[v])
            walks = onward
        returning = int((start[u] * end[u] * m * m).sum()) if length == 4 else 0
        return int((start * walks).sum()) - returning

    def _spread(self, node: int) -> Ints:
        """Return the number of links between a concept and each inner concept (neither head nor tail)."""
        ways = np.zeros(self.size, dtype=np.int64)
        row = slice(self.row[node], self.row[node + 1])
        ways[self.target[row]] = self.parallel[row]
        ways[[self.head, self.tail]] = 0
        return ways

    # -- bounds

    def _remaining(self) -> None:
        """Compute the largest product of weights from each inner concept to the tail over 1, 2 and 3 links.

        Walks over 3 links that return to the inner concept where they begin are left out.
        """
        u, v, w = self.source[self.inner], self.target[self.inner], self.best[self.inner]
        self.one = np.full(self.size, _NONE)
        row = slice(self.row[self.tail], self.row[self.tail + 1])
        self.one[self.target[row]] = self.best[row]
        self.one[[self.head, self.tail]] = _NONE
        onward = _times(w, self.one[v])
        self.two = _largest(onward, u, self.size)
        # For each concept: the neighbour whose product is best, and the best product without this neighbour. A path
        # that has already passed the neighbour uses the second product.
        self.via = np.full(self.size, -1, dtype=np.int64)
        hit = onward == self.two[u]
        self.via[u[hit]] = v[hit]
        self.second = _largest(np.where(v == self.via[u], _NONE, onward), u, self.size)
        self.three = _largest(_times(w, self._two_without(v, u)), u, self.size)

    def _two_without(self, node: Ints, other: Ints) -> Floats:
        """Return the largest product of weights over 2 links from each concept in `node` to the tail.

        The walk must not pass the concept at the same position in `other`.
        """
        return np.where(self.via[node] == other, self.second[node], self.two[node])

    # -- search

    def search(self, scales: Sequence[float]) -> Iterator[Path]:
        """Yield paths, best first. The queue orders prefixes and paths by (bound, length, concepts, kinds)."""
        queue: list[tuple[_Entry, Iterator[_Entry]]] = []
        for length, scale in enumerate(scales, 1):
            _push(queue, self._children((self.head,), 1.0, length, scale))
        while queue:
            (bound, length, nodes, kinds, raw), siblings = heappop(queue)
            _push(queue, siblings)
            if kinds:
                keys, names = self.network.keys, self.network.kinds
                yield Path(-bound, tuple(keys[n] for n in nodes), tuple(names[k] for k in kinds))
            elif len(nodes) == length + 1:
                _push(queue, iter(sorted(self._choices(nodes, scales[length - 1]))))
            else:
                _push(queue, self._children(nodes, raw, length, scales[length - 1]))

    def _children(self, nodes: tuple[int, ...], raw: float, length: int, scale: float) -> Iterator[_Entry]:
        """Yield the prefixes that extend `nodes` by one concept, best first."""
        last, left = nodes[-1], length - len(nodes)
        row = np.arange(self.row[last], self.row[last + 1]) if left else self._arc(last, self.tail)
        target, products = self.target[row], raw * self.best[row]
        if left == 3:
            rest = self.three[target]
        elif left == 2:
            rest = self._two_without(target, np.full(len(target), last)) if length == 4 else self.two[target]
        else:
            rest = self.one[target] if left else np.ones(len(target))
        open_ = (rest >= 0.0) & ~np.isin(target, np.array(nodes))
        target, products, rest = target[open_], products[open_], rest[open_]
        bounds = _rounded_all(products * rest * scale)
        for i in np.lexsort((target, -bounds)).tolist():
            yield -float(bounds[i]), length, (*nodes, int(target[i])), (), float(products[i])

    def _choices(self, nodes: tuple[int, ...], scale: float) -> Iterator[_Entry]:
        """Yield the paths through these concepts, one for each choice among parallel links."""
        hops = []
        for one, other in pairwise(nodes):
            arc = int(self._arc(one, other)[0])
            links = slice(self.first[arc], self.first[arc] + self.parallel[arc])
            hops.append(list(zip(self.kinds[links].tolist(), self.weights[links].tolist(), strict=True)))
        for choice in product(*hops):
            score = rounded(reduce(mul, (weight for _, weight in choice), 1.0) * scale)
            yield -score, len(nodes) - 1, nodes, tuple(kind for kind, _ in choice), score

    def _arc(self, one: int, other: int) -> Ints:
        """Return the position of the arc between two concepts, as an array of one or no element."""
        low, high = int(self.row[one]), int(self.row[one + 1])
        return np.flatnonzero(self.target[low:high] == other).astype(np.int64) + low


def _push(queue: list[tuple[_Entry, Iterator[_Entry]]], siblings: Iterator[_Entry]) -> None:
    """Put the first entry of an iterator into the queue, together with the iterator for the entries after it."""
    for entry in siblings:
        heappush(queue, (entry, siblings))
        return


def _times(weights: Floats, rest: Floats) -> Floats:
    return np.where(rest < 0.0, _NONE, weights * rest)


def _largest(values: Floats, groups: Ints, size: int) -> Floats:
    largest = np.full(size, _NONE)
    np.maximum.at(largest, groups, values)
    return largest


def _rounded_all(bounds: Floats) -> Floats:
    distinct, where = np.unique(bounds, return_inverse=True)
    return np.array([rounded(bound * _SLACK) for bound in distinct.tolist()], dtype=np.float64)[where]
