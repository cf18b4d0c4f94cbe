"""The probability that at least one simple path holds, by channel, if paths were independent: 1 - prod(1 - p).

This product has no closed form, but two cases are known in advance. If the sum of the probabilities of a channel's
paths reaches `SURE`, the product is below half a unit of the last place and the result is 1.0. If there is no path, the
result is 0.0. Paths are walked only for the other channels. These channels have few paths, or many paths with tiny
probabilities: because the sum is below `SURE`, fewer than 24,000 paths can have a probability of 0.2^4 or more. Paths
of four hops are joined from two halves, so the cost depends on the number of paths found and on the number of arcs
around both ends.
"""

import numpy as np

from fuzzygraph.paths.lanes import Lanes
from fuzzygraph.paths.ring import joined
from groundwork.arcs import Signs
from groundwork.compiled import compiled
from groundwork.network import Bools, Floats, Ints, Marks

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
            _walk.over(steps)(*columns, start, end, min(hops, 3), notes, wanted, found)
            if hops == 4:
                halves = arcs.steps(end)
                room = np.zeros(4 * halves + 1, np.int64), np.empty(halves, np.int32), np.empty(halves)
                _meet.over(steps)(*columns, start, end, notes, wanted, found, *room)
    return found


def _add(found: Floats, wanted: Bools, channel: int, probability: float) -> None:
    """Add a path to the result of its channel. All terms are positive, so small numbers lose no significant digits."""
    if wanted[channel]:
        found[channel] += probability * (1.0 - found[channel])


@compiled(_add, joined)
def _walk(
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
    placing: bool,
    bins: Ints,
    last: Marks,
    half: Floats,
) -> int:
    """Number the middle concepts b of paths of four hops (column 0 of `notes`), and count the halves b-j-end per bin.

    `_meet` explains the bins. With `placing`, the concepts have their numbers already, and the halves are put into the
    bins.

    Returns:
        The number of concepts that were numbered in this call.
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
            if placing:
                last[bins[place]], half[bins[place]] = j, weight[out] * weight[over]
                bins[place] += 1  # after the loop, this is the start of the next bin
            else:
                bins[place + 1] += 1
    return number


@compiled(_add, joined, _reach, _sort)
def _meet(
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
    number = _sort(first, target, mark, weight, start, end, notes, False, bins, last, half)
    for place in range(4 * number):
        bins[place + 1] += bins[place]
    _sort(first, target, mark, weight, start, end, notes, True, bins, last, half)
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
