"""Lower bounds on the cosine that two concepts need to be near neighbours, updated from tiles of the cosine matrix.

There are two implementations. Both may let through too many pairs, but never too few, so the final result is the same.
`HeapFloors` keeps the k largest cosines so far of each concept in heaps, with compiled code. It is several times
faster, but importing and loading the compiled code takes a second and 100 MB. `TileFloors` uses operations of NumPy on
whole tiles.
"""

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from groundwork.compiled import compiled

#: Compiled code is used if there are at least `MANY` pairs and at least `PASSING` of them are above the minimum cosine.
MANY, PASSING = 300_000_000, 1 << 21

Singles = NDArray[np.float32]
Short = NDArray[np.int32]


class Floors(Protocol):
    """A filter that keeps the pairs in which one concept may be among the nearest neighbours of the other."""

    def sift(self, tile: Singles, top: int, left: int) -> tuple[Short, Short, Singles]:
        """Return the pairs of a tile that may be near neighbours, as arrays of heads, tails and float32 cosines.

        Args:
            tile: Cosines, (rows, columns); row i is concept top + i, column j is concept left + j. If the tile is on
                the diagonal of the matrix, only the part to the right of the diagonal counts.
            top: Position of the concept of the first row.
            left: Position of the concept of the first column.
        """

    def still(self, heads: Short, tails: Short, cosines: Singles) -> NDArray[np.bool_]:
        """Return a mask of the given pairs that may still be near neighbours."""


def floors(count: int, top_k: int, above: float, slack: float, share: Callable[[], float]) -> Floors:
    """Return the implementation that suits the number of pairs above the minimum cosine.

    Args:
        count: Number of concepts.
        top_k: Number of nearest neighbours per concept.
        above: The minimum cosine. A pair whose float32 cosine is not above `above - slack` is dropped.
        slack: Upper bound on the error of a cosine in a tile.
        share: Function that returns the approximate share of pairs with a cosine above the minimum, in [0, 1]. It is
            called only if there are many pairs.
    """
    pairs = count * count // 2
    return (HeapFloors if pairs >= MANY and share() * pairs >= PASSING else TileFloors)(count, top_k, above, slack)


class TileFloors:
    """A filter with a lower bound on the k-th largest cosine of each concept.

    Tiles with many pairs above the minimum cosine raise these bounds.
    """

    def __init__(self, count: int, top_k: int, above: float, slack: float) -> None:
        self._bars = np.full(count, -np.inf, np.float32)
        self._k = top_k
        self._cut, self._margin = np.float32(above - slack), np.float32(2 * slack)

    def sift(self, tile: Singles, top: int, left: int) -> tuple[Short, Short, Singles]:
        """Return the pairs of a tile that may be near neighbours, as `Floors` defines."""
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
        across, down = np.divmod(np.flatnonzero(found), tile.shape[1])  # much faster than np.nonzero in two dimensions
        heads, tails, cosines = (across + top).astype(np.int32), (down + left).astype(np.int32), tile[across, down]
        still = self.still(heads, tails, cosines)
        return heads[still], tails[still], cosines[still]

    def still(self, heads: Short, tails: Short, cosines: Singles) -> NDArray[np.bool_]:
        """Return a mask of the given pairs that may still be near neighbours, as `Floors` defines."""
        bar = cosines + self._margin
        kept: NDArray[np.bool_] = (bar >= self._bars[heads]) | (bar >= self._bars[tails])
        return kept


class HeapFloors:
    """A filter for many pairs. Compiled code keeps the k largest float32 cosines of each concept so far in heaps."""

    def __init__(self, count: int, top_k: int, above: float, slack: float) -> None:
        self._heaps = np.full((count, top_k), -np.inf, np.float32)
        self._cut, self._margin = np.float32(above - slack), np.float32(2 * slack)

    def sift(self, tile: Singles, top: int, left: int) -> tuple[Short, Short, Singles]:
        """Return the pairs of a tile that may be near neighbours, as `Floors` defines."""
        heads, tails = np.empty(tile.size, np.int32), np.empty(tile.size, np.int32)
        cosines = np.empty(tile.size, np.float32)
        found = _sift.fast(tile, top, left, self._cut, self._margin, self._heaps, heads, tails, cosines)
        return heads[:found].copy(), tails[:found].copy(), cosines[:found].copy()

    def still(self, heads: Short, tails: Short, cosines: Singles) -> NDArray[np.bool_]:
        """Return a mask of the given pairs that may still be near neighbours, as `Floors` defines."""
        bar = cosines + self._margin
        kept: NDArray[np.bool_] = (bar >= self._heaps[heads, 0]) | (bar >= self._heaps[tails, 0])
        return kept


def _replace_smallest(heap: Singles, value: np.float32) -> None:
    """Replace the first value of a heap, which is its smallest."""
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


@compiled(_replace_smallest)
def _sift(
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
    """Write the pairs that may be near neighbours into `heads`, `tails` and `cosines`, and update `heaps`.

    Return the number of these pairs.
    """
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
                        _replace_smallest(heaps[head], cosine)
                    if cosine > heaps[tail, 0]:
                        _replace_smallest(heaps[tail], cosine)
    return found
