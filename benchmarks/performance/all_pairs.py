"""Sums over simple paths from one concept to all others at once: all walks minus those that revisit a concept.

Let W be the symmetric matrix of lanes, D and T the diagonals of W^2 and W^3, and o the elementwise product. Off the
diagonal, the sums over paths by number of hops are

    P2 = W^2    P3 = W^3 - DW - WD + WoWoW
    P4 = (W^3 - WD + WoWoW) W - D W^2 - W^2 D - T W - W T + 3 WoW o W^2 + W (WoWoW)

One row costs two products of a vector with W, for any number of pairs. The identity is polynomial, so the channels
follow from four such rows: all lanes, signed lanes, signed lanes times their sign, and similarity alone. The
subtraction can lose digits. The same rows of whole numbers, exact in doubles, show where no path exists. Pairs whose
sum is small compared with the subtracted terms are summed by `sums` instead.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from fuzzygraph.lanes import CHANNELS, Lanes
from fuzzygraph.paths import Four, totals
from groundwork.compiled import compiled
from groundwork.network import Bools, Floats, Ints, Marks
from groundwork.walks import Signs

#: A sum below this share of the added and subtracted terms may have an error above 1e-9.
_SOUND = 1e-5
#: Whole numbers above this are not exact in doubles.
_EXACT = 2.0**53


#: Factor of a lane in the four rows, by its channel. The rows: all lanes, signed ones, times their sign, similarity.
_FACTORS = np.array([[1, 1, -1, 0], [1, 0, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Pairs of concepts with lanes, by rows: four sums and four counts of each, and diagonals of powers."""

    first: Ints
    target: Marks
    weight: Floats
    squares: Floats
    cubes: Floats


def sums_from(lanes: Lanes, sources: Iterable[int], hops: int) -> Iterator[tuple[int, Floats]]:
    """Yield sums over the simple paths of at most `hops` hops from each source to all concepts.

    Args:
        lanes: The lanes that paths use.
        sources: Numbers of concepts.
        hops: 1 to 4.

    Yields:
        A source, and an array (channels, concepts). It is 0 at the source itself, and exactly 0 where there is no path.
    """
    arcs, pairs, size = lanes.arcs, _pairs(lanes), lanes.arcs.size
    walked = arcs.first, arcs.target, arcs.mark, arcs.weight, _FACTORS
    joined = pairs.first, pairs.target, pairs.weight, pairs.squares
    powers = np.zeros((5, size, 8))  # allocated once for five rows, because allocation costs more than filling
    for source in sources:
        found, lost = np.zeros((CHANNELS, size)), np.zeros(size, dtype=np.bool_)
        _powers.over(len(arcs.target) + size)(*walked, *joined, source, hops, powers)
        _rows.over(len(arcs.target) + size)(powers, pairs.squares, pairs.cubes, source, hops, found, lost)
        for tail in np.flatnonzero(lost).tolist():
            found[:, tail] = totals(lanes.arcs, min(source, tail), max(source, tail), hops)[1].sum(axis=0)
        yield source, found


def _pairs(lanes: Lanes) -> _Pairs:
    """Return the lanes of each pair of concepts, added up."""
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
    """Return the diagonals of the second and the third power."""
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
    """Add each row of x times the lanes to y: four columns of sums and four of counts. Fast if most rows are empty."""
    for i in range(len(x)):
        if x[i, 0] != 0.0 or x[i, 4] != 0.0:
            for at in range(first[i], first[i + 1]):
                j, c, w = target[at], mark[at], weight[at]
                for k in range(4):
                    y[j, k] += x[i, k] * factors[c, k] * w
                    y[j, k + 4] += x[i, k + 4] * factors[c, k]


def _onto(first: Ints, target: Marks, mark: Signs, weight: Floats, factors: Floats, x: Floats, y: Floats) -> None:
    """Set y to x times the lanes. For full rows: sums in local variables stay in registers, which halves the time."""
    for i in range(len(x)):
        a = b = c = d = e = f = g = h = 0.0
        for at in range(first[i], first[i + 1]):
            j, m, w = target[at], mark[at], weight[at]
            p, q, r, s = factors[m, 0], factors[m, 1], factors[m, 2], factors[m, 3]
            a, b, c, d = a + x[j, 0] * p * w, b + x[j, 1] * q * w, c + x[j, 2] * r * w, d + x[j, 3] * s * w
            e, f, g, h = e + x[j, 4] * p, f + x[j, 5] * q, g + x[j, 6] * r, h + x[j, 7] * s
        y[i, 0], y[i, 1], y[i, 2], y[i, 3], y[i, 4], y[i, 5], y[i, 6], y[i, 7] = a, b, c, d, e, f, g, h


