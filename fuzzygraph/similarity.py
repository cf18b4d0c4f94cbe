"""Which vectors are near: every pair compared, exactly, in bounded memory.

Tiles of the upper triangle are multiplied in float32. What passes the cut or a concept's current top k by more than
the rounding error of such a product is computed again in float64, and that number decides. So the tile size, the
number of threads and the kind of processor change nothing in the answer.

The top k are per concept, and a pair stays if it is among the nearest of either end: a concept can so have more
than k neighbours (a hub that many lean on), but none loses its own nearest because the other end has nearer ones.
Equal cosines go by position, ascending.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from groundwork.errors import InputError
from groundwork.ports import Progress, Silent

#: Bins over [-1, 1] in which all cosines are counted.
_BINS = 1 << 14
#: Pairs computed again at a time: some 25 MB at 768 numbers a vector.
_CHUNK = 1 << 11
#: Pairs that may wait before those that are nobody's nearest are dropped.
_WAITING = 1 << 20

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs of vectors by their positions, ordered by (head, tail); head < tail.

    Attributes:
        heads: (pairs,) positions.
        tails: (pairs,) positions.
        cosines: (pairs,) in [-1, 1], rounded to 12 decimals.
    """

    heads: Places
    tails: Places
    cosines: Floats

    def __len__(self) -> int:
        return len(self.heads)

    def only(self, which: NDArray[np.bool_]) -> "Pairs":
        """Those pairs."""
        return Pairs(self.heads[which], self.tails[which], self.cosines[which])


