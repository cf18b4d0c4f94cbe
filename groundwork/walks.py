"""Simple paths of at most four hops between two concepts: how many, and the best, without walking the rest.

With both ends kept out of the middle, a walk of at most three hops is simple, and one of four is unless its first and
third inner concepts are the same. So a look at the arcs of the ends' neighbours gives the exact count, and for each
concept the best product that can still be reached from it. A depth-first walk in the order of the concepts then
enters only what beats the worst path kept so far: of paths with the same score the earlier stands, so ties need no
walking. All of it costs by the arcs about the two ends, not by the paths between them.
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

#: Raised a little, so that no bound falls below the score of a path by the order of a multiplication.
_SLACK = 1.0 + 4e-15
_LONGEST = 4


@dataclass(frozen=True, slots=True)
class Walk:
    """A simple path.

    Attributes:
        score: Product of the weights in walking order, times the scale of its length; not rounded.
        nodes: The concepts from start to end.
        arcs: Where its arcs stand in `Arcs`.
    """

    score: float
    nodes: tuple[int, ...]
    arcs: tuple[int, ...]


def best_walks(arcs: Arcs, start: int, end: int, scales: Sequence[float], limit: int) -> tuple[int, list[Walk]]:
    """Count the simple paths between two concepts and give the best.

    Args:
        arcs: At least every arc on such a path.
        start: Where paths begin.
        end: Where they end; where it is the start there are none.
        scales: Factor of paths of 1, 2, ... hops; as many as the longest path may have, at most 4.
        limit: How many to give.

    Returns:
        The number of paths, parallel arcs counted apart; and the `limit` best by score (12 significant digits,
        falling), length, concepts, arcs (ascending).
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
    """Keep a path that beats the worst one kept; after those that are as good. Gives how many are kept."""
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
    """Every choice among the parallel arcs of a path's hops, in order."""
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
    """Whether a path with this bound could be among the best."""
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
    """Fill `scores`, `order` and `found` with the best paths; shorter ones are walked first."""
    nodes, low, high = np.zeros(4, dtype=np.int64), np.zeros(4, dtype=np.int64), np.zeros(4, dtype=np.int64)
    reached = np.ones(5)
    row = np.zeros(5, dtype=np.int64)  # where in the arcs of each concept on the way the walk is
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
            left = length - depth - 2  # which bound: over left + 1 hops
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
