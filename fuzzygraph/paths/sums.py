"""Sums and largest products over all simple paths of at most four hops, computed without walking the paths.

Inner concepts are always different from both ends. Then the only walk that revisits a concept is start-a-b-a-end. This
walk is left out: at each b, the contribution of a concept a is combined only with those of the concepts before a,

    sum over a != c of x_a y_c  =  sum over a, in turn, of x_a (y before a) + y_a (x before a).

Here x_a is the sum over start-a-b, y_a is the sum over b-a-end, and "y before a" is the sum of all y_c for concepts c
before a. So nothing is subtracted. No significant digits are lost near concepts with many links, and the sum is exactly
zero if there is no path. The cost is the number of arcs that leave the neighbours of the two ends. The largest product
is computed in the same way.
"""

import numpy as np

from fuzzygraph.paths import ring
from fuzzygraph.paths.ring import Four, larger, plus, times, times_best
from groundwork.arcs import Arcs, Signs
from groundwork.compiled import compiled
from groundwork.network import Floats, Ints, Marks

#: Number of columns of the notes, an array with one row per concept. Groups of four columns, one column per channel,
#: hold the lane to the start, the lane to the end and, for a middle concept b, the sum over the two-hop paths from the
#: start, the sum over those to the end, and the largest product of each. Single columns hold the number of lanes to the
#: start, that of lanes to the end and, for b, the number of two-hop paths from the start and of those to the end.
_NOTES = 28


def totals(arcs: Arcs, start: int, end: int, hops: int) -> tuple[int, Floats, Floats]:
    """Return the totals over all simple paths between two concepts.

    Returns:
        The number of paths; their sums and their largest products, by length (4 rows, for 1 to 4 hops) and channel.
    """
    found = np.zeros((8, 4))
    if start == end:
        return 0, found[:4], found[4:]
    steps = arcs.steps(start, end)
    with arcs.notes(_NOTES, 0.0) as notes:
        columns = arcs.first, arcs.target, arcs.mark, arcs.weight
        count = int(_totals.over(steps)(*columns, start, end, hops, notes, found))
    return count, found[:4], found[4:]


def _gather(target: Marks, mark: Signs, weight: Floats, at: int, stop: int) -> tuple[Four, int]:
    """Return the weights by channel of all lanes to the same concept as lane `at`, and the index after these lanes."""
    m = u = p = s = 0.0
    node = target[at]
    while at < stop and target[at] == node:
        if mark[at] == 0:
            m = weight[at]
        elif mark[at] == 1:
            u = weight[at]
        elif mark[at] == 2:
            p = weight[at]
        else:
            s = weight[at]
        at += 1
    return (m, u, p, s), at


def _read(notes: Floats, node: int, column: int) -> Four:
    return notes[node, column], notes[node, column + 1], notes[node, column + 2], notes[node, column + 3]


def _write(notes: Floats, node: int, column: int, x: Four) -> None:
    notes[node, column] = x[0]
    notes[node, column + 1] = x[1]
    notes[node, column + 2] = x[2]
    notes[node, column + 3] = x[3]


def _ends(
    first: Ints, target: Marks, mark: Signs, weight: Floats, start: int, end: int, notes: Floats
) -> tuple[Four, int]:
    """Write the lanes of both ends into the notes of the ends' neighbours. Return the lanes between the ends."""
    direct, ways = (0.0, 0.0, 0.0, 0.0), 0
    for side in range(2):
        centre, other = (start, end) if side == 0 else (end, start)
        at = first[centre]
        while at < first[centre + 1]:
            node = target[at]
            lane, upto = _gather(target, mark, weight, at, first[centre + 1])
            if node == other:
                direct, ways = lane, upto - at
            else:
                _write(notes, node, 4 * side, lane)
                notes[node, 24 + side] = upto - at
            at = upto
    return direct, ways


