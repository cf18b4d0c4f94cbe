"""Intervals around shares and means, 95 % each: Wilson where the unit is a claim, the bootstrap where it is a text."""

from collections.abc import Callable
from math import sqrt

import numpy as np
from numpy.typing import NDArray

#: Two-sided 95 % of the normal distribution.
Z = 1.959964
RESAMPLES = 1000

Interval = tuple[float, float]


def wilson(successes: int, n: int) -> Interval | None:
    """Wilson's score interval of a share (JASA 22, 1927): never outside [0, 1], and no point at 0 of n or n of n.

    Args:
        successes: 0 to n.
        n: Units; None comes back for 0.
    """
    if n == 0:
        return None
    share = successes / n
    centre = (share + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    return low, high


def bootstrap(
    rows: NDArray[np.float64], statistic: Callable[[NDArray[np.float64]], float], seed: int = 0
) -> Interval | None:
    """The percentile bootstrap of a statistic over rows (Efron 1979), the same for the same rows and seed.

    Args:
        rows: One row a unit; units are drawn whole, with replacement, so what stands in one row stays together.
        statistic: Rows to a number.
        seed: Of the draws.

    Returns:
        The 2.5th and 97.5th percentile over 1000 resamples; None for fewer than two rows, which show no spread.
    """
    if len(rows) < 2:
        return None
    random = np.random.default_rng(seed)
    drawn = [statistic(rows[random.integers(len(rows), size=len(rows))]) for _ in range(RESAMPLES)]
    low, high = np.percentile(drawn, [2.5, 97.5])
    return float(low), float(high)
