"""The distribution of the cosines of a model's names, from a random sample of 2,000 of them: two million pairs."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from fuzzygraph.similarity.nearest import Rows, Units

#: Number of vectors in the sample.
SAMPLE = 2000
#: The quantiles that are reported.
QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999)


class Spread:
    """The cosines of the pairs of a sample.

    Args:
        cosines: The cosines, in any order; values outside [-1, 1] by rounding count as the bound.
    """

    def __init__(self, cosines: NDArray[np.float32]) -> None:
        self._sorted = np.sort(np.clip(cosines, -1.0, 1.0))

    @property
    def pairs(self) -> int:
        """The number of cosines."""
        return len(self._sorted)

    def quantile(self, share: float) -> float:
        """Return the smallest cosine that at least a share (0 to 1) of the pairs do not exceed; 0.0 without pairs."""
        place = max(0, int(np.ceil(share * self.pairs)) - 1)
        return round(float(self._sorted[place]), 6) if self.pairs else 0.0

    @property
    def quantiles(self) -> Mapping[str, float]:
        """The cosines at `QUANTILES`, by names such as `0.95`."""
        return {f"{share:g}": self.quantile(share) for share in QUANTILES}

    def share_above(self, cosine: float) -> float:
        """Return the share of the pairs above a cosine, in [0, 1]; 0.0 if there are none."""
        above = self.pairs - int(np.searchsorted(self._sorted, np.float32(cosine), "right"))
        return above / max(1, self.pairs)


def sampled(vectors: Rows, *, size: int = SAMPLE) -> Spread:
    """Return the distribution of the cosines of all pairs in a random sample of vectors, or in all if they are few."""
    n = len(vectors)
    places = np.sort(np.random.default_rng(0).choice(n, size, replace=False)) if n > size else np.arange(n)
    rows = Units(np.asarray(vectors[places], np.float32)).rows(0, len(places))
    return Spread((rows @ rows.T)[np.triu_indices(len(places), 1)])
