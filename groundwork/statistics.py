"""Statistics of measurements: 95 % intervals, figures of classification, calibration, and tests of significance.

Counts and confusion matrices may have leading axes, so that one call can handle thousands of resamples. A confusion
matrix has one row per label. Its columns are the answers: the labels in the same order, then answers that are no label,
if any. Tests are those of scipy and statsmodels. Each test result names its test and its n.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from groundwork.records import Record

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


def resample_counts(counts: ArrayLike) -> Array:
    """Return resamples of counted units, shape (RESAMPLES, *counts.shape).

    Units of one cell are alike, so a draw of n units with replacement is one draw from a multinomial distribution.

    `counts` is the number of units in each cell; at least one unit in total.
    """
    cells = np.asarray(counts, dtype=np.float64)
    n = int(cells.sum())
    drawn = np.random.default_rng(0).multinomial(n, cells.reshape(-1) / n, size=RESAMPLES)
    return drawn.reshape(RESAMPLES, *cells.shape).astype(np.float64)


def percentile_interval(figures: ArrayLike) -> Interval | None:
    """Return the 2.5th and 97.5th percentile of resampled figures; None if each of them is NaN."""
    values = np.asarray(figures, dtype=np.float64)
    known = values[~np.isnan(values)]
    if not len(known):
        return None
    low, high = np.percentile(known, [2.5, 97.5])
    return float(low), float(high)


def share(part: ArrayLike, whole: ArrayLike, undefined: float = np.nan) -> Array:
    """Return part / whole.

    Precision is the share of hits among the predicted units. Recall is the share of hits among the positives.

    Args:
        part: Counts, >= 0.
        whole: Counts of the same shape, >= part.
        undefined: The share where the whole is 0.
    """
    parts, wholes = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    found: Array = np.divide(parts, wholes, out=np.full(parts.shape, undefined), where=wholes > 0)
    return found


def f1_score(hits: ArrayLike, predicted: ArrayLike, positives: ArrayLike, undefined: float = np.nan) -> Array:
    """Return F1, the harmonic mean of precision and recall: 2 hits / (predicted + positives), in [0, 1].

    Args:
        hits: True positives.
        predicted: Units predicted as positive.
        positives: Units that are positive.
        undefined: F1 if no unit is positive or predicted as positive.
    """
    return share(2.0 * np.asarray(hits), np.asarray(predicted) + np.asarray(positives), undefined)


def balanced_accuracy(table: Array) -> Array:
    """Return the mean recall over the labels that occur, in [0, 1].

    If all answers are the same label, and this label occurs, the result is 1 / (number of labels that occur).
    """
    positives = table.sum(axis=-1)
    recall = share(_hits(table), positives, 0.0)
    found: Array = recall.sum(axis=-1) / np.maximum(1, (positives > 0).sum(axis=-1))
    return found


def macro_f1(table: Array) -> Array:
    """Return the mean F1, in [0, 1], over the labels that a unit has or that occur as an answer."""
    positives, predicted = _margins(table)
    scores = f1_score(_hits(table), predicted, positives, 0.0)
    found: Array = scores.sum(axis=-1) / np.maximum(1, (positives + predicted > 0).sum(axis=-1))
    return found


def cohen_kappa(table: Array) -> Array:
    """Return Cohen's kappa, (po - pe) / (1 - pe), at most 1; 0 where the chance agreement pe is 1.

    Source: Cohen, Educational and Psychological Measurement 20, 1960.
    """
    positives, predicted = _margins(table)
    n, chance = table.sum(axis=(-2, -1)), (positives * predicted).sum(axis=-1)
    return share(_hits(table).sum(axis=-1) * n - chance, n * n - chance, 0.0)


def auroc(positive: NDArray[np.bool_], score: ArrayLike) -> float:
    """Return the chance that a positive unit scores above a negative one (Mann and Whitney, 1947). Ties count half.

    Args:
        positive: Whether each unit is positive.
        score: The score of each unit.

    Returns:
        The area under the ROC curve, in [0, 1]; NaN if a class has no units.
    """
    positives = int(positive.sum())
    negatives = len(positive) - positives
    if not positives or not negatives:
        return float("nan")
    _, place, count = np.unique(np.asarray(score), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(count) - (count - 1) / 2.0)[place]
    return float((ranks[positive].sum() - positives * (positives + 1) / 2.0) / (positives * negatives))


def _hits(table: Array) -> Any:
    """Return the number of right answers for each label."""
    return np.diagonal(table, axis1=-2, axis2=-1)


def _margins(table: Array) -> tuple[Array, Array]:
    """Return the number of units with each label, and the number of answers with each label."""
    return table.sum(axis=-1), table.sum(axis=-2)[..., : table.shape[-2]]


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


Side = Literal["two-sided", "larger"]


@dataclass(frozen=True, slots=True)
class SignificanceTest(Record):
    """A test and its result.

    Attributes:
        test: Name of the test, with its form if there are two.
        statistic: The test's statistic; None if there is nothing to test.
        p: In [0, 1]; None if there is nothing to test.
        n: Number of units that the test uses; depending on the test, discordant pairs, pairs, or all units of both
            samples.
        side: `two-sided`, or `larger` for a test whether the first figure is larger.
    """

    test: str
    statistic: float | None
    p: float | None
    n: int
    side: Side = "two-sided"


@dataclass(frozen=True, slots=True)
class Difference(Record):
    """How much a first figure is above a second, over the same units.

    Attributes:
        value: First minus second.
        low: 2.5th percentile of the paired bootstrap; None for fewer than two units.
        high: 97.5th percentile; None for fewer than two units.
        n: Number of units.
    """

    value: float
    low: float | None
    high: float | None
    n: int


def difference(a: ArrayLike, b: ArrayLike, seed: int = 0) -> Difference:
    """Return the mean of `a` minus the mean of `b`, with the interval of the paired bootstrap.

    Args:
        a: One figure per unit, at least one.
        b: The other figures of the same units, in the same order.
        seed: Random seed.
    """
    apart = np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64)
    low, high = bootstrap(means, apart, seed=seed) or (None, None)
    return Difference(float(apart.mean()), low, high, len(apart))


def mcnemar(a: ArrayLike, b: ArrayLike) -> SignificanceTest:
    """Return McNemar's exact test of two answerers over the same units, two-sided.

    Args:
        a: Whether the first answerer is right, per unit.
        b: Whether the second answerer is right, per unit.

    Returns:
        The test. Its statistic is the smaller of two counts: the units that only the first answerer has right, and the
        units that only the second has right. If both counts are 0, there is nothing to test.
    """
    from statsmodels.stats.contingency_tables import mcnemar as tested

    first, second = np.asarray(a, dtype=bool), np.asarray(b, dtype=bool)
    only_a, only_b = int((first & ~second).sum()), int((~first & second).sum())
    if not only_a + only_b:
        return SignificanceTest("McNemar, exact", None, None, 0)
    found = tested([[0, only_a], [only_b, 0]], exact=True)
    return SignificanceTest("McNemar, exact", float(found.statistic), float(found.pvalue), only_a + only_b)


def preferred(chosen: int, pairs: int) -> tuple[SignificanceTest, SignificanceTest]:
    """Test in two forms whether the first item of each pair is chosen more often than the second.

    The form `paper` is the test of Table 4 in the paper on TruthHypo (arXiv 2505.14599). Its p-values equal those of
    a one-sided two-proportion Z test of the two complementary shares of the same pairs. The shares are not two samples,
    so this form counts the data twice. The form `sound` is the exact binomial test over pairs.

    Args:
        chosen: Number of pairs in which the first item was chosen, 0 to `pairs`.
        pairs: Number of pairs, >= 1.

    Returns:
        Form `paper`, then form `sound`, both one-sided.
    """
    from scipy.stats import binomtest
    from statsmodels.stats.proportion import proportions_ztest

    z, p = proportions_ztest([chosen, pairs - chosen], [pairs, pairs], alternative="larger")
    exact = binomtest(chosen, pairs, alternative="greater")
    return (
        SignificanceTest("two-proportion Z (paper)", float(z), float(p), 2 * pairs, "larger"),
        SignificanceTest("binomial, exact (sound)", float(exact.statistic), float(exact.pvalue), pairs, "larger"),
    )


def holm(p: Sequence[float]) -> tuple[float, ...]:
    """Return the p-values of a family of tests, adjusted by Holm's step-down method (1979), in their order."""
    from statsmodels.stats.multitest import multipletests

    return tuple(float(each) for each in multipletests(p, method="holm")[1]) if p else ()
