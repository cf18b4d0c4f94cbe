"""Count the simple paths of at most four hops between two concepts. Find the best ones without enumerating all.

A graph is stored for fast traversal as `Arcs`. An arc is one direction of a link; the arcs that leave a concept are
adjacent. First the surroundings of the two concepts are explored: the simple paths between them are counted, and the
largest products are found. The code is written in the subset of Python that numba compiles. `start` and `end` are the
two concepts. The array `notes` has a row of five numbers per concept, about the walks from this concept to `end`. The
first three numbers are the largest products of the weights of the arcs of a walk, for walks of 1, 2 and 3 hops. The
last two are the numbers of walks of 1 and 2 hops, minus 1. A number is -1 if there is no such walk.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from groundwork.compiled import ROUNDING, compiled, twelve
from groundwork.network import Bools, Floats, Ints, Marks, Wiring

Signs = np.ndarray[Any, np.dtype[np.int8]]


@dataclass(frozen=True, slots=True)
class Arcs:
    """Arcs between numbered concepts, in both directions. Arcs between the same concepts can differ by their `mark`.

    Attributes:
        first: Shape (concepts + 1): index of the first arc of each concept; the last entry is the number of all arcs.
            The arcs of one concept are sorted by target, then by mark.
        target: Per arc, the number of the concept that the arc leads to.
        mark: Per arc, a small number, such as the kind of the link.
        weight: Per arc, a number in [0, 1], which is the same in both directions.
        link: Per arc, the index of the link that the arc belongs to.
    """

    first: Ints
    target: Marks
    mark: Signs
    weight: Floats
    link: Marks
    _spare: dict[tuple[int, float], list[Floats]] = field(
        default_factory=lambda: defaultdict(list), compare=False, repr=False
    )

    @classmethod
    def of(cls, wiring: Wiring, chosen: Bools, mark: Signs, weight: Floats) -> "Arcs":
        """Build the arcs of some of the links.

        Args:
            wiring: All links as arcs.
            chosen: One boolean per link: True for the links to include.
            mark: One small number per link, such as its kind. Links between the same two concepts must be in ascending
                order of this number.
            weight: One weight per link, in [0, 1].
        """
        first, target, link = wiring.first, wiring.target, wiring.link
        if not chosen.all():
            kept = chosen[link]
            target, link = target[kept], link[kept]
            before = np.zeros(len(kept) + 1, dtype=np.int64)
            np.cumsum(kept, out=before[1:])
            first = before[first]
        return cls(first, np.ascontiguousarray(target), mark[link], weight[link], link)

    @property
    def size(self) -> int:
        """Number of concepts."""
        return len(self.first) - 1

    def steps(self, *nodes: int) -> int:
        """Return the cost of a search between concepts: the total number of their arcs and their neighbours' arcs."""
        rows = [self.target[self.first[node] : self.first[node + 1]] for node in nodes]
        return int(sum((self.first[row + 1] - self.first[row]).sum() + len(row) for row in rows))

    @contextmanager
    def notes(self, columns: int, blank: float) -> Iterator[Floats]:
        """Yield an array for the intermediate results of a search, with one row per concept, filled with `blank`.

        Before the block ends, the caller must reset every changed value to `blank`, because the next search gets the
        same array. Filling hundreds of thousands of rows anew would take most of a search's time. If a search raises an
        error, its array is not used again.
        """
        spare = self._spare[columns, blank]
        try:  # `if spare` is not enough: another thread may take the last array
            notes = spare.pop()
        except IndexError:
            notes = np.full((self.size, columns), blank)
        yield notes
        spare.append(notes)


#: Number of columns of `notes`, and the value for "nothing noted".
COLUMNS, NOTHING = 5, -1.0


def parallel(target: Marks, at: int, stop: int) -> int:
    """Return the index after the last arc before `stop` that leads to the same concept as the arc `at`."""
    upto = at + 1
    while upto < stop and target[upto] == target[at]:
        upto += 1
    return upto


def locate(first: Ints, target: Marks, source: int, node: int) -> int:
    """Return the index of the first arc from source to node, or -1 if there is none."""
    low, high = first[source], first[source + 1]
    while low < high:
        middle = (low + high) // 2
        if target[middle] < node:
            low = middle + 1
        else:
            high = middle
    return low if low < first[source + 1] and target[low] == node else -1


def _around(first: Ints, target: Marks, node: int) -> int:
    """Return the number of arcs that leave the neighbours of a concept.

    A neighbour to which several parallel arcs lead is counted once for each of them.
    """
    arcs = 0
    for at in range(first[node], first[node + 1]):
        arcs += first[target[at] + 1] - first[target[at]]
    return arcs


def _from_end(first: Ints, start: int, end: int, hops: int, target: Marks) -> bool:
    """Return the side from which `_note` explores the two-hop walks to `end`: True for `end`, False for `start`.

    `hops` is the maximum length of the paths that are counted. If it is 4, the walks are always explored from `end`; if
    it is 3, only if that is not more expensive. If it is smaller, `_note` does not explore them.
    """
    return hops == 4 or (hops == 3 and _around(first, target, start) >= _around(first, target, end))