class Spread:
    """How the cosines of all pairs lie: smallest, largest, and a count in each of 16,384 equal bins over [-1, 1]."""

    def __init__(self) -> None:
        self._counts = np.zeros(_BINS, np.int64)
        self._min, self._max = 1.0, -1.0

    def add(self, cosines: Singles) -> None:
        """Take in some cosines; what rounding put outside [-1, 1] counts as the end."""
        if cosines.size:
            bins = ((cosines + np.float32(1)) * np.float32(_BINS / 2)).astype(np.int32).ravel()
            self._counts += np.bincount(np.clip(bins, 0, _BINS - 1), minlength=_BINS)
            self._min, self._max = min(self._min, float(cosines.min())), max(self._max, float(cosines.max()))

    @property
    def pairs(self) -> int:
        """How many cosines were taken in."""
        return int(self._counts.sum())

    @property
    def min(self) -> float:
        """The smallest, to six decimals."""
        return round(max(-1.0, self._min), 6)

    @property
    def max(self) -> float:
        """The largest, to six decimals."""
        return round(min(1.0, self._max), 6)

    @property
    def median(self) -> float:
        """The middle of the bin that holds the (lower) middle pair: off by at most 1/16,384."""
        middle = int(np.searchsorted(np.cumsum(self._counts), (self.pairs + 1) // 2))
        return round(min(self.max, max(self.min, (middle + 0.5) * 2 / _BINS - 1)), 6)

    def share_above(self, cosine: float) -> float:
        """Which share of the pairs lies above a cosine (to within its bin), in [0, 1]; 0.0 where there are none."""
        first = int(np.clip((cosine + 1) * _BINS / 2 // 1 + 1, 0, _BINS))
        return float(self._counts[first:].sum()) / max(1, self.pairs)


def search(
    vectors: Singles, *, above: float, top_k: int, block: int = 1024, progress: Progress | None = None
) -> tuple[Pairs, Spread]:
    """Pairs whose cosine is above a cut and that are among the nearest of either end; and how all cosines lie.

    Memory: the vectors, a few tiles, and at most about 2 n top_k pairs.

    Args:
        vectors: (n, d) finite; a vector of length 0 has the cosine 0 with every other.
        above: The cut; pairs stay if cosine > above.
        top_k: Neighbours a concept keeps, >= 1.
        block: Rows of a tile.
        progress: Who is told, in pairs.

    Raises:
        InputError: top_k or block below 1.
    """
    for name, value in (("top_k", top_k), ("block", block)):
        if value < 1:
            raise InputError(f"{name} = {value}", f"{name} >= 1", "give a positive number")
    n = len(vectors)
    watch = progress or Silent()
    watch.begin("compare names", n * (n - 1) // 2, "pairs")
    nearest, spread = _Nearest(vectors, above, top_k), Spread()
    for top in range(0, n, block):
        rows = nearest.unit(top, top + block)
        for left in range(top, n, block):
            tile = rows @ nearest.unit(left, left + block).T
            if left == top:
                upper = np.triu_indices(len(tile), 1)
                spread.add(tile[upper])
                tile[np.tril_indices(len(tile))] = -np.inf
                watch.advance(len(upper[0]))
            else:
                spread.add(tile)
                watch.advance(tile.size)
            nearest.add(tile, top, left)
    return nearest.pairs(), spread


class _Nearest:
    """The pairs above the cut that are, so far, among the nearest of either end."""

    def __init__(self, vectors: Singles, above: float, top_k: int) -> None:
        self._vectors, self._above, self._k = vectors, above, top_k
        lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
        self._inverse = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        # The k-th nearest so far; no farther pair can become one of the concept's top k.
        self._floor = np.full(len(vectors), -np.inf)
        # Bound on the error of a float32 dot product of unit vectors, their own rounding included.
        self._slack = (vectors.shape[1] + 8) * 2.0**-24
        empty = np.zeros(0, np.int64)
        self._kept = Pairs(empty, empty, np.zeros(0))
        self._waiting: list[Pairs] = []
        self._size = 0

    def unit(self, start: int, end: int) -> Singles:
        """Rows start to end at length 1."""
        rows: Singles = (self._vectors[start:end] * self._inverse[start:end, None]).astype(np.float32)
        return rows

    def add(self, tile: Singles, top: int, left: int) -> None:
        """Take in a tile of near-exact cosines whose first row is `top` and first column `left`."""
        rows, columns = (slice(start, start + size) for start, size in zip((top, left), tile.shape, strict=True))
        found = tile > np.float32(self._above - self._slack)
        if np.count_nonzero(found) > 4 * self._k * max(tile.shape):
            across, down = self._bar(tile, self._floor[rows], 1), self._bar(tile, self._floor[columns], 0)
        else:
            across, down = self._floor[rows], self._floor[columns]
        limits = (bar.astype(np.float32) - np.float32(2 * self._slack) for bar in (across, down))
        bar_of_row, bar_of_column = limits
        found &= (tile >= bar_of_row[:, None]) | (tile >= bar_of_column[None, :])
        heads, tails = (places.astype(np.int64) for places in np.nonzero(found))
        for start in range(0, len(heads), _CHUNK):
            self._take(heads[start : start + _CHUNK] + top, tails[start : start + _CHUNK] + left)

    def pairs(self) -> Pairs:
        """What stays."""
        self._settle()
        order = np.lexsort((self._kept.tails, self._kept.heads))
        return Pairs(self._kept.heads[order], self._kept.tails[order], self._kept.cosines[order])

    def _bar(self, tile: Singles, floor: Floats, axis: int) -> Floats:
        """A lower bound of each k-th nearest once this tile is in; worth its time where many pairs pass the cut."""
        place = tile.shape[axis] - self._k
        if place < 0:
            return floor
        kth = np.partition(tile, place, axis=axis).take(place, axis=axis)
        bar: Floats = np.maximum(floor, kth.astype(np.float64) - self._slack)
        return bar

    def _take(self, heads: Places, tails: Places) -> None:
        """Compute pairs again in float64 and keep those above the cut."""
        a, b = (self._vectors[places].astype(np.float64) for places in (heads, tails))
        cosines = np.einsum("ij,ij->i", a, b) * self._inverse[heads] * self._inverse[tails]
        # Rounded, so that equal vectors have the cosine 1 and ties are ties.
        pairs = Pairs(heads, tails, np.clip(cosines.round(12), -1.0, 1.0))
        self._waiting.append(pairs.only(pairs.cosines > self._above))
        self._size += len(self._waiting[-1])
        if self._size > max(_WAITING, len(self._kept)):
            self._settle()

    def _settle(self) -> None:
        """Drop the pairs that are among the nearest of neither end, and raise the floors."""
        parts = [self._kept, *self._waiting]
        every = Pairs(
            np.concatenate([part.heads for part in parts]),
            np.concatenate([part.tails for part in parts]),
            np.concatenate([part.cosines for part in parts]),
        )
        ends, others = np.concatenate([every.heads, every.tails]), np.concatenate([every.tails, every.heads])
        cosines = np.tile(every.cosines, 2)
        order = np.lexsort((others, -cosines, ends))
        ends = ends[order]
        rank = np.arange(len(ends)) - np.searchsorted(ends, ends)
        stays = np.zeros(len(every), np.bool_)
        stays[order[rank < self._k] % max(1, len(every))] = True
        last = rank == self._k - 1
        self._floor[ends[last]] = cosines[order[last]]
        self._kept, self._waiting, self._size = every.only(stays), [], 0
