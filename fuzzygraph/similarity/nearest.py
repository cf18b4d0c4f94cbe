"""The exact nearest neighbours of each concept, collected from pairs that a search delivers in any order.

Cosines are computed in float64 and ties are ordered by position, so the result depends neither on the order in which
pairs arrive nor on how the pairs were found. Only n * k neighbours are kept, whatever the number of pairs.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from groundwork.compiled import compiled

#: Number of pairs computed exactly at a time. The vectors of this many pairs fit into the processor's cache.
_CHUNK = 1 << 7
#: Vectors are scaled in float32 only if the inverse of every length is between this number and 1 / this number, so that
#: float32 holds the inverse without loss of digits.
_FINE = 1e-30
#: Number of rows whose lengths are computed at once.
_ROWS = 1 << 12
#: If at least this many pairs arrive at once, compiled code inserts them one by one. Fewer pairs are merged by sorting.
_MANY = 1 << 19

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Places = NDArray[np.int64]
Short = NDArray[np.int32]


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
        if len(ends[0]) < _MANY:
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
