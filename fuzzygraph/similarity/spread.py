"""How the cosines of pairs lie: smallest, largest, a fine histogram, and what any cut would keep of them."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from groundwork.compiled import compiled

#: Bins over [-1, 1] in which cosines are counted.
BINS = 1 << 14
#: Rows of a tile that are counted at a time: what that takes stays in the processor's cache.
_STRIP = 64
#: The shares of pairs at whose cosines a spread is told.
QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999)

Singles = NDArray[np.float32]
Counts = NDArray[np.int64]


class Spread:
    """Smallest and largest of some cosines, and a count in each of 16,384 equal bins over [-1, 1].

    Args:
        many: Whether there will be so many that compiled code is worth its start.
    """

    def __init__(self, *, many: bool = False) -> None:
        self._compiled = many
        self._counts = np.zeros(BINS, np.int64)
        self._min, self._max = 1.0, -1.0

    def add(self, tile: Singles, *, above_diagonal: bool = False) -> None:
        """Take in a table of cosines; what rounding put outside [-1, 1] counts as the end.

        Args:
            tile: (rows, columns).
            above_diagonal: Only those right of the diagonal: the pairs of a set with itself, each once.
        """
        if self._compiled:
            self._took(*_counted.fast(tile, above_diagonal, self._counts))
            return
        for start in range(0, len(tile), _STRIP):
            strip = tile[start : start + _STRIP]
            if above_diagonal:
                strip = strip[np.triu_indices(len(strip), start + 1, tile.shape[1])]
            if strip.size:
                bins = ((strip + np.float32(1)) * np.float32(BINS / 2)).astype(np.int64).ravel()
                self._counts += np.bincount(np.clip(bins, 0, BINS - 1), minlength=BINS)
                self._took(float(strip.min()), float(strip.max()))

    @property
    def pairs(self) -> int:
        """How many cosines were taken in."""
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

    def _took(self, low: float, high: float) -> None:
        self._min, self._max = min(self._min, low), max(self._max, high)

    def _at(self, place: int) -> float:
        """The middle of the bin that holds the pair of that rank, the smallest cosine being of rank 1."""
        found = int(np.searchsorted(np.cumsum(self._counts), place))
        return round(min(self.max, max(self.min, (found + 0.5) * 2 / BINS - 1)), 6)


@compiled()
def _counted(tile: Singles, above_diagonal: bool, counts: Counts) -> tuple[float, float]:
    """Count a tile's cosines in bins; the smallest and largest of them (1 and -1 where there are none)."""
    low, high = np.float32(1), np.float32(-1)
    one, half, last = np.float32(1), np.float32(len(counts) / 2), len(counts) - 1
    for row in range(tile.shape[0]):
        for column in range(row + 1 if above_diagonal else 0, tile.shape[1]):
            cosine = tile[row, column]
            low, high = min(low, cosine), max(high, cosine)
            counts[min(max(int((cosine + one) * half), 0), last)] += 1
    return float(low), float(high)