def _beside(
    begin: Ints, other: Marks, pair: Floats, squares: Floats, source: int, one: Floats, four: Floats, back: Floats
) -> None:
    """Add W(WoWoW) to four and WDW to back, in row `source`. `one` is the row of W."""
    for at in range(begin[source], begin[source + 1]):
        i = other[at]
        for to in range(begin[i], begin[i + 1]):
            for k in range(8):
                w = pair[to, k]
                four[other[to], k] += one[i, k] * w * w * w
                back[other[to], k] += one[i, k] * squares[i, k] * w


def _sum(hops: int, one: float, two: float, walk: float, four: float, d: float, s: float, t: float) -> float:
    """Return P1 + P2 + ... at a concept. d: square of the source; s, t: sums of both squares and both cubes."""
    found = one + two
    if hops >= 3:
        found += walk - d * one
    if hops >= 4:
        found += four + 3.0 * one * one * two - (s * two + t * one)
    return found


def _terms(hops: int, one: float, two: float, walk: float, onward: float, s: float, own: float, t: float) -> float:
    """Return the sum of the absolute terms of `_sum`, for lanes without a sign. own: the concept's own square."""
    found = one + two
    if hops >= 3:
        found += walk + (own + s) * one
    if hops >= 4:
        found += onward + 3.0 * one * one * two + s * two + t * one
    return found


def _split(row: Floats, begin: int) -> Four:
    """Return the sums by channel from the four values that start at `begin`."""
    every, either, signed, alike = row[begin], row[begin + 1], row[begin + 2], row[begin + 3]
    return (either - signed) / 2.0, every - either, (either + signed) / 2.0 - alike, alike


@compiled(_onward, _onto, _beside)
def _powers(
    first: Ints,
    target: Marks,
    mark: Signs,
    weight: Floats,
    factors: Floats,
    begin: Ints,
    other: Marks,
    pair: Floats,
    squares: Floats,
    source: int,
    hops: int,
    powers: Floats,
) -> None:
    """Compute row `source` of W, W^2, W^3 - WD + WoWoW, its product with W plus W(WoWoW), and WDW, up to `hops`."""
    one, two, walk, four, back = powers[0], powers[1], powers[2], powers[3], powers[4]
    powers[:] = 0.0
    for at in range(begin[source], begin[source + 1]):
        one[other[at]] = pair[at]
    if hops >= 2:
        _onward(first, target, mark, weight, factors, one, two)
    if hops >= 3:
        _onward(first, target, mark, weight, factors, two, walk)
        for at in range(begin[source], begin[source + 1]):
            i = other[at]
            for k in range(8):
                walk[i, k] += one[i, k] * (one[i, k] * one[i, k] - squares[i, k])
    if hops >= 4:
        _onto(first, target, mark, weight, factors, walk, four)
        _beside(begin, other, pair, squares, source, one, four, back)


@compiled(_sum, _terms, _split)
def _rows(powers: Floats, squares: Floats, cubes: Floats, source: int, hops: int, found: Floats, lost: Bools) -> None:
    """Fill row `source` of P1 + P2 + ... by channel, and mark where too many digits were lost."""
    one, two, walk, four, back = powers[0], powers[1], powers[2], powers[3], powers[4]
    row, most = np.zeros(8), np.zeros(2)
    for i in range(len(one)):
        if i == source:
            continue
        for k in range(8):
            d, s, t = squares[source, k], squares[source, k] + squares[i, k], cubes[source, k] + cubes[i, k]
            row[k] = _sum(hops, one[i, k], two[i, k], walk[i, k], four[i, k], d, s, t)
        for n in range(2):
            k = 4 * n
            s, t = squares[source, k] + squares[i, k], cubes[source, k] + cubes[i, k]
            onward = four[i, k] + 2.0 * back[i, k]
            most[n] = _terms(hops, one[i, k], two[i, k], walk[i, k], onward, s, squares[i, k], t)
        sums, counts = _split(row, 0), _split(row, 4)
        for channel in range(4):
            if counts[channel] != 0.0:
                found[channel, i] = sums[channel]
                lost[i] |= most[1] >= _EXACT or sums[channel] < _SOUND * most[0]
