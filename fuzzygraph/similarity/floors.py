"""How near a pair must be to matter to either end, learnt from tiles of float32 cosines.

Two ways with one answer in the end, since both let through too much rather than too little: heaps in compiled code,
which know the k-th nearest so far, and whole-array steps, which know it tile by tile. The second needs no start
(importing and loading compiled code takes a second and 100 MB), the first is some times faster.
"""

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from groundwork.compiled import compiled

#: From so many pairs on, of which so many pass the cut, compiled code is worth its start.
MANY, PASSING = 300_000_000, 1 << 21

Singles = NDArray[np.float32]
Short = NDArray[np.int32]


class Floors(Protocol):
    """Which pairs may yet be among the nearest of an end."""

    def sift(self, tile: Singles, top: int, left: int) -> tuple[Short, Short, Singles]:
        """The pairs of a tile that may be: heads, tails and near-exact cosines.

        Args:
            tile: (rows, columns); row i is concept top + i, column j concept left + j. A tile on the diagonal counts
                right of it only.
            top: First row's position.
            left: First column's position.
        """

    def still(self, heads: Short, tails: Short, cosines: Singles) -> NDArray[np.bool_]:
        """Which of earlier pairs still may be."""


def floors(count: int, top_k: int, above: float, slack: float, share: Callable[[], float]) -> Floors:
    """The way that suits so many vectors.

    Args:
        count: Concepts.
        top_k: k.
        above: The cut; what lies at or below it by more than `slack` matters to nobody.
        slack: Bound on the error of a cosine in a tile.
        share: Tells which share of the pairs passes the cut, about; asked if there are many.
    """
    pairs = count * count // 2
    return (HeapFloors if pairs >= MANY and share() * pairs >= PASSING else TileFloors)(count, top_k, above, slack)


class TileFloors:
    """A bound below each concept's k-th nearest, from the tiles in which many pairs pass the cut."""

    def __init__(self, count: int, top_k: int, above: float, slack: float) -> None:
        self._bars = np.full(count, -np.inf, np.float32)
        self._k = top_k
        self._cut, self._margin = np.float32(above - slack), np.float32(2 * slack)

    def sift(self, tile: Singles, top: int, left: int) -> tuple[Short, Short, Singles]:
        """See `Floors`."""
        if top == left:
            tile = tile.copy()
            tile[np.tri(len(tile), dtype=np.bool_)] = -np.inf
        rows, columns = (self._bars[start : start + size] for start, size in zip((top, left), tile.shape, strict=True))
        found = tile > self._cut
        if np.count_nonzero(found) > 4 * self._k * max(tile.shape):
            for axis, bars in ((1, rows), (0, columns)):
                if tile.shape[axis] >= self._k:
                    kth = np.partition(tile, -self._k, axis=axis).take(-self._k, axis=axis)
                    np.maximum(bars, kth, out=bars)
        bar = np.minimum(rows.min(), columns.min()) - self._margin
        if bar > self._cut:
            found &= tile >= bar
        across, down = np.divmod(np.flatnonzero(found), tile.shape[1])  # some times faster than np.nonzero in a table
        heads, tails, cosines = (across + top).astype(np.int32), (down + left).astype(np.int32), tile[across, down]
        still = self.still(heads, tails, cosines)
        return heads[still], tails[still], cosines[still]

    def still(self, heads: Short, tails: Short, cosines: Singles) -> NDArray[np.bool_]:
        """See `Floors`."""
        bar = cosines + self._margin
        kept: NDArray[np.bool_] = (bar >= self._bars[heads]) | (bar >= self._bars[tails])
        return kept


class HeapFloors:
    """The k-th largest float32 cosine of each concept so far, from tiles; compiled, for many pairs."""

    def __init__(self, count: int, top_k: int, above: float, slack: float) -> None:
        self._heaps = np.full((count, top_k), -np.inf, np.float32)
        self._cut, self._margin = np.float32(above - slack), np.float32(2 * slack)

    def sift(self, tile: Singles, top: int, left: int) -> tuple[Short, Short, Singles]:
        """See `Floors`."""
        heads, tails = np.empty(tile.size, np.int32), np.empty(tile.size, np.int32)
        cosines = np.empty(tile.size, np.float32)
        found = _sifted.fast(tile, top, left, self._cut, self._margin, self._heaps, heads, tails, cosines)
        return heads[:found].copy(), tails[:found].copy(), cosines[:found].copy()

    def still(self, heads: Short, tails: Short, cosines: Singles) -> NDArray[np.bool_]:
        """See `Floors`."""
        bar = cosines + self._margin
        kept: NDArray[np.bool_] = (bar >= self._heaps[heads, 0]) | (bar >= self._heaps[tails, 0])
        return kept


def _raised(heap: Singles, value: np.float32) -> None:
    """Replace the smallest of a heap, which stands first."""
    place, size = 0, len(heap)
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= value:
            break
        heap[place] = heap[child]
        place = child
    heap[place] = value


@compiled(_raised)
def _sifted(
    tile: Singles,
    top: int,
    left: int,
    cut: np.float32,
    margin: np.float32,
    heaps: Singles,
    heads: Short,
    tails: Short,
    cosines: Singles,
) -> int:
    """Fill heads, tails and cosines with the pairs that may matter, raise the heaps; how many there are."""
    found = 0
    for row in range(tile.shape[0]):
        head = top + row
        for column in range(row + 1 if top == left else 0, tile.shape[1]):
            cosine = tile[row, column]
            if cosine > cut:
                tail = left + column
                if cosine + margin >= heaps[head, 0] or cosine + margin >= heaps[tail, 0]:
                    heads[found], tails[found], cosines[found] = head, tail, cosine
                    found += 1
                    if cosine > heaps[head, 0]:
                        _raised(heaps[head], cosine)
                    if cosine > heaps[tail, 0]:
                        _raised(heaps[tail], cosine)
    return found
