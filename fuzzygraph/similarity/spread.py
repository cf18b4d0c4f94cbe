"""The distribution of cosines: minimum, maximum, a fine histogram, and the share above any cut."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

#: Number of bins over [-1, 1].
BINS = 1 << 14
#: Rows of a tile that are counted at once, so that they stay in the processor's cache.
_STRIP = 64
#: The quantiles that are reported.
QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999)

Singles = NDArray[np.float32]


class Spread:
    """Minimum and maximum of cosines, and a count in each of 16,384 equal bins over [-1, 1].

    Args:
        every: Only every n-th row is counted; a divisor of 64. Minimum and maximum use all rows.
    """

    def __init__(self, *, every: int = 1) -> None:
        self._every = every
        self._counts = np.zeros(BINS, np.int64)
        self._min, self._max = 1.0, -1.0

    def add(self, tile: Singles, *, above_diagonal: bool = False) -> None:
        """Add a table of cosines. Values outside [-1, 1] by rounding count as the bound.

        Args:
            tile: (rows, columns).
            above_diagonal: Count only values right of the diagonal, which are the pairs of a set with itself, each
                once. The table must be symmetric.
        """
        for start in range(0, len(tile), _STRIP):
            rows = range(start, min(start + _STRIP, len(tile)), self._every)
            self._count(np.concatenate([tile[row, row + 1 if above_diagonal else 0 :] for row in rows]))
        if above_diagonal:  # drops the diagonal: rows that start at the second number and are one longer end with it
            tile = tile.ravel()[1:].reshape(len(tile) - 1, len(tile) + 1)[:, :-1] if len(tile) > 1 else tile[:0]
        if tile.size:
            self._min, self._max = min(self._min, float(tile.min())), max(self._max, float(tile.max()))

    @property
    def pairs(self) -> int:
        """The number of cosines counted."""
        return int(self._counts.sum())

    @property
    def min(self) -> float:
        """The minimum, to six decimals."""
        return round(max(-1.0, self._min), 6)

    @property
    def max(self) -> float:
        """The maximum, to six decimals."""
        return round(min(1.0, self._max), 6)

    @property
    def median(self) -> float:
        """The middle of the bin that contains the (lower) median; its error is at most 1/16,384."""
        return self._at((self.pairs + 1) // 2)

    def quantile(self, share: float) -> float:
        """Return the cosine at or below which this share of the pairs lies, to within 1/16,384; share in (0, 1]."""
        return self._at(int(np.ceil(share * self.pairs)))

    @property
    def quantiles(self) -> Mapping[str, float]:
        """The cosines at `QUANTILES`, by names such as `0.95`."""
        return {f"{share:g}": self.quantile(share) for share in QUANTILES}

    def share_above(self, cosine: float) -> float:
        """Return the share of the pairs above a cosine (to within its bin), in [0, 1]; 0.0 if there are none."""
        first = int(np.clip((cosine + 1) * BINS / 2 // 1 + 1, 0, BINS))
        return float(self._counts[first:].sum()) / max(1, self.pairs)

    def _count(self, cosines: Singles) -> None:
        bins = ((cosines + np.float32(1)) * np.float32(BINS / 2)).astype(np.int64)
        self._counts += np.bincount(np.clip(bins, 0, BINS - 1), minlength=BINS)

    def _at(self, place: int) -> float:
        """Return the middle of the bin that contains the pair of this rank; the smallest cosine has rank 1."""
        found = int(np.searchsorted(np.cumsum(self._counts), place))
        return round(min(self.max, max(self.min, (found + 0.5) * 2 / BINS - 1)), 6)
