"""Find near vectors exactly, by comparing every pair, in limited memory.

The upper triangle of the matrix of cosines is computed in float32, tile by tile. A pair is dropped if its cosine is too
low even with the largest possible rounding error: not above the minimum (`above`), or not among the k largest cosines
of either of its concepts. The other pairs are candidates. Their cosines are computed again in float64, and only these
cosines decide. So the tile size, the number of threads and the type of processor do not change the result.

The k nearest neighbours are determined for each concept. A pair is kept if one of its concepts is among the k nearest
neighbours of the other. So every concept keeps its own nearest neighbours, and a concept that is near many others can
have more than k neighbours. Neighbours with equal cosines are ordered by position, ascending, so the result does not
depend on the order in which pairs arrive. Only n * k neighbours are kept, whatever the number of pairs.

Lower bounds on the cosine that two concepts need to be near neighbours are updated from the tiles. There are two
implementations. Both may let through too many pairs, but never too few, so the final result is the same. `_HeapFloors`
keeps the k largest cosines so far of each concept in heaps, with compiled code. It is several times faster, but
importing and loading the compiled code takes a second and 100 MB. `_TileFloors` uses operations of NumPy on whole
tiles.

`Spread` is the distribution of the cosines, estimated from all pairs of 2,000 random names (two million pairs).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from groundwork.compiled import compiled
from groundwork.errors import InputError
from groundwork.ports import Progress, Silent

#: Number of pairs computed exactly at a time. The vectors of this many pairs fit into the processor's cache.
_CHUNK = 1 << 7
#: Vectors are scaled in float32 only if the inverse of every length is between this number and 1 / this number, so that
#: float32 holds the inverse without loss of digits.
_FINE = 1e-30
#: Number of rows whose lengths are computed at once.
_ROWS = 1 << 12
#: If at least this many pairs arrive at once, compiled code inserts them one by one. Fewer pairs are merged by sorting.
_MANY_AT_ONCE = 1 << 19

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Places = NDArray[np.int64]
Short = NDArray[np.int32]

#: Number of vectors in the sample for a `Spread`.
_SAMPLE = 2000
#: The quantiles that are reported.
_QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999)
#: Compiled code sifts the pairs if there are at least `_MANY_PAIRS` and at least `_PASSING` of them are above the
#: minimum cosine.
_MANY_PAIRS, _PASSING = 300_000_000, 1 << 21
#: If more candidates than this are waiting, those that can no longer be among the nearest neighbours are dropped. If
#: more than half of this number remain, their exact cosines are computed.
_WAITING = 1 << 21


class Rows(Protocol):
    """Vectors in memory or in a file: (n, d) float32, read by a slice or by an array of row numbers."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of vectors, and length of each vector."""

    def __len__(self) -> int: ...

    def __getitem__(self, which: slice | Places | Short, /) -> Singles: ...


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs of vectors, given by their positions, ordered by (head, tail), with head < tail.

    Attributes:
        heads: Position of the first vector of each pair, (pairs,).
        tails: Position of the second vector of each pair, (pairs,).
        cosines: Cosine of each pair, (pairs,), in [-1, 1], rounded to 12 decimals.
    """

    heads: Places
    tails: Places
    cosines: Floats

    def __len__(self) -> int:
        return len(self.heads)

    def only(self, which: NDArray[np.bool_]) -> "Pairs":
        """Return the pairs selected by a mask."""
        return Pairs(self.heads[which], self.tails[which], self.cosines[which])


class Units:
    """Vectors scaled to length 1, and their exact cosines.

    Args:
        vectors: (n, d), finite; a vector of length 0 has the cosine 0 with every other vector.
    """

    def __init__(self, vectors: Rows) -> None:
        self.vectors = vectors
        lengths = np.empty(len(vectors))
        for start in range(0, len(vectors), _ROWS):
            rows = vectors[start : start + _ROWS]
            lengths[start : start + _ROWS] = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
        self.inverse: Floats = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        there = self.inverse[self.inverse > 0]
        fine = not there.size or (there.min() > _FINE and there.max() < 1 / _FINE)
        self._scale = self.inverse.astype(np.float32) if fine else self.inverse
        #: Bound on the error of a float32 dot product of unit vectors, including the rounding of the vectors.
        self.slack = (vectors.shape[1] + 8) * 2.0**-24

    def __len__(self) -> int:
        return len(self.vectors)

    def rows(self, start: int, end: int) -> Singles:
        """Return the rows from `start` to `end` (excluded), scaled to length 1."""
        rows: Singles = (self.vectors[start:end] * self._scale[start:end, None]).astype(np.float32, copy=False)
        return rows

    def cosines(self, heads: Places | Short, tails: Places | Short) -> Floats:
        """Return the cosines of pairs, computed in float64 and rounded to 12 decimals, so that equal vectors give 1."""
        found = np.empty(len(heads))
        for start in range(0, len(heads), _CHUNK):
            some = slice(start, start + _CHUNK)
            a, b = (self.vectors[places[some]].astype(np.float64) for places in (heads, tails))
            products = np.einsum("ij,ij->i", a, b) * self.inverse[heads[some]] * self.inverse[tails[some]]
            found[some] = np.clip(products.round(12), -1.0, 1.0)
        return found


class TopNeighbours:
    """The exact `top_k` nearest neighbours of each concept among the pairs received.

    Neighbours with equal cosines are ordered by position, ascending.

    Args:
        units: The vectors.
        top_k: Number of neighbours kept per concept.
        above: A pair counts only if its cosine is above this value.
    """

    def __init__(self, units: Units, top_k: int, above: float) -> None:
        self._units, self._above = units, above
        self._cosines = np.full((len(units), top_k), -np.inf)
        self._others = np.full((len(units), top_k), -1, np.int32)

    def take(self, heads: Places | Short, tails: Places | Short) -> None:
        """Receive pairs with head < tail. A repeated pair changes nothing."""
        cosines = self._units.cosines(heads, tails)
        near = cosines > self._above
        ends = (heads[near].astype(np.int32), tails[near].astype(np.int32))
        if len(ends[0]) < _MANY_AT_ONCE:
            self._sort_in(*ends, cosines[near])
        else:
            _insert_pairs.fast(*ends, cosines[near], self._cosines, self._others)

    def _sort_in(self, heads: Short, tails: Short, cosines: Floats) -> None:
        """Merge new pairs into the neighbours of both of their concepts by sorting, and keep the k nearest of each."""
        new = np.unique(np.concatenate([heads, tails]))
        place = np.searchsorted(new, np.concatenate([heads, tails]))
        rows, columns = np.nonzero(self._others[new] >= 0)
        ends = np.concatenate([rows, place])
        near = np.concatenate([self._cosines[new[rows], columns], cosines, cosines])
        others = np.concatenate([self._others[new[rows], columns], tails, heads])
        order = np.lexsort((others, -near, ends))
        ends, near, others = ends[order], near[order], others[order]
        again = np.zeros(len(ends), np.bool_)
        again[1:] = (ends[1:] == ends[:-1]) & (others[1:] == others[:-1])
        ends, near, others = ends[~again], near[~again], others[~again]
        rank = np.arange(len(ends)) - np.searchsorted(ends, ends)
        first = rank < self._others.shape[1]
        self._cosines[new[ends[first]], rank[first]] = near[first]
        self._others[new[ends[first]], rank[first]] = others[first]

    def pairs(self) -> Pairs:
        """Return the pairs in which at least one concept is among the k nearest neighbours of the other."""
        ends, places = np.nonzero(self._others >= 0)
        others, cosines = self._others[ends, places].astype(np.int64), self._cosines[ends, places]
        # Each pair becomes one number. Sorting the numbers gives the required order and finds pairs that occur twice.
        number = np.minimum(ends, others) * np.int64(max(1, len(self._units))) + np.maximum(ends, others)
        found, first = np.unique(number, return_index=True)
        return Pairs(*np.divmod(found, max(1, len(self._units))), cosines[first])


def _insert(own: Floats, others: Short, cosine: float, other: int) -> None:
    """Insert the concept `other` into the nearest neighbours of a concept if it is near enough.

    `own` holds the cosines of these neighbours in descending order, and `others` their positions.
    """
    place = len(own) - 1
    if cosine < own[place] or (cosine == own[place] and other >= others[place] >= 0):
        return
    while place >= 0 and (own[place] < cosine or (own[place] == cosine and others[place] > other)):
        place -= 1
    if place >= 0 and others[place] == other:
        return
    for behind in range(len(own) - 1, place + 1, -1):
        own[behind], others[behind] = own[behind - 1], others[behind - 1]
    own[place + 1], others[place + 1] = cosine, other


@compiled(_insert)
def _insert_pairs(heads: Short, tails: Short, cosines: Floats, own: Floats, others: Short) -> None:
    """Insert each pair into the nearest neighbours of both of its concepts."""
    for pair in range(len(heads)):
        _insert(own[heads[pair]], others[heads[pair]], cosines[pair], tails[pair])
        _insert(own[tails[pair]], others[tails[pair]], cosines[pair], heads[pair])


class Spread:
    """The cosines of the pairs of a sample.

    Args:
        cosines: The cosines, in any order. Values that rounding moved outside [-1, 1] are set to the nearest bound.
    """

    def __init__(self, cosines: NDArray[np.float32]) -> None:
        self._sorted = np.sort(np.clip(cosines, -1.0, 1.0))

    @property
    def pairs(self) -> int:
        """The number of cosines."""
        return len(self._sorted)

    def quantile(self, share: float) -> float:
        """Return a quantile of the cosines: the smallest cosine c for which at least `share` of the cosines are <= c.

        `share` is in [0, 1]. Without pairs, the result is 0.0.
        """
        place = max(0, int(np.ceil(share * self.pairs)) - 1)
        return round(float(self._sorted[place]), 6) if self.pairs else 0.0

    @property
    def quantiles(self) -> Mapping[str, float]:
        """The quantiles of the cosines for the shares in `_QUANTILES`, by share as text, such as `0.95`."""
        return {f"{share:g}": self.quantile(share) for share in _QUANTILES}

    def share_above(self, cosine: float) -> float:
        """Return the share of the pairs whose cosine is above the given one, in [0, 1]; 0.0 if there are no pairs."""
        above = self.pairs - int(np.searchsorted(self._sorted, np.float32(cosine), "right"))
        return above / max(1, self.pairs)


def sampled(vectors: Rows, *, size: int = _SAMPLE) -> Spread:
    """Return the distribution of the cosines of all pairs of `size` random vectors (of all, if there are fewer)."""
    n = len(vectors)
    places = np.sort(np.random.default_rng(0).choice(n, size, replace=False)) if n > size else np.arange(n)
    rows = Units(np.asarray(vectors[places], np.float32)).rows(0, len(places))
    return Spread((rows @ rows.T)[np.triu_indices(len(places), 1)])


class _Floors(Protocol):
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


def _floors(count: int, top_k: int, above: float, slack: float, share: Callable[[], float]) -> _Floors:
    """Return the implementation that suits the number of pairs above the minimum cosine."""
    pairs = count * count // 2
    kind = _HeapFloors if pairs >= _MANY_PAIRS and share() * pairs >= _PASSING else _TileFloors
    return kind(count, top_k, above, slack)


class _TileFloors:
    """A filter with a lower bound on the k-th largest cosine of each concept.

    Tiles with many pairs above the minimum cosine raise these bounds.
    """

    def __init__(self, count: int, top_k: int, above: float, slack: float) -> None:
        self._bars = np.full(count, -np.inf, np.float32)
        self._k = top_k
        self._cut, self._margin = np.float32(above - slack), np.float32(2 * slack)

    def sift(self, tile: Singles, top: int, left: int) -> tuple[Short, Short, Singles]:
        """Return the pairs of a tile that may be near neighbours, as `_Floors` defines."""
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
        """Return a mask of the given pairs that may still be near neighbours, as `_Floors` defines."""
        bar = cosines + self._margin
        kept: NDArray[np.bool_] = (bar >= self._bars[heads]) | (bar >= self._bars[tails])
        return kept


class _HeapFloors:
    """A filter for many pairs. Compiled code keeps the k largest float32 cosines of each concept so far in heaps."""

    def __init__(self, count: int, top_k: int, above: float, slack: float) -> None:
        self._heaps = np.full((count, top_k), -np.inf, np.float32)
        self._cut, self._margin = np.float32(above - slack), np.float32(2 * slack)

    def sift(self, tile: Singles, top: int, left: int) -> tuple[Short, Short, Singles]:
        """Return the pairs of a tile that may be near neighbours, as `_Floors` defines."""
        heads, tails = np.empty(tile.size, np.int32), np.empty(tile.size, np.int32)
        cosines = np.empty(tile.size, np.float32)
        found = _sift.fast(tile, top, left, self._cut, self._margin, self._heaps, heads, tails, cosines)
        return heads[:found].copy(), tails[:found].copy(), cosines[:found].copy()

    def still(self, heads: Short, tails: Short, cosines: Singles) -> NDArray[np.bool_]:
        """Return a mask of the given pairs that may still be near neighbours, as `_Floors` defines."""
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
    bars = _floors(n, top_k, above, units.slack, lambda: sampled(vectors).share_above(above))
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

    def __init__(self, floors: _Floors, nearest: TopNeighbours) -> None:
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
