"""95 % intervals of shares and means: Wilson's interval for shares of claims, the bootstrap for sets of texts."""

from collections.abc import Callable
from math import sqrt

import numpy as np
from numpy.typing import NDArray

#: 97.5th percentile of the normal distribution, for two-sided 95 % intervals.
Z = 1.959964
RESAMPLES = 1000

Interval = tuple[float, float]


def wilson(successes: int, n: int) -> Interval | None:
    """Return Wilson's score interval of a share (JASA 22, 1927).

    The interval lies within [0, 1], and it has a width even at 0 of n or n of n.

    Args:
        successes: Number of successes, 0 to n.
        n: Number of units. For 0 the result is None.
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
    """Return the percentile bootstrap interval of a statistic over rows (Efron 1979).

    The result is the same for the same rows and seed.

    Args:
        rows: One row per unit. Whole rows are drawn with replacement, so values in one row stay together.
        statistic: Function from rows to a number.
        seed: Seed of the random draws.

    Returns:
        The 2.5th and 97.5th percentile over 1000 resamples, or None for fewer than two rows.
    """
    if len(rows) < 2:
        return None
    random = np.random.default_rng(seed)
    drawn = [statistic(rows[random.integers(len(rows), size=len(rows))]) for _ in range(RESAMPLES)]
    low, high = np.percentile(drawn, [2.5, 97.5])
    return float(low), float(high)
