"""What a model's cosines are like and what a tau would do to them, told and judged before anything is written."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import nextafter

from fuzzygraph.membership import Membership
from fuzzygraph.similarity.spread import Spread
from groundwork.errors import Refused
from groundwork.records import Record

#: From this share of all pairs on, a tau keeps nearly all: the graph would say that everything is like everything.
NEARLY_ALL = 0.9
#: Below so many edges a concept, a tau keeps nearly nothing.
NEARLY_NOTHING = 0.001


@dataclass(frozen=True, slots=True)
class Survey(Record):
    """How a model's cosines lie, and what each tau would do to them; known before anything is written.

    Attributes:
        membership: The form of mu, with its k and s0.
        cosines: Shares of pairs (0.01 ... 0.999) -> the cosine that so many lie below.
        keeps: tau (0.1 ... 0.9) -> the share of pairs whose mu is above it.
        pairs: How many pairs this is told from: all, or those among a sample of 2,000 concepts.
    """

    membership: Mapping[str, object]
    cosines: Mapping[str, float]
    keeps: Mapping[str, float]
    pairs: int


def surveyed(membership: Membership, spread: Spread) -> Survey:
    """What is shown before anything is written."""
    return Survey(
        {"form": membership.form, "k": round(membership.k, 4), "s0": round(membership.s0, 4)},
        spread.quantiles,
        {f"{step / 10:.1f}": round(spread.share_above(cut(membership, step / 10)), 6) for step in range(1, 10)},
        spread.pairs,
    )


def cut(membership: Membership, tau: float) -> float:
    """The largest cosine whose mu does not pass tau, so that mu > tau exactly if cosine > cut.

    Below every cosine (-2) where mu(-1) > tau already. Found by halving, since mu rises with the cosine in any form.
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
    """Stop before a graph is written in which everything is alike.

    Raises:
        Refused: tau keeps 90 % of the pairs or more; says how they lie and what other taus would keep.
    """
    if spread.share_above(cut(membership, tau)) >= NEARLY_ALL:
        raise _refused(membership, tau, spread)


def refuse_nothing(membership: Membership, tau: float, edges: float, spread: Spread) -> None:
    """Stop before a graph is written in which nothing is alike; `edges` a concept.

    Raises:
        Refused: Fewer than one edge for 1,000 concepts.
    """
    if edges < NEARLY_NOTHING:
        raise _refused(membership, tau, spread)


def _refused(membership: Membership, tau: float, spread: Spread) -> Refused:
    share = spread.share_above(cut(membership, tau))
    others = (step / 10 for step in range(1, 10))
    table = ", ".join(f"{other:.1f}: {spread.share_above(cut(membership, other)):.2%}" for other in others)
    return Refused(
        f"tau {tau:g} with the form {membership.form} keeps {share:.2%} of {spread.pairs} pairs (cosines: min "
        f"{spread.min:g}, median {spread.median:g}, max {spread.max:g}); nothing was changed",
        f"a tau that keeps some and less than {NEARLY_ALL:.0%}; each tau would keep: {table}",
        "choose another --tau or --form, fit k and s0 to this model with --fit background, or write these edges all "
        "the same with --force",
    )
