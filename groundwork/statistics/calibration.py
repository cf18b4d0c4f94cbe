"""The reliability diagram of probabilities, and the expected calibration error."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from groundwork.records import Record
from groundwork.statistics.intervals import wilson

#: Number of bins of equal width over [0, 1].
BINS = 10


@dataclass(frozen=True, slots=True)
class Bin(Record):
    """A bin of a reliability diagram: cases with similar probabilities. The figures are rounded to 6 digits.

    Attributes:
        low: Lower limit of the bin, in [0, 1].
        high: Upper limit. A probability equal to it belongs to the next bin, except in the last bin.
        n: Number of cases, at least one.
        sure: Mean probability of the cases.
        right: Share of the cases that came true.
        right_low: Lower limit of the 95 % interval of this share (Wilson).
        right_high: Upper limit of this interval.
    """

    low: float
    high: float
    n: int
    sure: float
    right: float
    right_low: float
    right_high: float


def reliability(sure: ArrayLike, right: ArrayLike) -> tuple[Bin, ...]:
    """Return the bins of a reliability diagram that contain a case, the lowest first.

    Args:
        sure: The probability of each case, in [0, 1].
        right: For each case, whether it came true.
    """
    probabilities, hits = np.asarray(sure, dtype=np.float64), np.asarray(right, dtype=bool)
    # Rounding may make a product such as 0.7 * 10 slightly smaller than 7. It must still count in bin 7.
    places = np.minimum((probabilities * BINS + 1e-9).astype(np.int64), BINS - 1)
    found = []
    for place in np.unique(places):
        inside = places == place
        n, successes = int(inside.sum()), int(hits[inside].sum())
        low, high = wilson(successes, n) or (0.0, 1.0)
        figures = (round(float(each), 6) for each in (probabilities[inside].mean(), successes / n, low, high))
        found.append(Bin(int(place) / BINS, (int(place) + 1) / BINS, n, *figures))
    return tuple(found)


def calibration_error(sure: ArrayLike, right: ArrayLike) -> float | None:
    """Return the expected calibration error, in [0, 1]; None without cases.

    ECE = sum over bins of |share right - mean probability| * share of the cases (Guo et al., ICML 2017, equation 3).

    Args:
        sure: The probability of each case, in [0, 1].
        right: For each case, whether it came true.
    """
    bins = reliability(sure, right)
    n = sum(each.n for each in bins)
    return sum(each.n * abs(each.right - each.sure) for each in bins) / n if n else None
