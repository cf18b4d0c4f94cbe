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

from fuzzygraph.lanes import ALIKE, CHANNELS, NEGATIVE, POSITIVE, UNSIGNED, Lanes
from fuzzygraph.sums import totals
from groundwork.compiled import compiled
from groundwork.network import Bools, Floats, Ints, Marks

#: A sum below this share of what was added and subtracted for it has lost digits that 1e-9 needs.
_SOUND = 1e-5
#: Whole numbers above are not exact.
_EXACT = 2.0**53


@dataclass(frozen=True, slots=True)
class _Matrix:
    """Pairs of concepts with lanes and one number for each: a symmetric matrix by rows, diagonals of its powers."""

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
    weighed, counted = _matrices(lanes, lanes.arcs.weight), _matrices(lanes, np.ones(len(lanes.arcs.weight)))
    for source in sources:
        found, size = _channels(weighed, source, hops)
        counts, most = _channels(counted, source, hops)
        found[counts == 0.0] = 0.0
        lost: Bools = (counts != 0.0) & (found < _SOUND * size)
        lost |= most >= _EXACT
        lost[:, source] = False
        for tail in np.flatnonzero(lost.any(axis=0)).tolist():
            found[:, tail] = totals(lanes, min(source, tail), max(source, tail), hops)[1][0]
        yield source, found


def _channels(matrices: list[_Matrix], source: int, hops: int) -> tuple[Floats, Floats]:
    """The sums by channel, and how much was added and subtracted for each."""
    rows = [_row.over(len(matrix.target))(*_columns(matrix), source, hops) for matrix in matrices]
    (every, most), (either, size), (signed, _), (alike, _) = rows
    found = np.empty((CHANNELS, len(every)))
    found[NEGATIVE] = (either - signed) / 2.0
    found[UNSIGNED] = every - either
    found[POSITIVE] = (either + signed) / 2.0 - alike
    found[ALIKE] = alike
    found[:, source] = 0.0
    return found, np.maximum(most, size)


def _columns(matrix: _Matrix) -> tuple[Ints, Marks, Floats, Floats, Floats]:
    return matrix.first, matrix.target, matrix.weight, matrix.squares, matrix.cubes


def _matrices(lanes: Lanes, weight: Floats) -> list[_Matrix]:
    """The four matrices, on the pairs that have lanes."""
    arcs = lanes.arcs
    source = np.repeat(np.arange(arcs.size), np.diff(arcs.first))
    new = np.ones(len(arcs.target), dtype=bool)
    new[1:] = (source[1:] != source[:-1]) | (arcs.target[1:] != arcs.target[:-1])
    begins = np.flatnonzero(new)
    first = np.searchsorted(source[begins], np.arange(arcs.size + 1)).astype(np.int64)
    made = []
    for factors in ((1, 1, 1, 1), (1, 0, 1, 1), (-1, 0, 1, 1), (0, 0, 0, 1)):
        lane = np.array(factors, dtype=np.float64)[arcs.mark] * weight
        joined = np.add.reduceat(lane, begins) if begins.size else lane
        columns = first, arcs.target[begins], joined
        squares, cubes = _diagonals.over(arcs.steps(*range(min(arcs.size, 100))))(*columns)
        made.append(_Matrix(*columns, squares, cubes))
    return made


@compiled()
def _diagonals(first: Ints, target: Marks, weight: Floats) -> tuple[Floats, Floats]:
    """The diagonals of the second and the third power."""
    size = len(first) - 1
    squares, cubes, row = np.zeros(size), np.zeros(size), np.zeros(size)
    for i in range(size):
        for at in range(first[i], first[i + 1]):
            squares[i] += weight[at] * weight[at]
            row[target[at]] = weight[at]
        for at in range(first[i], first[i + 1]):
            j = target[at]
            for to in range(first[j], first[j + 1]):
                cubes[i] += weight[at] * weight[to] * row[target[to]]
        for at in range(first[i], first[i + 1]):
            row[target[at]] = 0.0
    return squares, cubes


def _onward(first: Ints, target: Marks, weight: Floats, x: Floats, size: Floats, y: Floats, most: Floats) -> None:
    """Add x times the matrix to y, and what its terms would be without signs to `most`."""
    for i in range(len(x)):
        if x[i] != 0.0 or size[i] != 0.0:
            for at in range(first[i], first[i + 1]):
                y[target[at]] += x[i] * weight[at]
                most[target[at]] += size[i] * abs(weight[at])


@compiled(_onward)
def _row(
    first: Ints, target: Marks, weight: Floats, squares: Floats, cubes: Floats, source: int, hops: int
) -> tuple[Floats, Floats]:
    """One row of P1 + P2 + ..., and of the sum of its terms taken without signs."""
    size = len(first) - 1
    one, two, three, four = np.zeros(size), np.zeros(size), np.zeros(size), np.zeros(size)
    all_one, all_two, all_three, all_four = np.zeros(size), np.zeros(size), np.zeros(size), np.zeros(size)
    for at in range(first[source], first[source + 1]):
        one[target[at]] = weight[at]
        all_one[target[at]] = abs(weight[at])
    if hops >= 2:
        _onward(first, target, weight, one, all_one, two, all_two)
    if hops >= 3:
        _onward(first, target, weight, two, all_two, three, all_three)
    found, most = one + two, all_one + all_two
    if hops >= 3:
        d = squares[source]
        walk = three - one * squares + one * one * one  # W^3 - WD + WoWoW
        found += walk - d * one
        all_walk = all_three + all_one * squares + all_one * all_one * all_one
        most += all_walk + d * all_one
        if hops >= 4:
            _onward(first, target, weight, walk, all_walk, four, all_four)
            for at in range(first[source], first[source + 1]):
                j = target[at]
                for to in range(first[j], first[j + 1]):
                    cube = weight[at] * weight[to] * weight[to] * weight[to]
                    four[target[to]] += cube
                    all_four[target[to]] += abs(cube)
            found += four - d * two - two * squares - cubes[source] * one - one * cubes + 3.0 * one * one * two
            most += all_four + d * all_two + all_two * squares + 3.0 * one * one * all_two
            most += abs(cubes[source]) * all_one + all_one * np.abs(cubes)
    return found, most
