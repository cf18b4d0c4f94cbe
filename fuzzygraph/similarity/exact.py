"""Which vectors are near: every pair compared, exactly, in bounded memory.

Tiles of the upper triangle are multiplied in float32. What passes the cut or a concept's current top k by more than
the rounding error of such a product waits; what still does when there are many, or at the end, is computed again in
float64, and that number decides. So the tile size, the number of threads and the kind of processor change nothing in
the answer.

The top k are per concept, and a pair stays if it is among the nearest of either end: a concept can so have more
than k neighbours (a hub that many lean on), but none loses its own nearest because the other end has nearer ones.
Equal cosines go by position, ascending.
"""

import numpy as np

from fuzzygraph.similarity.floors import Floors, Short, Singles, floors
from fuzzygraph.similarity.nearest import Nearest, Pairs, Rows, Units
from fuzzygraph.similarity.spread import Spread
from groundwork.errors import InputError
from groundwork.ports import Progress, Silent

#: Pairs that may wait before those that are nobody's nearest are dropped, and the others computed exactly.
_WAITING = 1 << 21
#: Vectors that stand for all when the cosines are looked at first: two million pairs.
SAMPLE = 2000
#: So many pairs are counted for the median and other quantiles; of more, every second, fourth ... sixty-fourth row.
COUNTED = 1 << 22

__all__ = ["Pairs", "Spread", "check_counts", "sampled", "search"]


def search(
    vectors: Rows, *, above: float, top_k: int, block: int = 1024, progress: Progress | None = None
) -> tuple[Pairs, Spread]:
    """Pairs whose cosine is above a cut and that are among the nearest of either end; and how all cosines lie.

    Memory: a few tiles, up to 2 million waiting pairs, and n * top_k * 16 bytes; the vectors themselves if they are an
    array, or what the system keeps of their file.

    Args:
        vectors: (n, d) finite; a vector of length 0 has the cosine 0 with every other.
        above: The cut; pairs stay if cosine > above.
        top_k: Neighbours a concept keeps, >= 1.
        block: Rows of a tile.
        progress: Who is told, in pairs.

    Raises:
        InputError: top_k or block below 1.
    """
    check_counts(top_k=top_k, block=block)
    n = len(vectors)
    top_k = min(top_k, max(1, n - 1))
    watch = progress or Silent()
    watch.begin("compare names", n * (n - 1) // 2, "pairs")
    units, spread = Units(vectors), Spread(every=_every(n))
    bars = floors(n, top_k, above, units.slack, lambda: sampled(vectors).share_above(above))
    waiting = _Waiting(bars, Nearest(units, top_k, above))
    room = np.empty(min(block, n) ** 2, np.float32)  # one tile after the other: new memory costs more than to fill it
    for top in range(0, n, block):
        rows = units.rows(top, top + block)
        for left in range(top, n, block):
            columns = rows if left == top else units.rows(left, left + block)
            tile = room[: len(rows) * len(columns)].reshape(len(rows), len(columns))
            np.matmul(rows, columns.T, out=tile)
            spread.add(tile, above_diagonal=left == top)
            waiting.add(tile, top, left)
            watch.advance(len(tile) * (len(tile) - 1) // 2 if left == top else tile.size)
    waiting.settle()
    return waiting.nearest.pairs(), spread


def _every(count: int) -> int:
    """Of how many rows one is counted for the spread: some millions of pairs in all, of up to 20,000 names."""
    return 1 << max(0, min(6, (count * count // 2 // COUNTED).bit_length()))


def sampled(vectors: Rows, *, seed: int = 0, size: int = SAMPLE) -> Spread:
    """How the cosines of all pairs lie among some vectors, drawn at random; among all where they are not more."""
    n = len(vectors)
    places = np.sort(np.random.default_rng(seed).choice(n, size, replace=False)) if n > size else np.arange(n)
    rows = Units(np.asarray(vectors[places], np.float32)).rows(0, len(places))
    spread = Spread()
    spread.add(rows @ rows.T, above_diagonal=True)
    return spread


def check_counts(**counts: int) -> None:
    """See that numbers are at least 1.

    Raises:
        InputError: One is not.
    """
    for name, value in counts.items():
        if value < 1:
            raise InputError(f"{name} = {value}", f"{name} >= 1", "give a positive number")


class _Waiting:
    """Pairs that may be near enough, until there are so many that it is worth to know."""

    def __init__(self, floors: Floors, nearest: Nearest) -> None:
        self.nearest = nearest
        self._floors = floors
        self._parts: list[tuple[Short, Short, Singles]] = []
        self._size = 0

    def add(self, tile: Singles, top: int, left: int) -> None:
        """Take in a tile of near-exact cosines whose first row is `top` and first column `left`."""
        found = self._floors.sift(tile, top, left)
        self._parts.append(found)
        self._size += len(found[0])
        if self._size > _WAITING:
            self._thin()
            if self._size > _WAITING // 2:
                self.settle()

    def settle(self) -> None:
        """Compute those that still may matter exactly."""
        self._thin()
        if self._parts:
            self.nearest.take(*(np.concatenate([part[end] for part in self._parts]) for end in (0, 1)))
        self._parts, self._size = [], 0

    def _thin(self) -> None:
        """Drop what has become nobody's nearest."""
        kept = ((part, self._floors.still(*part)) for part in self._parts)
        self._parts = [(heads[which], tails[which], cosines[which]) for (heads, tails, cosines), which in kept]
        self._size = sum(len(heads) for heads, _, _ in self._parts)