def _note(first: Ints, target: Marks, weight: Floats, start: int, end: int, hops: int, notes: Floats) -> None:
    """Write the largest products and numbers of walks to `end` into `notes`, for 1 hop and, if `hops` >= 3, for 2."""
    for at in range(first[end], first[end + 1]):
        j = target[at]
        notes[j, 3] += 1.0
        notes[j, 0] = max(notes[j, 0], weight[at])
    notes[start, 0] = notes[start, 3] = -1.0
    outwards = _from_end(first, start, end, hops, target)
    centre, other = (end, start) if outwards else (start, end)
    at = first[centre]
    while hops >= 3 and at < first[centre + 1]:
        j = target[at]
        at = parallel(target, at, first[centre + 1])
        for to in range(first[j], first[j + 1] if j != other else first[j]):
            b = target[to]
            one, two = (j, b) if outwards else (b, j)
            if b not in (start, end) and notes[one, 0] >= 0.0:
                notes[two, 4] += notes[one, 3] + 1.0
                notes[two, 1] = max(notes[two, 1], weight[to] * notes[one, 0])


def _count_three_hops(first: Ints, target: Marks, weight: Floats, i: int, start: int, end: int, notes: Floats) -> int:
    """Return the number of walks of three hops from i to `end` that neither return to i nor visit `start`.

    Write the largest product of weights over walks of three hops into `notes`. For the product, walks may return to i.
    """
    total, to = 0, first[i]
    while to < first[i + 1]:
        upto = parallel(target, to, first[i + 1])
        b, ways = target[to], upto - to
        onward = int(notes[b, 4]) + 1 - ways * (int(notes[i, 3]) + 1)
        if b not in (start, end) and onward > 0:
            total += ways * onward
            for arc in range(to, upto):
                notes[i, 2] = max(notes[i, 2], weight[arc] * notes[b, 1])
        to = upto
    return total


@compiled(parallel, locate, _around, _from_end, _note, _count_three_hops)
def survey(first: Ints, target: Marks, weight: Floats, start: int, end: int, hops: int, notes: Floats) -> int:
    """Return the number of all simple paths of at most `hops` hops from `start` to `end`.

    For each concept, the largest products of weights over the walks from it to `end`, and the numbers of these walks,
    are written into its row of `notes` (the module docstring lists the columns). Whole numbers below 2^53 are exact
    there.
    """
    total = 0
    at = locate(first, target, start, end)
    if at >= 0:
        total += parallel(target, at, first[start + 1]) - at
    _note(first, target, weight, start, end, hops, notes)
    at = first[start]
    while at < first[start + 1]:
        i, upto = target[at], parallel(target, at, first[start + 1])
        if i != end:
            onward = int(notes[i, 3]) + 1 if hops >= 2 else 0
            onward += int(notes[i, 4]) + 1 if hops >= 3 else 0
            onward += _count_three_hops(first, target, weight, i, start, end, notes) if hops >= 4 else 0
            total += (upto - at) * onward
        at = upto
    return total


@compiled(parallel, _around, _from_end)
def clear(first: Ints, target: Marks, start: int, end: int, hops: int, notes: Floats) -> None:
    """Reset to -1 all values in `notes` that `survey` may have changed."""
    wide = _from_end(first, start, end, hops, target)
    for centre in (start, end):
        at = first[centre]
        while at < first[centre + 1]:
            j = target[at]
            at = parallel(target, at, first[centre + 1])
            notes[j, :] = -1.0
            for to in range(first[j], first[j + 1] if wide and centre == end else first[j]):
                notes[target[to], :] = -1.0
    notes[start, :] = -1.0


#: Factor slightly above 1 for upper bounds. Bounds and scores multiply the weights in different orders, so without this
#: factor, rounding could put a bound below the score of a path.
_SLACK = 1.0 + 4e-15
_LONGEST = 4


@dataclass(frozen=True, slots=True)
class Walk:
    """A simple path.

    Attributes:
        score: Product of the weights in walking order, times the factor of its length; not rounded.
        nodes: The concepts from start to end.
        arcs: Indexes of its arcs in `Arcs`.
    """

    score: float
    nodes: tuple[int, ...]
    arcs: tuple[int, ...]


