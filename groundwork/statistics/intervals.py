"""95 % intervals: of a share, and of any statistic by the percentile bootstrap."""

from collections.abc import Callable, Sequence
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Interval = tuple[float, float]

#: The 97.5th percentile of the standard normal distribution.
Z = 1.959964
#: Number of resamples of every bootstrap.
RESAMPLES = 1000
#: Number of values of a sample that are drawn in one call, to bound memory.
_BATCH = 1_000_000


def wilson(successes: int, n: int) -> Interval | None:
    """Return Wilson's score interval of a share (Wilson, JASA 22, 1927).

    The interval never leaves [0, 1] and has a positive width even for 0 of n and n of n.

    Args:
        successes: Number of units that have the property, 0 to n.
        n: Number of all units; the result is None for 0.
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
    statistic: Callable[..., ArrayLike], *samples: ArrayLike, seed: int | Sequence[int] = 0
) -> Interval | None:
    """Return the percentile bootstrap interval of a statistic (Efron, Annals of Statistics 7, 1979).

    Args:
        statistic: Maps resampled samples, each of shape (resamples, n), to one figure per resample.
        *samples: Arrays of the same length n. The values at one place belong to one unit and are drawn together.
        seed: Seed of the draws; equal samples and seeds give equal intervals.

    Returns:
        The interval; None for fewer than two units, which show no spread.
    """
    arrays = [np.asarray(sample) for sample in samples]
    n = len(arrays[0])
    if n < 2:
        return None
    random, size = np.random.default_rng(seed), max(1, _BATCH // n)
    figures = []
    for done in range(0, RESAMPLES, size):
        places = random.integers(n, size=(min(size, RESAMPLES - done), n))
        figures.append(np.asarray(statistic(*(array[places] for array in arrays)), dtype=np.float64))
    return percentile_interval(np.concatenate(figures))


def means(values: ArrayLike) -> Array:
    """Return the mean of each resample, as a statistic for `bootstrap`."""
    found: Array = np.asarray(values, dtype=np.float64).mean(axis=-1)
    return found


def resample_counts(counts: ArrayLike, seed: int = 0) -> Array:
    """Return resamples of counted units, shape (RESAMPLES, *counts.shape).

    Units of one cell are alike, so a draw of n units with replacement is one draw from a multinomial distribution.

    Args:
        counts: Number of units in each cell; at least one unit in total.
        seed: Seed of the draws.
    """
    cells = np.asarray(counts, dtype=np.float64)
    n = int(cells.sum())
    drawn = np.random.default_rng(seed).multinomial(n, cells.reshape(-1) / n, size=RESAMPLES)
    return drawn.reshape(RESAMPLES, *cells.shape).astype(np.float64)


def percentile_interval(figures: ArrayLike) -> Interval | None:
    """Return the 2.5th and 97.5th percentile of resampled figures; None if each of them is NaN."""
    values = np.asarray(figures, dtype=np.float64)
    known = values[~np.isnan(values)]
    if not len(known):
        return None
    low, high = np.percentile(known, [2.5, 97.5])
    return float(low), float(high)
