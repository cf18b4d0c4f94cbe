"""Count the simple paths of at most four hops between two concepts. Find the best ones without enumerating all paths.

If no inner concept of a walk is one of the two ends, a walk of at most three hops is simple, and a walk of four hops is
simple unless its first and third inner concepts are equal. Therefore the arcs of the ends' neighbours are enough to
compute the exact count and, for each concept, the largest product of arc weights over the walks from this concept to
the end. A depth-first search in the order of the concepts then enters only branches that can beat the worst path kept
so far. If scores are equal, the earlier path is kept, so a branch that can only reach an equal score is left out. The
cost depends on the arcs near the two ends, not on the number of paths.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from groundwork import digits
from groundwork.arcs import Arcs
from groundwork.compiled import compiled
from groundwork.digits import twelve
from groundwork.network import Floats, Ints, Marks
from groundwork.survey import COLUMNS, NOTHING, clear, locate, parallel, survey

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

    Returns:
        The number of paths in the list.
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


@compiled(parallel, locate, _insert, _choices, _beats, *digits.PARTS)
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
