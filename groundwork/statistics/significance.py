"""Intervals and tests of benchmark figures, by scipy and statsmodels. Each test result names its test and its n."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from groundwork.records import Record
from groundwork.statistics.intervals import bootstrap, means

Array = NDArray[np.float64]
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
