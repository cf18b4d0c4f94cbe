"""Formulas that combine probabilities of edges and paths. Every function says what its result means.

The probability of a path is the product of its edge probabilities. The sum of these products over several paths is not
a probability, because it can exceed 1. Noisy-or is the probability that at least one path holds if the paths are
independent. Callers say which of the two, sum or noisy-or, they report. Paper B is the paper by Shah that
docs/scores/index.md names.
"""

from collections.abc import Iterable
from math import exp, prod

#: Added to the denominator of P_net, so that the denominator is never zero.
EPSILON = 1e-12


def series(probabilities: Iterable[float]) -> float:
    """Return the probability that every step of a path holds: the product (paper B, 6.2).

    Args:
        probabilities: Edge probabilities in [0, 1]; an empty iterable gives 1.0.

    Returns:
        A number in [0, 1].
    """
    return prod(probabilities)


def noisy_or(probabilities: Iterable[float]) -> float:
    """Return the probability that at least one of several independent causes holds: 1 - prod(1 - p).

    Args:
        probabilities: Numbers in [0, 1]; an empty iterable gives 0.0.

    Returns:
        A number in [0, 1]. A single probability is returned unchanged. Many small probabilities keep their precision,
        because only positive terms are added.
    """
    chance = 0.0
    for p in probabilities:
        chance += p * (1.0 - chance)
    return chance


def belief(articles: int, syst: float = 0.05, rand: float = 0.3) -> float:
    """Return the belief in a relation edge from its number of distinct articles: 1 - (syst + rand^n).

    The formula is INDRA's: `syst` is the share of extractions that stay wrong however often they are repeated, and
    `rand` is the probability that a single extraction is wrong by accident. With the defaults, one article gives 0.65,
    two give 0.86, and no number of articles gives more than 0.95.

    Args:
        articles: Number of distinct PMIDs, n >= 0. n = 0 gives 0.0.
        syst: Systematic error in [0, 1).
        rand: Random error in [0, 1), with syst + rand <= 1.

    Returns:
        A number in [0, 1 - syst].
    """
    return 1.0 - (syst + rand**articles) if articles > 0 else 0.0


def sigmoid(x: float) -> float:
    """Return the logistic function 1 / (1 + e^-x), in (0, 1); it is numerically stable for large |x|."""
    if x >= 0:
        return 1.0 / (1.0 + exp(-x))
    e = exp(x)
    return e / (1.0 + e)


def net(support: float, contradiction: float) -> float:
    """Return P_net = Ps / (Ps + Pc + 1e-12) (paper B, 6.7).

    P_net tells which side is stronger, not how much evidence there is: if Pc = 0, it is about 1 even if Ps is small.

    Args:
        support: Ps, the aggregated support, >= 0.
        contradiction: Pc, the aggregated contradiction, >= 0.

    Returns:
        A number in [0, 1]; it reaches 1.0 only by rounding.
    """
    return support / (support + contradiction + EPSILON)
