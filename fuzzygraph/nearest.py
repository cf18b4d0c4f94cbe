"""The nearest of each concept, kept while pairs come in any order: first by float32 cosines, then by exact ones.

`Floors` knows, from float32 products alone, how near a pair must be to matter to either end. `Nearest` holds the
exact top k of each concept: cosines in float64, equal ones by position, so that neither the order in which pairs
come nor how they were found changes what stays. Both take n * k numbers, whatever the number of pairs.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from groundwork.compiled import compiled

#: Pairs computed exactly at a time: some 25 MB at 768 numbers a vector.
_CHUNK = 1 << 11
#: Rows whose lengths are worked out at a time.
_ROWS = 1 << 12

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Places = NDArray[np.int64]
Short = NDArray[np.int32]


class Rows(Protocol):
    """Vectors, in memory or in a file: (n, d) float32, of which slices or chosen rows are read."""

    @property
    def shape(self) -> tuple[int, ...]:
        """(n, d)."""

    def __len__(self) -> int: ...

    def __getitem__(self, which: slice | Places | Short, /) -> Singles: ...


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


class Units:
    """Vectors at length 1, and their exact cosines.

    Args:
        vectors: (n, d) finite; a vector of length 0 has the cosine 0 with every other.
    """

    def __init__(self, vectors: Rows) -> None:
        self.vectors = vectors
        lengths = np.empty(len(vectors))
        for start in range(0, len(vectors), _ROWS):
            rows = vectors[start : start + _ROWS]
            lengths[start : start + _ROWS] = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
        self.inverse: Floats = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        #: Bound on the error of a float32 dot product of unit vectors, their own rounding included.
        self.slack = (vectors.shape[1] + 8) * 2.0**-24

    def __len__(self) -> int:
        return len(self.vectors)

    def rows(self, start: int, end: int) -> Singles:
        """Rows start to end at length 1."""
        rows: Singles = (self.vectors[start:end] * self.inverse[start:end, None]).astype(np.float32)
        return rows

    def cosines(self, heads: Places | Short, tails: Places | Short) -> Floats:
        """Of some pairs, computed in float64 and rounded, so that equal vectors have 1 and ties are ties."""
        found = np.empty(len(heads))
        for start in range(0, len(heads), _CHUNK):
            some = slice(start, start + _CHUNK)
            a, b = (self.vectors[places[some]].astype(np.float64) for places in (heads, tails))
            products = np.einsum("ij,ij->i", a, b) * self.inverse[heads[some]] * self.inverse[tails[some]]
            found[some] = np.clip(products.round(12), -1.0, 1.0)
        return found


class Floors:
    """The k-th largest float32 cosine of each concept so far, from tiles.

    Args:
        count: Concepts.
        top_k: k.
        above: The cut; what lies at or below it by more than `slack` matters to nobody.
        slack: Bound on the error of a cosine in a tile.
    """

    def __init__(self, count: int, top_k: int, above: float, slack: float) -> None:
        self._heaps = np.full((count, top_k), -np.inf, np.float32)
        self._cut, self._margin = np.float32(above - slack), np.float32(2 * slack)

    def sift(self, tile: Singles, top: int, left: int) -> tuple[Short, Short, Singles]:
        """The pairs of a tile that may yet be among the nearest of an end: heads, tails and near-exact cosines.

        Args:
            tile: (rows, columns); row i is concept top + i, column j concept left + j. A tile on the diagonal counts
                right of it only.
            top: First row's position.
            left: First column's position.
        """
        heads, tails = np.empty(tile.size, np.int32), np.empty(tile.size, np.int32)
        cosines = np.empty(tile.size, np.float32)
        sifted = _sifted.over(tile.size)
        found = sifted(tile, top, left, self._cut, self._margin, self._heaps, heads, tails, cosines)
        return heads[:found].copy(), tails[:found].copy(), cosines[:found].copy()

    def still(self, heads: Short, tails: Short, cosines: Singles) -> NDArray[np.bool_]:
        """Which of earlier pairs may still be among the nearest of an end."""
        bar = cosines + self._margin
        kept: NDArray[np.bool_] = (bar >= self._heaps[heads, 0]) | (bar >= self._heaps[tails, 0])
        return kept


class Nearest:
    """The exact top k of each concept among the pairs taken in; ties by position, ascending.

    Args:
        units: The vectors.
        top_k: k.
        above: The cut; pairs count if their cosine is above it.
    """

    def __init__(self, units: Units, top_k: int, above: float) -> None:
        self._units, self._above = units, above
        self._cosines = np.full((len(units), top_k), -np.inf)
        self._others = np.full((len(units), top_k), -1, np.int32)

    def take(self, heads: Places | Short, tails: Places | Short) -> None:
        """Take in pairs, head < tail; one that was taken before changes nothing."""
        cosines = self._units.cosines(heads, tails)
        near = cosines > self._above
        ends = (heads[near].astype(np.int32), tails[near].astype(np.int32))
        if len(ends[0]):
            _inserted.over(len(ends[0]))(*ends, cosines[near], self._cosines, self._others)

    def pairs(self) -> Pairs:
        """Those that are among the top k of either end."""
        ends, places = np.nonzero(self._others >= 0)
        others, cosines = self._others[ends, places].astype(np.int64), self._cosines[ends, places]
        # One number a pair: sorted, it is the order wanted, and a pair that both ends keep stands twice.
        number = np.minimum(ends, others) * np.int64(max(1, len(self._units))) + np.maximum(ends, others)
        found, first = np.unique(number, return_index=True)
        return Pairs(*np.divmod(found, max(1, len(self._units))), cosines[first])


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


def _kept(own: Floats, others: Short, cosine: float, other: int) -> None:
    """Put a neighbour where it belongs among a concept's nearest, if it does."""
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


@compiled(_kept)
def _inserted(heads: Short, tails: Short, cosines: Floats, own: Floats, others: Short) -> None:
    """Tell both ends of each pair."""
    for pair in range(len(heads)):
        _kept(own[heads[pair]], others[heads[pair]], cosines[pair], tails[pair])
        _kept(own[tails[pair]], others[tails[pair]], cosines[pair], heads[pair])
