"""Which names are near each other: exact cosine search in blocks, in memory that does not grow with the square.

All pairs of n names are n^2 / 2 cosines; only two blocks of vectors and one block of cosines are held at a time.
Blocks below the diagonal are the mirror of those above and are not computed.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from groundwork.errors import InputError
from groundwork.ports import Progress, Silent

Vectors = NDArray[np.float32]
Rows = NDArray[np.int64]

#: Rows of one block; a block of cosines then takes 16 MB.
BLOCK = 2048
#: Bins of the histogram of cosines, over [-1, 1].
_BINS = 200_000


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Pairs of rows and their cosines, first < second."""

    first: Rows
    second: Rows
    cosine: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.first)


def unit(vectors: NDArray[np.float32]) -> Vectors:
    """Rows scaled to length 1; rows of zeros stay zeros and are near nothing.

    Raises:
        InputError: A row with NaN or infinity.
    """
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(bad):
        raise InputError(f"the vector of name {bad[0]} holds NaN or infinity", "finite numbers", "check the embedder")
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return scaled


def scan(
    vectors: Vectors, least: float, top_k: int, progress: Progress | None = None
) -> tuple[Neighbours, "Distribution"]:
    """Pairs with a cosine of at least `least` that are among the `top_k` nearest of one of their ends; and all cosines.

    Exact. Ties at rank `top_k` go to the lower row.

    Args:
        vectors: Unit rows.
        least: Smallest cosine kept.
        top_k: Nearest neighbours a row may bring in, >= 1.
        progress: Told of every pair compared.
    """
    progress = progress or Silent()
    progress.begin("compare names", len(vectors) * (len(vectors) - 1) // 2, "pairs")
    nearest, distribution = _Nearest(len(vectors), top_k), Distribution()
    for top in range(0, len(vectors), BLOCK):
        for left in range(top, len(vectors), BLOCK):
            cosines = np.clip(vectors[top : top + BLOCK] @ vectors[left : left + BLOCK].T, -1.0, 1.0)
            above = cosines[np.triu_indices(len(cosines), 1)] if left == top else cosines.ravel()
            distribution.add(above, least)
            nearest.add(top, left, cosines, least)
            if left > top:
                nearest.add(left, top, cosines.T, least)
            progress.advance(len(above))
    return nearest.pairs(), distribution


class Distribution:
    """The cosines of all pairs: how many, how many are kept, smallest, median, largest.

    The median is read off a histogram with bins of 1e-5, so it is exact to half of that.
    """

    def __init__(self) -> None:
        self.pairs = 0
        self.kept = 0
        self.min = 1.0
        self.max = -1.0
        self._bins = np.zeros(_BINS, dtype=np.int64)

    def add(self, cosines: NDArray[np.float32], least: float) -> None:
        """Take in cosines in [-1, 1]."""
        if not len(cosines):
            return
        self.pairs += len(cosines)
        self.kept += int(np.count_nonzero(cosines >= least))
        self.min = min(self.min, float(cosines.min()))
        self.max = max(self.max, float(cosines.max()))
        places = np.minimum(((cosines + 1.0) * (_BINS / 2)).astype(np.int64), _BINS - 1)
        self._bins += np.bincount(places, minlength=_BINS)

    @property
    def median(self) -> float:
        """The middle one of all cosines."""
        place = int(np.searchsorted(np.cumsum(self._bins), (self.pairs + 1) // 2))
        return min(self.max, max(self.min, (place + 0.5) / (_BINS / 2) - 1.0))


class _Nearest:
    """The nearest rows of every row so far, best first. A row must meet its neighbours in ascending order."""

    def __init__(self, rows: int, top_k: int) -> None:
        width = min(top_k, max(rows - 1, 1))
        self._rows = np.full((rows, width), -1, dtype=np.int64)
        self._cosines = np.full((rows, width), -np.inf, dtype=np.float32)

    def add(self, top: int, left: int, cosines: NDArray[np.float32], least: float) -> None:
        """Take in one block: rows from `top`, their neighbours from `left`."""
        worst = self._cosines[top : top + len(cosines), -1]
        better = (cosines >= least) & (cosines > worst[:, None])
        if top == left:
            np.fill_diagonal(better, False)
        near, column = np.nonzero(better)
        busy = np.unique(near)
        rank = np.arange(self._rows.shape[1])
        row = np.concatenate([np.repeat(busy + top, len(rank)), near + top])
        name = np.concatenate([self._rows[busy + top].ravel(), column + left])
        cosine = np.concatenate([self._cosines[busy + top].ravel(), cosines[near, column]])
        order = np.lexsort((name, -cosine, row))
        row, name, cosine = row[order], name[order], cosine[order]
        starts = np.searchsorted(row, busy + top)[:, None] + rank
        self._rows[busy + top], self._cosines[busy + top] = name[starts], cosine[starts]

    def pairs(self) -> Neighbours:
        """Every pair that one of its ends keeps, once, in order."""
        first, rank = np.nonzero(self._rows >= 0)
        second, cosine = self._rows[first, rank], self._cosines[first, rank]
        low, high = np.minimum(first, second), np.maximum(first, second)
        _, once = np.unique(low * len(self._rows) + high, return_index=True)
        return Neighbours(low[once], high[once], cosine[once])
