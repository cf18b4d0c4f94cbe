"""How the cosines of pairs lie: smallest, largest, a fine histogram, and what any cut would keep of them."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

#: Bins over [-1, 1] in which cosines are counted.
BINS = 1 << 14
#: Rows of a tile that are counted at a time: what that takes stays in the processor's cache.
_STRIP = 64
#: The shares of pairs at whose cosines a spread is told.
QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999)

Singles = NDArray[np.float32]


class Spread:
    """Smallest and largest of some cosines, and a count in each of 16,384 equal bins over [-1, 1].

    Args:
        every: Of how many rows one is counted, a divisor of 64; smallest and largest are of all.
    """

    def __init__(self, *, every: int = 1) -> None:
        self._every = every
        self._counts = np.zeros(BINS, np.int64)
        self._min, self._max = 1.0, -1.0

    def add(self, tile: Singles, *, above_diagonal: bool = False) -> None:
        """Take in a table of cosines; what rounding put outside [-1, 1] counts as the end.

        Args:
            tile: (rows, columns).
            above_diagonal: Only those right of the diagonal: the pairs of a set with itself, each once. Those left of
                it are taken to be the same.
        """
        for start in range(0, len(tile), _STRIP):
            rows = range(start, min(start + _STRIP, len(tile)), self._every)
            self._count(np.concatenate([tile[row, row + 1 if above_diagonal else 0 :] for row in rows]))
        if above_diagonal:  # without its diagonal: from the second number on, rows one longer end with what was on it
            tile = tile.ravel()[1:].reshape(len(tile) - 1, len(tile) + 1)[:, :-1] if len(tile) > 1 else tile[:0]
        if tile.size:
            self._min, self._max = min(self._min, float(tile.min())), max(self._max, float(tile.max()))

    @property
    def pairs(self) -> int:
        """How many cosines were counted."""
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
        return self._at((self.pairs + 1) // 2)

    def quantile(self, share: float) -> float:
        """The cosine below or at which that share of the pairs lies, to within 1/16,384; share in (0, 1]."""
        return self._at(int(np.ceil(share * self.pairs)))

    @property
    def quantiles(self) -> Mapping[str, float]:
        """The cosines at `QUANTILES`, by names such as `0.95`."""
        return {f"{share:g}": self.quantile(share) for share in QUANTILES}

    def share_above(self, cosine: float) -> float:
        """Which share of the pairs lies above a cosine (to within its bin), in [0, 1]; 0.0 where there are none."""
        first = int(np.clip((cosine + 1) * BINS / 2 // 1 + 1, 0, BINS))
        return float(self._counts[first:].sum()) / max(1, self.pairs)

    def _count(self, cosines: Singles) -> None:
        bins = ((cosines + np.float32(1)) * np.float32(BINS / 2)).astype(np.int64)
        self._counts += np.bincount(np.clip(bins, 0, BINS - 1), minlength=BINS)

    def _at(self, place: int) -> float:
        """The middle of the bin that holds the pair of that rank, the smallest cosine being of rank 1."""
        found = int(np.searchsorted(np.cumsum(self._counts), place))
        return round(min(self.max, max(self.min, (found + 0.5) * 2 / BINS - 1)), 6)
