"""Agreement of verdicts with labels: figures from a confusion matrix, with intervals, and the calibration error.

A matrix has one row per label (supported, contradicted, not_enough) and one column per verdict (the same, then failed;
a judge without an answer was not right). Functions keep leading axes, so that thousands of resamples are one call.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from groundwork.records import Record
from knowhd.intervals import wilson
from knowhd.judge import Verdict

LABELS: tuple[Verdict, ...] = ("supported", "contradicted", "not_enough")
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
#: Number of resamples for an interval, and number of bins of the calibration error.
RESAMPLES, BINS = 1000, 10

Array = NDArray[np.float64]
Given = Sequence[tuple[Verdict, Verdict]]
Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Bin(Record):
    """A bin of a reliability diagram: cases with similar probabilities.

    Attributes:
        low: Lower bound of the probabilities, in [0, 1], included.
        high: Upper bound, excluded except in the last bin.
        n: Number of cases, at least one.
        sure: Mean probability of the cases.
        right: Share of the cases that were right.
        right_low: Lower bound of its 95 % interval (Wilson).
        right_high: Upper bound of this interval.
    """

    low: float
    high: float
    n: int
    sure: float
    right: float
    right_low: float
    right_high: float


def matrix(given: Given) -> Array:
    """Return the confusion matrix of pairs (label, verdict)."""
    table = np.zeros((len(LABELS), len(VERDICTS)))
    for label, verdict in given:
        table[LABELS.index(label), VERDICTS.index(verdict)] += 1
    return table


def recall(table: Array) -> Array:
    """Return the balanced accuracy: mean recall over the labels that occur, in [0, 1]."""
    rows = table.sum(axis=-1)
    right = np.diagonal(table, axis1=-2, axis2=-1)
    shares = np.divide(right, rows, out=np.zeros_like(right), where=rows > 0)
    found: Array = shares.sum(axis=-1) / np.maximum(1, (rows > 0).sum(axis=-1))
    return found


def macro_f1(table: Array) -> Array:
    """Return the mean F1 over the labels that occur or are given, in [0, 1]."""
    right = np.diagonal(table, axis1=-2, axis2=-1)
    both = table.sum(axis=-1) + table.sum(axis=-2)[..., : len(LABELS)]
    shares = np.divide(2 * right, both, out=np.zeros_like(right), where=both > 0)
    found: Array = shares.sum(axis=-1) / np.maximum(1, (both > 0).sum(axis=-1))
    return found


def agreement(table: Array) -> Array:
    """Return Cohen's kappa, (po - pe) / (1 - pe), at most 1; 0 if the chance agreement pe is 1."""
    n = table.sum(axis=(-2, -1))
    right = np.trace(table, axis1=-2, axis2=-1)
    chance = (table.sum(axis=-1) * table.sum(axis=-2)[..., : len(LABELS)]).sum(axis=-1)
    found: Array = np.divide(right * n - chance, n * n - chance, out=np.zeros_like(n), where=n * n > chance)
    return found


def balanced_accuracy(given: Given) -> float:
    """Return the mean recall of pairs (label, verdict), as `recall` does."""
    return float(recall(matrix(given)))


def kappa(given: Given) -> float:
    """Return Cohen's kappa of pairs (label, verdict), as `agreement` does."""
    return float(agreement(matrix(given)))


def resampled(given: Given, groups: Sequence[Hashable], seed: int = 0) -> Array:
    """Return RESAMPLES confusion matrices of resampled whole groups. Pairs of a group are not independent."""
    numbers = {group: n for n, group in enumerate(dict.fromkeys(groups))}
    parts = np.zeros((len(numbers), len(LABELS), len(VERDICTS)))
    for (label, verdict), group in zip(given, groups, strict=True):
        parts[numbers[group], LABELS.index(label), VERDICTS.index(verdict)] += 1
    drawn = np.random.default_rng(seed).multinomial(len(parts), np.full(len(parts), 1 / len(parts)), size=RESAMPLES)
    found: Array = np.tensordot(drawn.astype(float), parts, axes=1)
    return found


def interval(values: Array) -> Interval:
    """Return the middle 95 % of resampled figures."""
    low, high = np.quantile(values, [0.025, 0.975])
    return round(float(low), 3), round(float(high), 3)


def reliability(sure: Sequence[float], right: Sequence[bool]) -> tuple[Bin, ...]:
    """Return the reliability diagram: the bins of `calibration_error` that contain a case, in ascending order."""
    held: dict[int, list[tuple[float, bool]]] = {}
    for place, case in zip(_bins(sure).tolist(), zip(sure, right, strict=True), strict=True):
        held.setdefault(place, []).append(case)
    return tuple(_bin(place, cases) for place, cases in sorted(held.items()))


def calibration_error(sure: Sequence[float], right: Sequence[bool]) -> float | None:
    """Return the expected calibration error over BINS bins of equal width, in [0, 1]; None without probabilities.

    ECE = sum over bins of |share right - mean probability| * share of the cases (Guo et al. 2017, equation 3).
    """
    if not sure:
        return None
    given, hits = np.array(sure), np.array(right, dtype=float)
    bins = _bins(sure)
    sizes = np.bincount(bins, minlength=BINS)
    gaps = np.bincount(bins, hits - given, minlength=BINS)
    return float(np.abs(gaps).sum() / sizes.sum())


def _bins(sure: Sequence[float]) -> NDArray[np.int64]:
    """Return the bin of each probability. The last bin includes 1."""
    # The small constant keeps multiples of 0.1 in their own bin despite floating-point rounding.
    found: NDArray[np.int64] = np.minimum((np.array(sure, dtype=float) * BINS + 1e-9).astype(np.int64), BINS - 1)
    return found


def _bin(place: int, cases: Sequence[tuple[float, bool]]) -> Bin:
    n, hits = len(cases), sum(bool(right) for _, right in cases)
    low, high = wilson(hits, n) or (0.0, 1.0)
    mean = sum(sure for sure, _ in cases) / n
    return Bin(place / BINS, (place + 1) / BINS, n, *(round(each, 6) for each in (mean, hits / n, low, high)))