def _meet(
    first: Ints, target: Marks, mark: Signs, weight: Floats, i: int, start: int, end: int, notes: Floats
) -> tuple[Four, Four, int]:
    """Return the totals of the four-hop paths through i, a middle concept b and a concept that was handled before i.

    Then add the two-hop paths between an end and each b through i to the notes of b.
    """
    total = best = (0.0, 0.0, 0.0, 0.0)
    ways = 0
    leaving, arriving = _read(notes, i, 0), _read(notes, i, 4)
    outs, ins = int(notes[i, 24]), int(notes[i, 25])
    at = first[i]
    while at < first[i + 1]:
        b, before = target[at], at
        lane, at = _gather(target, mark, weight, at, first[i + 1])
        if b in (start, end):
            continue
        n = at - before
        x, y = times(leaving, lane), times(lane, arriving)
        there, back = _read(notes, b, 8), _read(notes, b, 12)
        total = plus(total, plus(times(x, back), times(there, y)))
        likely, likelier = times_best(leaving, lane), times_best(lane, arriving)
        best_there, best_back = _read(notes, b, 16), _read(notes, b, 20)
        best = larger(best, larger(times_best(likely, best_back), times_best(best_there, likelier)))
        ways += n * (outs * int(notes[b, 27]) + ins * int(notes[b, 26]))
        _write(notes, b, 8, plus(there, x))
        _write(notes, b, 12, plus(back, y))
        _write(notes, b, 16, larger(best_there, likely))
        _write(notes, b, 20, larger(best_back, likelier))
        notes[b, 26] += n * outs
        notes[b, 27] += n * ins
    return total, best, ways


def _through(
    first: Ints, target: Marks, mark: Signs, weight: Floats, i: int, start: int, hops: int, notes: Floats
) -> tuple[Four, Four, Four, int]:
    """Return the totals of the paths from i to the end.

    Returns:
        The lane to the end, which is the sum and the largest product over one hop; both over two hops; the number of
        all these paths.
    """
    near, ways, at = _read(notes, i, 4), int(notes[i, 25]), first[i]
    far = best = (0.0, 0.0, 0.0, 0.0)
    while hops >= 3 and at < first[i + 1]:
        j, before = target[at], at
        if notes[j, 25] == 0 or j == start:
            at += 1
            continue
        lane, at = _gather(target, mark, weight, at, first[i + 1])
        onward = _read(notes, j, 4)
        far, best = plus(far, times(lane, onward)), larger(best, times_best(lane, onward))
        ways += (at - before) * int(notes[j, 25])
    return near, far, best, ways


def _blank(first: Ints, target: Marks, start: int, end: int, hops: int, notes: Floats) -> None:
    """Reset to 0 all notes that a search has changed."""
    for side in range(2):
        centre = start if side == 0 else end
        for at in range(first[centre], first[centre + 1]):
            i = target[at]
            notes[i, :] = 0.0
            for to in range(first[i], first[i + 1] if hops >= 4 else first[i]):
                notes[target[to], 8:] = 0.0


@compiled(*ring.PARTS, _gather, _read, _write, _ends, _meet, _through, _blank)
def _totals(
    first: Ints,
    target: Marks,
    mark: Signs,
    weight: Floats,
    start: int,
    end: int,
    hops: int,
    notes: Floats,
    found: Floats,
) -> int:
    """Return the number of all paths.

    Rows 0 to 3 of `found` receive the sums over the paths of one to four hops by channel, rows 4 to 7 the largest
    products.
    """
    direct, ways = _ends(first, target, mark, weight, start, end, notes)
    two = three = four = best_two = best_three = best_four = (0.0, 0.0, 0.0, 0.0)
    for side in range(2):
        centre = start if side == 0 else end
        for at in range(first[centre], first[centre + 1]):
            i = target[at]
            if i in (start, end) or (at > first[centre] and target[at - 1] == i):
                continue
            if side == 0 and hops >= 2:
                near, far, most, n = _through(first, target, mark, weight, i, start, hops, notes)
                leaving = _read(notes, i, 0)
                two, three = plus(two, times(leaving, near)), plus(three, times(leaving, far))
                best_two = larger(best_two, times_best(leaving, near))
                best_three = larger(best_three, times_best(leaving, most))
                ways += int(notes[i, 24]) * n
            if hops >= 4 and (side == 0 or notes[i, 24] == 0):
                more, most, n = _meet(first, target, mark, weight, i, start, end, notes)
                four, best_four, ways = plus(four, more), larger(best_four, most), ways + n
    _blank(first, target, start, end, hops, notes)
    for channel in range(4):
        found[0, channel], found[1, channel] = direct[channel], two[channel]
        found[2, channel], found[3, channel] = three[channel], four[channel]
        found[4, channel], found[5, channel] = direct[channel], best_two[channel]
        found[6, channel], found[7, channel] = best_three[channel], best_four[channel]
    return ways