def best_walks(arcs: Arcs, start: int, end: int, scales: Sequence[float], limit: int) -> tuple[int, list[Walk]]:
    """Count the simple paths between two concepts, and return the best ones.

    Args:
        arcs: The arcs of a graph, or of a part that contains all paths between the two concepts.
        start: Number of the concept where paths begin.
        end: Number of the concept where they end; if it equals start, there are no paths.
        scales: Factors of the scores: the first for paths of 1 hop, the second for paths of 2 hops, and so on. The
            number of factors, at most 4, is the maximum number of hops.
        limit: Maximum number of paths to return.

    Returns:
        The number of paths, and the best ones, at most `limit`. Parallel arcs make separate paths. Paths are ordered by
        descending score (12 significant digits), then by ascending length, concepts and arcs.
    """
    if start == end:
        return 0, []
    hops, steps = len(scales), arcs.steps(start, end)
    columns = arcs.first, arcs.target, arcs.weight
    with arcs.notes(COLUMNS, NOTHING) as notes:
        total = int(survey.over(steps)(*columns, start, end, hops, notes))
        most = min(limit, total)
        scores, order = np.empty(most), np.arange(most, dtype=np.int64)
        found = np.full((most, 2 * _LONGEST), -1, dtype=np.int64)
        if most:
            _search.over(steps)(*columns, start, end, np.array(scales, dtype=np.float64), notes, scores, order, found)
        clear.over(steps)(arcs.first, arcs.target, start, end, hops, notes)
    walks = []
    for rank in order.tolist():
        row = found[rank].tolist()
        passed = [node for node in row[:_LONGEST] if node >= 0]
        taken = row[_LONGEST : _LONGEST + len(passed) + 1]
        walks.append(Walk(float(scores[rank]), (start, *passed, end), tuple(taken)))
    return total, walks


def _insert(
    score: float, length: int, nodes: Ints, chosen: Ints, taken: int, scores: Floats, order: Ints, found: Ints
) -> int:
    """Insert a path into the list of best paths, behind paths with the same score.

    If the list is full, the path replaces the worst one, or is left out if it is not better.
    """
    rounded = twelve(score)
    if taken == len(order) and rounded <= twelve(scores[order[taken - 1]]):
        return taken
    slot = taken if taken < len(order) else order[taken - 1]
    place = min(taken, len(order) - 1)
    while place > 0 and twelve(scores[order[place - 1]]) < rounded:
        order[place] = order[place - 1]
        place -= 1
    order[place] = slot
    scores[slot] = score
    for hop in range(4):
        found[slot, hop] = nodes[hop] if hop < length - 1 else -1
        found[slot, 4 + hop] = chosen[hop] if hop < length else -1
    return min(taken + 1, len(order))


def _choices(
    weight: Floats,
    length: int,
    scale: float,
    nodes: Ints,
    low: Ints,
    high: Ints,
    taken: int,
    scores: Floats,
    order: Ints,
    found: Ints,
) -> int:
    """Insert the paths through some concepts, one per choice of parallel arcs; return the number of paths kept."""
    chosen = low.copy()
    while True:
        score = 1.0
        for hop in range(length):
            score *= weight[chosen[hop]]
        taken = _insert(score * scale, length, nodes, chosen, taken, scores, order, found)
        hop = length - 1
        while hop >= 0:
            chosen[hop] += 1
            if chosen[hop] < high[hop]:
                break
            chosen[hop] = low[hop]
            hop -= 1
        if hop < 0:
            return taken


def _beats(bound: float, taken: int, scores: Floats, order: Ints) -> bool:
    """Return whether a path whose score is at most `bound` could be one of the best paths."""
    if taken < len(order):
        return True
    worst = twelve(scores[order[taken - 1]])
    return bound * _SLACK > worst and twelve(min(1.0, bound * _SLACK)) > worst


@compiled(parallel, locate, _insert, _choices, _beats, *ROUNDING)
def _search(
    first: Ints,
    target: Marks,
    weight: Floats,
    start: int,
    end: int,
    scales: Floats,
    notes: Floats,
    scores: Floats,
    order: Ints,
    found: Ints,
) -> int:
    """Fill `scores`, `order` and `found` with the best paths, searching shorter paths first."""
    nodes, low, high = np.zeros(4, dtype=np.int64), np.zeros(4, dtype=np.int64), np.zeros(4, dtype=np.int64)
    reached = np.ones(5)
    row = np.zeros(5, dtype=np.int64)  # for each concept on the way, the arc that the search has reached
    taken = 0
    for length in range(1, len(scales) + 1):
        scale = scales[length - 1]
        depth, row[0] = 0, first[start]
        while depth >= 0:
            here = start if depth == 0 else nodes[depth - 1]
            if depth == length - 1:
                at = locate(first, target, here, end)
                if at >= 0:
                    low[depth], high[depth] = at, parallel(target, at, first[here + 1])
                    taken = _choices(weight, length, scale, nodes, low, high, taken, scores, order, found)
                depth -= 1
                continue
            at = row[depth]
            if at >= first[here + 1]:
                depth -= 1
                continue
            upto = parallel(target, at, first[here + 1])
            row[depth] = upto
            node = target[at]
            left = length - depth - 2  # column of `notes` with the bound over left + 1 hops
            rest = notes[node, left]
            if node in (start, end) or rest < 0.0 or (depth == 2 and node == nodes[0]):
                continue
            largest = 0.0
            for arc in range(at, upto):
                largest = max(largest, weight[arc])
            if not _beats(reached[depth] * largest * rest * scale, taken, scores, order):
                continue
            nodes[depth], low[depth], high[depth] = node, at, upto
            reached[depth + 1] = reached[depth] * largest
            depth += 1
            row[depth] = first[node]
    return taken
