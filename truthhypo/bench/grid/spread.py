"""95 % intervals of a point's figures. They must be cheap, because a grid has hundreds of points."""

from collections.abc import Callable
from math import sqrt

import numpy as np

from knowhd.intervals import Interval, Z

RESAMPLES = 2000
#: Number of bisections of [0, 1] when searching for a bound.
_STEPS = 40


def of_area(area: float, false: int, true: int) -> Interval:
    """Return the interval of an AUROC by the score method on Hanley and McNeil's variance (Newcombe 2006, method 5).

    It lies within [0, 1] and has a width even if the area is 0 or 1. The bounds are the areas at a distance of Z
    standard errors, with the standard error at the bound. Ties are treated as if there were none, which does not make
    it narrower.

    Args:
        area: The AUROC, in [0, 1].
        false: Number of statements of one label, >= 1.
        true: Number of statements of the other label, >= 1.
    """
    mean = (false + true) / 2 - 1

    def away(limit: float) -> bool:
        spread = 1 + mean * (1 - limit) / (2 - limit) + mean * limit / (1 + limit)
        return abs(limit - area) > Z * sqrt(limit * (1 - limit) * spread / (false * true))

    low, high = (_edge(area, end, away) for end in (0.0, 1.0))
    return low, high


def _edge(inside: float, outside: float, away: Callable[[float], bool]) -> float:
    """Return the place between `inside` and `outside` where `away` becomes true; `outside` if it never does."""
    if not away(outside):
        return outside
    for _ in range(_STEPS):
        middle = (inside + outside) / 2
        inside, outside = (inside, middle) if away(middle) else (middle, outside)
    return inside


def of_f1(hits: int, flagged: int, positive: int, n: int, seed: int = 0) -> Interval | None:
    """Return the percentile bootstrap interval of F1 over statements. Resamples are draws from the four counts.

    Args:
        hits: Number of positives that were flagged.
        flagged: Number of flagged statements.
        positive: Number of positives.
        n: Number of statements; for 0 the result is None.
        seed: Random seed.
    """
    if n == 0:
        return None
    counts = np.array([hits, flagged - hits, positive - hits, n - flagged - positive + hits])
    both, alone, missed, _ = np.random.default_rng(seed).multinomial(n, counts / n, size=RESAMPLES).T
    found = 2.0 * both / np.maximum(1, 2 * both + alone + missed)
    low, high = np.percentile(found, [2.5, 97.5])
    return float(low), float(high)
