"""Simple paths between two concepts: their number, the aggregates of their probabilities, and the best paths.

A path is a sequence of concepts with one lane (a chosen edge, see `lanes`) between each two neighbours. Two neighbours
with lanes of several signs give several paths. The probability of a path is the product of the probabilities of its
lanes (paper B, 6.2). The aggregates by channel are computed without listing the paths. So the time for a hub of degree
7,000 depends on the number of its arcs, not on the number of its paths.

**Arithmetic.** A sum over a set of paths is four numbers, one for each channel. `times` joins the paths of two sets end
to end, and `plus` unites two sets. `times_best` and `larger` do the same for the largest product of probabilities
instead of the sum of the products. Nothing is ever subtracted, so no significant digits are lost, and a result that
should be 0 is exactly 0. The code uses only the part of Python that numba compiles.

**Sums and largest products** over all paths of at most four hops. Inner concepts are always different from both ends.
Then the only walk that revisits a concept is start-a-b-a-end. This walk is left out: at each b, the contribution of a
concept a is combined only with those of the concepts before a,

    sum over a != c of x_a y_c  =  sum over a, in turn, of x_a (y before a) + y_a (x before a).

Here x_a is the sum over start-a-b, y_a is the sum over b-a-end, and "y before a" is the sum of all y_c for concepts c
before a. So nothing is subtracted, and the sum is exactly zero if there is no path. The cost is the number of arcs that
leave the neighbours of the two ends. The largest product is computed in the same way.

**Noisy-or**: the probability that at least one path holds, if paths were independent, 1 - prod(1 - p). This product has
no closed form, but two cases are known in advance. If the sum of the probabilities of a channel's paths reaches `SURE`,
the product is below half a unit of the last place and the result is 1.0. If there is no path, the result is 0.0. Paths
are walked only for the other channels. These channels have few paths, or many paths with tiny probabilities: because
the sum is below `SURE`, fewer than 24,000 paths can have a probability of 0.2^4 or more. Paths of four hops are joined
from two halves, so the cost depends on the number of paths found and on the number of arcs around both ends.
"""

from dataclasses import dataclass

import numpy as np

from fuzzygraph.lanes import CHANNELS, Lanes
from groundwork.compiled import compiled
from groundwork.network import Bools, Floats, Ints, Marks
from groundwork.walks import Arcs, Signs, best_walks

#: One value for each channel: negative, unsigned, positive, positive by similarity alone.
Four = tuple[float, float, float, float]


def times(x: Four, y: Four) -> Four:
    """Return the sums over all paths that consist of a path from one set and a path from another set.

    x and y are the sums over the two sets. Two negative paths give a positive path, and an unsigned path with any other
    gives an unsigned path.
    """
    m, u, p, s = x
    n, v, q, t = y
    return m * (q + t) + (p + s) * n, u * (n + v + q + t) + (m + p + s) * v, p * (q + t) + s * q + m * n, s * t


def plus(x: Four, y: Four) -> Four:
    """Return the sums over two sets of paths together, given the sums x and y over each set."""
    return x[0] + y[0], x[1] + y[1], x[2] + y[2], x[3] + y[3]


def times_best(x: Four, y: Four) -> Four:
    """Return the largest product over the paths of `times`, given the largest products x and y of the two sets."""
    m, u, p, s = x
    n, v, q, t = y
    return (
        max(m * max(q, t), max(p, s) * n),
        max(u * max(n, v, q, t), max(m, p, s) * v),
        max(p * max(q, t), s * q, m * n),
        s * t,
    )


def larger(x: Four, y: Four) -> Four:
    """Return the larger of the two values of each channel."""
    return max(x[0], y[0]), max(x[1], y[1]), max(x[2], y[2]), max(x[3], y[3])


def joined(x: int, y: int) -> int:
    """Return the channel of a path from the channels of the two parts of the path."""
    if x == 1 or y == 1:
        return 1
    if x == 0 or y == 0:
        return 2 if x == y else 0
    return 3 if x == 3 and y == 3 else 2


PARTS = (times, plus, times_best, larger, joined)


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
    """Return the totals of the paths from i to the end."""
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


@compiled(*PARTS, _gather, _read, _write, _ends, _meet, _through, _blank)
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


#: From this sum on, 1 - prod(1 - p) >= 1 - e^-38, which is 1.0 as a double.
SURE = 38.0


def noisy_or(lanes: Lanes, start: int, end: int, hops: int, sums: Floats) -> Floats:
    """Return for each channel the probability that at least one path between two concepts holds.

    Args:
        lanes: The lanes that paths use.
        start: Position of one concept in `lanes.keys`.
        end: Position of the other concept, different from `start`.
        hops: Maximum length of a path, 1 to 4.
        sums: For each channel, the sum of the probabilities of the same paths.
    """
    arcs = lanes.arcs
    found: Floats = np.where(sums >= SURE, 1.0, 0.0)
    wanted: Bools = (sums > 0.0) & (sums < SURE)
    if wanted.any():
        steps = arcs.steps(start, end)
        columns = arcs.first, arcs.target, arcs.mark, arcs.weight
        with arcs.notes(2, 0.0) as notes:
            _add_walks.over(steps)(*columns, start, end, min(hops, 3), notes, wanted, found)
            if hops == 4:
                halves = arcs.steps(end)
                room = np.zeros(4 * halves + 1, np.int64), np.empty(halves, np.int32), np.empty(halves)
                _meet_halves.over(steps)(*columns, start, end, notes, wanted, found, *room)
    return found


