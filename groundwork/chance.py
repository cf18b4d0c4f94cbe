"""The only place where probabilities are combined. Every function says what its number is.

A sum of path products is not a probability (it passes 1); noisy-or is one if the paths were independent;
two-terminal reliability is one if the edges are. Callers name which of the three they report.
"""

from collections.abc import Iterable, Mapping
from itertools import product
from math import exp, prod

#: Added to the denominator of P_net so that no evidence divides by nothing (contract.md).
EPSILON = 1e-12


def series(probabilities: Iterable[float]) -> float:
    """Probability that every step of a path holds: the product (paper B, 6.2).

    Args:
        probabilities: Edge probabilities in [0, 1]; none of them gives 1.0.

    Returns:
        A number in [0, 1].
    """
    return prod(probabilities)


def noisy_or(probabilities: Iterable[float]) -> float:
    """Probability that at least one of independent causes holds: 1 - prod(1 - p).

    Args:
        probabilities: Numbers in [0, 1]; none of them gives 0.0.

    Returns:
        A number in [0, 1]; one that stands alone comes back as it was given. Many small ones keep their digits: only
        positive terms are added up.
    """
    chance = 0.0
    for p in probabilities:
        chance += p * (1.0 - chance)
    return chance


def belief(articles: int, syst: float = 0.05, rand: float = 0.3) -> float:
    """Belief of a curated edge from its distinct articles: 1 - (syst + rand^n).

    The shape is INDRA's: `syst` is the share of extractions that are wrong however often they are repeated,
    `rand` the chance that a single one is wrong by accident. With the defaults one article gives 0.65, two 0.86, and
    no number of articles passes 0.95.

    Args:
        articles: Distinct PMIDs, n >= 0. n = 0 gives 0.0: no article, no belief.
        syst: Systematic error in [0, 1).
        rand: Random error in [0, 1), with syst + rand <= 1.

    Returns:
        A number in [0, 1 - syst].
    """
    return 1.0 - (syst + rand**articles) if articles > 0 else 0.0


def sigmoid(x: float) -> float:
    """Logistic function 1 / (1 + e^-x), in (0, 1), stable for large |x|."""
    if x >= 0:
        return 1.0 / (1.0 + exp(-x))
    e = exp(x)
    return e / (1.0 + e)


def net(support: float, contradiction: float) -> float:
    """P_net = Ps / (Ps + Pc + 1e-12) (paper B, 6.7).

    It says which side is heavier, not how much evidence there is: with Pc = 0 it is about 1 however weak Ps.

    Args:
        support: Aggregated support, >= 0.
        contradiction: Aggregated contradiction, >= 0.

    Returns:
        A number in [0, 1]; 1.0 only by rounding.
    """
    return support / (support + contradiction + EPSILON)


def reliability(edges: Mapping[tuple[str, str], float], source: str, target: str) -> float:
    """Exact two-terminal reliability of an undirected graph: the oracle for small subgraphs.

    The probability that source and target are connected when every edge holds independently with its own
    probability. Enumerates all 2^m states, so m is limited to 20.

    Args:
        edges: (end, end) -> probability in [0, 1].
        source: One terminal.
        target: The other.

    Returns:
        A number in [0, 1].

    Raises:
        ValueError: More than 20 edges.
    """
    pairs = list(edges)
    if len(pairs) > 20:
        raise ValueError(f"{len(pairs)} edges: exact enumeration is limited to 20")
    total = 0.0
    for state in product((False, True), repeat=len(pairs)):
        alive = [pair for pair, up in zip(pairs, state, strict=True) if up]
        if _connected(alive, source, target):
            total += prod(edges[pair] if up else 1.0 - edges[pair] for pair, up in zip(pairs, state, strict=True))
    return total


def _connected(pairs: list[tuple[str, str]], source: str, target: str) -> bool:
    reached = {source}
    grew = True
    while grew:
        grew = False
        for a, b in pairs:
            if (a in reached) != (b in reached):
                reached |= {a, b}
                grew = True
    return target in reached
