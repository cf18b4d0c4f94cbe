"""Find near vectors exactly, by comparing every pair, in limited memory.

The upper triangle of the matrix of cosines is computed in float32, tile by tile. A pair is dropped if its cosine is too
low even with the largest possible rounding error: not above the minimum (`above`), or not among the k largest cosines
of either of its concepts. The other pairs are candidates. Their cosines are computed again in float64, and only these
cosines decide. So the tile size, the number of threads and the type of processor do not change the result.

The k nearest neighbours are determined for each concept. A pair is kept if one of its concepts is among the k nearest
neighbours of the other. So every concept keeps its own nearest neighbours, and a concept that is near many others can
have more than k neighbours. Neighbours with equal cosines are ordered by position, ascending.
"""

import numpy as np

from fuzzygraph.similarity.floors import Floors, Short, Singles, floors
from fuzzygraph.similarity.nearest import Pairs, Rows, TopNeighbours, Units
from fuzzygraph.similarity.spread import sampled
from groundwork.errors import InputError
from groundwork.ports import Progress, Silent

#: If more candidates than this are waiting, those that can no longer be among the nearest neighbours are dropped. If
#: more than half of this number remain, their exact cosines are computed.
_WAITING = 1 << 21


def search(
    vectors: Rows, *, above: float, top_k: int, block: int = 1024, progress: Progress | None = None
) -> tuple[Pairs, tuple[float, float]]:
    """Return the pairs of near vectors, and the lowest and the highest cosine of all pairs.

    A pair is near if its cosine is above `above` and one of its vectors is among the `top_k` nearest of the other.

    Memory: a few tiles, up to 2 million candidates, n * top_k * 16 bytes, and the vectors. Of vectors in a file, only
    the part that the system caches is in memory.

    Args:
        vectors: (n, d), finite; a vector of length 0 has the cosine 0 with every other vector.
        above: A pair is kept only if its cosine is above this value.
        top_k: Number of nearest neighbours per concept, >= 1.
        block: Number of rows and of columns of a tile, >= 1.
        progress: Receives the number of compared pairs.

    Returns:
        The pairs, and the lowest and the highest cosine, rounded to six decimals (both 0.0 if there is no pair).

    Raises:
        InputError: top_k or block is below 1.
    """
    check_counts(top_k=top_k, block=block)
    n = len(vectors)
    top_k = min(top_k, max(1, n - 1))
    watch = progress or Silent()
    watch.begin("compare names", n * (n - 1) // 2, "pairs")
    units, low, high = Units(vectors), 1.0, -1.0
    bars = floors(n, top_k, above, units.slack, lambda: sampled(vectors).share_above(above))
    waiting = _CandidateQueue(bars, TopNeighbours(units, top_k, above))
    room = np.empty(min(block, n) ** 2, np.float32)  # one tile, reused, because allocation costs more than filling
    for top in range(0, n, block):
        rows = units.rows(top, top + block)
        for left in range(top, n, block):
            columns = rows if left == top else units.rows(left, left + block)
            tile = room[: len(rows) * len(columns)].reshape(len(rows), len(columns))
            np.matmul(rows, columns.T, out=tile)
            compared = tile[~np.eye(len(tile), dtype=np.bool_)] if left == top else tile
            low, high = min(low, compared.min(initial=1.0)), max(high, compared.max(initial=-1.0))
            waiting.add(tile, top, left)
            watch.advance(len(tile) * (len(tile) - 1) // 2 if left == top else tile.size)
    waiting.settle()
    extremes = (round(max(-1.0, float(low)), 6), round(min(1.0, float(high)), 6)) if n > 1 else (0.0, 0.0)
    return waiting.nearest.pairs(), extremes


def check_counts(**counts: int) -> None:
    """Check that numbers are at least 1.

    Raises:
        InputError: A number is below 1.
    """
    for name, value in counts.items():
        if value < 1:
            raise InputError(f"{name} = {value}", f"{name} >= 1", "give a positive number")


class _CandidateQueue:
    """Pairs that may be near neighbours. When many pairs are waiting, their exact cosines are computed."""

    def __init__(self, floors: Floors, nearest: TopNeighbours) -> None:
        self.nearest = nearest
        self._floors = floors
        self._parts: list[tuple[Short, Short, Singles]] = []
        self._size = 0

    def add(self, tile: Singles, top: int, left: int) -> None:
        """Add the candidates of a tile: a part of the float32 cosine matrix that begins at row `top`, column `left`."""
        found = self._floors.sift(tile, top, left)
        self._parts.append(found)
        self._size += len(found[0])
        if self._size > _WAITING:
            self._thin()
            if self._size > _WAITING // 2:
                self.settle()

    def settle(self) -> None:
        """Pass all waiting candidates to `nearest`, which computes their exact cosines."""
        self._thin()
        if self._parts:
            self.nearest.take(*(np.concatenate([part[end] for part in self._parts]) for end in (0, 1)))
        self._parts, self._size = [], 0

    def _thin(self) -> None:
        """Drop the pairs in which neither concept can still be among the nearest neighbours of the other."""
        kept = ((part, self._floors.still(*part)) for part in self._parts)
        self._parts = [(heads[which], tails[which], cosines[which]) for (heads, tails, cosines), which in kept]
        self._size = sum(len(heads) for heads, _, _ in self._parts)