def _add(found: Floats, wanted: Bools, channel: int, probability: float) -> None:
    """Add a path to the result of its channel. All terms are positive, so small numbers lose no significant digits."""
    if wanted[channel]:
        found[channel] += probability * (1.0 - found[channel])


@compiled(_add, joined)
def _add_walks(
    first: Ints,
    target: Marks,
    mark: Signs,
    weight: Floats,
    start: int,
    end: int,
    hops: int,
    notes: Floats,
    wanted: Bools,
    found: Floats,
) -> None:
    """Add every path of at most three hops to `found`.

    `notes` has a row for each concept. Column 0 is 1 + the index of the first arc between the end and the concept, or 0
    if there is no such arc.
    """
    for at in range(first[end + 1] - 1, first[end] - 1, -1):
        notes[target[at], 0] = at + 1
    for out in range(first[start], first[start + 1]):
        i, p, c = target[out], weight[out], mark[out]
        if i == end:
            _add(found, wanted, c, p)
            continue
        at = int(notes[i, 0]) - 1
        while hops >= 2 and at >= 0 and at < first[end + 1] and target[at] == i:
            _add(found, wanted, joined(c, mark[at]), p * weight[at])
            at += 1
        for over in range(first[i], first[i + 1] if hops >= 3 else first[i]):
            j = target[over]
            at = int(notes[j, 0]) - 1
            while j != start and at >= 0 and at < first[end + 1] and target[at] == j:
                _add(found, wanted, joined(joined(c, mark[over]), mark[at]), p * weight[over] * weight[at])
                at += 1
    for at in range(first[end], first[end + 1]):
        notes[target[at], 0] = 0.0


def _reach(first: Ints, target: Marks, start: int, end: int, notes: Floats, note: float) -> None:
    """Write `note` into column 1 of `notes` for each concept two hops from the start.

    The note 1.0 marks these concepts. The note 0.0 removes the marks, and also clears column 0 of these concepts.
    """
    for out in range(first[start], first[start + 1]):
        i = target[out]
        for over in range(first[i], first[i + 1] if i != end else first[i]):
            notes[target[over], 1] = note
            notes[target[over], 0] *= note


def _sort(
    first: Ints,
    target: Marks,
    mark: Signs,
    weight: Floats,
    start: int,
    end: int,
    notes: Floats,
    bins: Ints,
    last: Marks,
    half: Floats,
) -> int:
    """Number the middle concepts b of paths of four hops (column 0 of `notes`), and count the halves b-j-end per bin.

    `_meet_halves` explains the bins. If `last` has room, the concepts have their numbers already, and the halves are
    put into the bins. Return the number of concepts that were numbered in this call.
    """
    number = 0
    for out in range(first[end], first[end + 1]):
        j = target[out]
        for over in range(first[j], first[j + 1] if j != start else first[j]):
            b = target[over]
            if b in (start, end) or notes[b, 1] == 0.0:
                continue
            if notes[b, 0] == 0.0:
                number += 1
                notes[b, 0] = number
            place = 4 * (int(notes[b, 0]) - 1) + joined(mark[out], mark[over])
            if len(last):
                last[bins[place]], half[bins[place]] = j, weight[out] * weight[over]
                bins[place] += 1  # after the loop, this is the start of the next bin
            else:
                bins[place + 1] += 1
    return number


@compiled(_add, joined, _reach, _sort)
def _meet_halves(
    first: Ints,
    target: Marks,
    mark: Signs,
    weight: Floats,
    start: int,
    end: int,
    notes: Floats,
    wanted: Bools,
    found: Floats,
    bins: Ints,
    last: Marks,
    half: Floats,
) -> None:
    """Add every path of four hops, start-i-b-j-end. The halves b-j-end are sorted into one bin per b and channel.

    `bins` receives the end of each bin. It has 4 * halves + 1 entries, which are all 0 at first. `last` receives the
    concept j of every half, and `half` receives the probability of every half.
    """
    _reach(first, target, start, end, notes, 1.0)
    number = _sort(first, target, mark, weight, start, end, notes, bins, last[:0], half)
    for place in range(4 * number):
        bins[place + 1] += bins[place]
    _sort(first, target, mark, weight, start, end, notes, bins, last, half)
    for out in range(first[start], first[start + 1]):
        i = target[out]
        for over in range(first[i], first[i + 1] if i != end else first[i]):
            b = target[over]
            for d in range(4 if notes[b, 0] > 0.0 else 0):
                side = joined(joined(mark[out], mark[over]), d)
                place = 4 * (int(notes[b, 0]) - 1) + d
                for at in range(bins[place - 1] if place else 0, bins[place] if wanted[side] else 0):
                    if last[at] != i:
                        _add(found, wanted, side, weight[out] * weight[over] * half[at])
    _reach(first, target, start, end, notes, 0.0)


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
