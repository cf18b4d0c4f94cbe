"""Explore the surroundings of two concepts: count the simple paths between them, and find the largest products.

The code is written in the subset of Python that numba compiles. `start` and `end` are the two concepts. The array
`notes` has a row of five numbers per concept, about the walks from this concept to `end`. The first three numbers are
the largest products of the weights of the arcs of a walk, for walks of 1, 2 and 3 hops. The last two are the numbers of
walks of 1 and 2 hops, minus 1. A number is -1 if there is no such walk.
"""

from groundwork.compiled import compiled
from groundwork.network import Floats, Ints, Marks

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
