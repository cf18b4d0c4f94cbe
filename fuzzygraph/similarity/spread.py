"""The distribution of a model's cosines, estimated from all pairs of 2,000 random names (two million pairs)."""

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
        """The quantiles of the cosines for the shares in `QUANTILES`, by share as text, such as `0.95`."""
        return {f"{share:g}": self.quantile(share) for share in QUANTILES}

    def share_above(self, cosine: float) -> float:
        """Return the share of the pairs whose cosine is above the given one, in [0, 1]; 0.0 if there are no pairs."""
        above = self.pairs - int(np.searchsorted(self._sorted, np.float32(cosine), "right"))
        return above / max(1, self.pairs)


def sampled(vectors: Rows, *, size: int = SAMPLE) -> Spread:
    """Return the distribution of the cosines of all pairs of `size` random vectors (of all, if there are fewer)."""
    n = len(vectors)
    places = np.sort(np.random.default_rng(0).choice(n, size, replace=False)) if n > size else np.arange(n)
    rows = Units(np.asarray(vectors[places], np.float32)).rows(0, len(places))
    return Spread((rows @ rows.T)[np.triu_indices(len(places), 1)])
