"""Describe a model's cosines and how many pairs each tau keeps, and refuse extreme taus, before anything is written.

tau is the threshold of similarity edges: a pair becomes an edge only if its membership mu is above tau.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import nextafter

from fuzzygraph.membership import Membership
from fuzzygraph.similarity.spread import Spread
from groundwork.errors import Refused
from groundwork.records import Record

#: A tau that keeps at least this share of all pairs is too low: the graph would relate nearly everything.
NEARLY_ALL = 0.9
#: A tau that leaves fewer edges per concept than this is too high.
NEARLY_NOTHING = 0.001


@dataclass(frozen=True, slots=True)
class Survey(Record):
    """The distribution of a model's cosines, and the share of pairs that each threshold tau would keep.

    Attributes:
        membership: The form of the membership mu, with its k and s0.
        cosines: Quantiles: share of the pairs (0.01 ... 0.999) -> cosine.
        keeps: tau (0.1 ... 0.9) -> share of the pairs whose mu is above tau.
        pairs: Number of pairs used: all, or those in a sample of 2,000 concepts.
    """

    membership: Mapping[str, object]
    cosines: Mapping[str, float]
    keeps: Mapping[str, float]
    pairs: int


def surveyed(membership: Membership, spread: Spread) -> Survey:
    """Return the survey for a membership and a distribution of cosines."""
    return Survey(
        {"form": membership.form, "k": round(membership.k, 4), "s0": round(membership.s0, 4)},
        spread.quantiles,
        {f"{step / 10:.1f}": round(spread.share_above(cut(membership, step / 10)), 6) for step in range(1, 10)},
        spread.pairs,
    )


def cut(membership: Membership, tau: float) -> float:
    """Return the largest cosine whose mu is not above tau, so that mu > tau exactly if the cosine is above the result.

    If mu(-1) > tau, the result is -2, which is below every cosine. Otherwise the result is found by bisection, because
    mu rises with the cosine in every form.
    """
    low, high = -1.0, 1.0
    if membership.mu(low) > tau:
        return -2.0
    if membership.mu(high) <= tau:
        return high
    while nextafter(low, high) < high:
        middle = (low + high) / 2
        low, high = (low, middle) if membership.mu(middle) > tau else (middle, high)
    return low


def refuse_all(membership: Membership, tau: float, spread: Spread) -> None:
    """Refuse a tau that would relate everything to everything.

    Raises:
        Refused: tau keeps 90 % of the pairs or more. The message gives the distribution of the cosines, and the share
            of pairs that other values of tau keep.
    """
    if spread.share_above(cut(membership, tau)) >= NEARLY_ALL:
        raise _refused(membership, tau, spread)


def refuse_nothing(membership: Membership, tau: float, edges: float, spread: Spread) -> None:
    """Refuse a tau that would relate almost nothing; `edges` is the number of edges per concept.

    Raises:
        Refused: There is fewer than one edge per 1,000 concepts.
    """
    if edges < NEARLY_NOTHING:
        raise _refused(membership, tau, spread)


def _refused(membership: Membership, tau: float, spread: Spread) -> Refused:
    share = spread.share_above(cut(membership, tau))
    others = (step / 10 for step in range(1, 10))
    low, median, high = map(spread.quantile, (0.0, 0.5, 1.0))
    table = ", ".join(f"{other:.1f}: {spread.share_above(cut(membership, other)):.2%}" for other in others)
    return Refused(
        f"tau {tau:g} with form {membership.form} keeps {share:.2%} of {spread.pairs} pairs (cosines: min "
        f"{low:g}, median {median:g}, max {high:g}); nothing was changed",
        f"a tau that keeps some pairs but less than {NEARLY_ALL:.0%}; shares kept by other values of tau: {table}",
        "choose another --tau or --form, fit k and s0 to this model with --fit background, or write these edges "
        "with --force",
    )
