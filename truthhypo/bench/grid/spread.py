"""95 % intervals of a point's figures, each at little cost: a grid has hundreds of points."""

from collections.abc import Callable
from math import sqrt

import numpy as np

from knowhd.intervals import Interval, Z

RESAMPLES = 2000
#: Halvings of [0, 1] in search of a limit.
_STEPS = 40


def of_area(area: float, false: int, true: int) -> Interval:
    """The interval of an AUROC by the score method on Hanley and McNeil's variance (Newcombe 2006, method 5).

    Inside [0, 1], and no point where the area is 0 or 1: the limits are the areas from which ours lies Z standard
    errors away, by the error that each of them would have. Ties are taken for none, which makes it no narrower.

    Args:
        area: The AUROC, in [0, 1].
        false: Statements of the one label, >= 1.
        true: Of the other, >= 1.
    """
    mean = (false + true) / 2 - 1

    def away(limit: float) -> bool:
        spread = 1 + mean * (1 - limit) / (2 - limit) + mean * limit / (1 + limit)
        return abs(limit - area) > Z * sqrt(limit * (1 - limit) * spread / (false * true))

    low, high = (_edge(area, end, away) for end in (0.0, 1.0))
    return low, high


def _edge(inside: float, outside: float, away: Callable[[float], bool]) -> float:
    """Where `away` begins between a place inside and an end; the end, where it lies inside too."""
    if not away(outside):
        return outside
    for _ in range(_STEPS):
        middle = (inside + outside) / 2
        inside, outside = (inside, middle) if away(middle) else (middle, outside)
    return inside


def of_f1(hits: int, flagged: int, positive: int, n: int, seed: int = 0) -> Interval | None:
    """The percentile bootstrap of F1 over statements: their resamples are draws from the four counts.

    Args:
        hits: Positives that were flagged.
        flagged: Statements flagged.
        positive: Positives.
        n: Statements; None comes back for 0.
        seed: Of the draws.
    """
    if n == 0:
        return None
    counts = np.array([hits, flagged - hits, positive - hits, n - flagged - positive + hits])
    both, alone, missed, _ = np.random.default_rng(seed).multinomial(n, counts / n, size=RESAMPLES).T
    found = 2.0 * both / np.maximum(1, 2 * both + alone + missed)
    low, high = np.percentile(found, [2.5, 97.5])
    return float(low), float(high)
