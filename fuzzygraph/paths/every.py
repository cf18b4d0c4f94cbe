"""Sums over simple paths from one concept to every other at once: walks less those that revisit.

With W the symmetric matrix of lanes, D and T the diagonals of W^2 and W^3, and o elementwise, paths of so many hops are

    P2 = W^2    P3 = W^3 - DW - WD + WoWoW
    P4 = (W^3 - WD + WoWoW) W - D W^2 - W^2 D - T W - W T + 3 WoW o W^2 + W (WoWoW)

off the diagonal. A row of them costs two products of a vector with W, however many pairs it answers. Channels come
from four such rows: of all lanes, of those with a sign, of these with their sign, of similarity alone; a polynomial
identity does not mind. What this subtracts it may lose: the same rows of whole numbers, exact in doubles, say where no
path is, and pairs whose sum is small beside what was subtracted are summed by `sums` instead.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from fuzzygraph.paths.lanes import ALIKE, CHANNELS, NEGATIVE, POSITIVE, UNSIGNED, Lanes
from fuzzygraph.paths.sums import totals
from groundwork.arcs import Signs
from groundwork.compiled import compiled
from groundwork.network import Bools, Floats, Ints, Marks

#: A sum below this share of what was added and subtracted for it has lost digits that 1e-9 needs.
_SOUND = 1e-5
#: Whole numbers above are not exact.
_EXACT = 2.0**53


#: What a lane counts for in the four rows, by its channel: all, those with a sign, with their sign, similarity alone.
_FACTORS = np.array([[1, 1, -1, 0], [1, 0, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Pairs of concepts with lanes, by rows: the four numbers of each and the four counts, and diagonals of powers."""

    first: Ints
    target: Marks
    weight: Floats
    squares: Floats
    cubes: Floats


def sums_from(lanes: Lanes, sources: Iterable[int], hops: int) -> Iterator[tuple[int, Floats]]:
    """Sums over the simple paths of at most `hops` hops from each source to all concepts.

    Args:
        lanes: What they run on.
        sources: Numbers of concepts.
        hops: 1 to 4.

    Yields:
        A source, and an array (channels, concepts); 0 at the source itself, and exactly 0 where there is no path.
    """
    arcs, pairs = lanes.arcs, _pairs(lanes)
    walked = arcs.first, arcs.target, arcs.mark, arcs.weight, _FACTORS
    joined = pairs.first, pairs.target, pairs.weight, pairs.squares, pairs.cubes
    for source in sources:
        rows, size = _rows.over(len(arcs.target))(*walked, *joined, source, hops)
        found, counts = _channels(rows[:, :4]), _channels(rows[:, 4:])
        found[counts == 0.0] = 0.0
        found[:, source] = 0.0
        lost: Bools = (counts != 0.0) & ((found < _SOUND * size[:, 0]) | (size[:, 4] >= _EXACT))
        lost[:, source] = False
        for tail in np.flatnonzero(lost.any(axis=0)).tolist():
            found[:, tail] = totals(lanes, min(source, tail), max(source, tail), hops)[1][0]
        yield source, found


def _channels(rows: Floats) -> Floats:
    """The sums by channel from the four rows."""
    every, either, signed, alike = rows.T
    found = np.empty((CHANNELS, len(rows)))
    found[NEGATIVE] = (either - signed) / 2.0
    found[UNSIGNED] = every - either
    found[POSITIVE] = (either + signed) / 2.0 - alike
    found[ALIKE] = alike
    return found


def _pairs(lanes: Lanes) -> _Pairs:
    """The lanes of each two concepts together."""
    arcs = lanes.arcs
    source = np.repeat(np.arange(arcs.size), np.diff(arcs.first))
    new = np.ones(len(arcs.target), dtype=bool)
    new[1:] = (source[1:] != source[:-1]) | (arcs.target[1:] != arcs.target[:-1])
    begins = np.flatnonzero(new)
    first = np.searchsorted(source[begins], np.arange(arcs.size + 1)).astype(np.int64)
    factors = _FACTORS[arcs.mark]
    lane = np.hstack([factors * arcs.weight[:, None], factors])
    joined = np.add.reduceat(lane, begins, axis=0) if begins.size else lane
    columns = first, arcs.target[begins], joined
    return _Pairs(*columns, *_diagonals.over(len(arcs.target))(*columns))


@compiled()
def _diagonals(first: Ints, target: Marks, weight: Floats) -> tuple[Floats, Floats]:
    """The diagonals of the second and the third power."""
    size = len(first) - 1
    squares, cubes, row = np.zeros((size, 8)), np.zeros((size, 8)), np.zeros((size, 8))
    for i in range(size):
        for at in range(first[i], first[i + 1]):
            squares[i] += weight[at] * weight[at]
            row[target[at]] = weight[at]
        for at in range(first[i], first[i + 1]):
            j = target[at]
            for to in range(first[j], first[j + 1]):
                for k in range(8):
                    cubes[i, k] += weight[at, k] * weight[to, k] * row[target[to], k]
        for at in range(first[i], first[i + 1]):
            row[target[at]] = 0.0
    return squares, cubes


def _onward(first: Ints, target: Marks, mark: Signs, weight: Floats, factors: Floats, x: Floats, y: Floats) -> None:
    """Add to y each row of x times the lanes: four columns of sums, four of counts."""
    for i in range(len(x)):
        if x[i, 0] != 0.0 or x[i, 4] != 0.0:
            for at in range(first[i], first[i + 1]):
                j, c, w = target[at], mark[at], weight[at]
                for k in range(4):
                    y[j, k] += x[i, k] * factors[c, k] * w
                    y[j, k + 4] += x[i, k + 4] * factors[c, k]


@compiled(_onward)
def _rows(
    first: Ints,
    target: Marks,
    mark: Signs,
    weight: Floats,
    factors: Floats,
    begin: Ints,
    other: Marks,
    pair: Floats,
    squares: Floats,
    cubes: Floats,
    source: int,
    hops: int,
) -> tuple[Floats, Floats]:
    """Row `source` of P1 + P2 + ..., and what its terms add up to without signs (right for all lanes: columns 0, 4)."""
    size = len(first) - 1
    one, two, three, four = np.zeros((size, 8)), np.zeros((size, 8)), np.zeros((size, 8)), np.zeros((size, 8))
    for at in range(begin[source], begin[source + 1]):
        one[other[at]] = pair[at]
    if hops >= 2:
        _onward(first, target, mark, weight, factors, one, two)
    found = one + two
    most = one + two
    if hops >= 3:
        _onward(first, target, mark, weight, factors, two, three)
        d, again = squares[source], one * squares
        walk = three - again + one * one * one  # W^3 - WD + WoWoW
        found += walk - d * one
        most += walk + 2.0 * again + d * one
        if hops >= 4:
            back = np.zeros((size, 8))
            _onward(first, target, mark, weight, factors, walk, four)
            _onward(first, target, mark, weight, factors, again, back)
            for at in range(begin[source], begin[source + 1]):
                for to in range(begin[other[at]], begin[other[at] + 1]):
                    four[other[to]] += pair[at] * pair[to] * pair[to] * pair[to]
            off = d * two + two * squares + cubes[source] * one + one * cubes
            on = four + 3.0 * one * one * two
            found += on - off
            most += on + off + 2.0 * back
    return found, most
