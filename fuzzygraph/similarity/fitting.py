"""Fit the membership to an embedding model's cosines, and say which pairs each tau keeps.

mu = sigmoid(k (S - s0)) is a logistic regression on one number, the cosine S. So labelled pairs (related or not) give
k and s0 by maximum likelihood. Without labels the background distribution is used: most pairs of concepts are
unrelated, so the distance of a cosine from the bulk of the distribution says how related two names are.

tau is the threshold of similarity edges: a pair becomes an edge only if its membership mu is above tau. Before anything
is written, a survey describes the cosines and how many pairs each tau keeps, and extreme taus are refused.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nextafter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fuzzygraph.membership import Membership
from fuzzygraph.similarity.nearest import Spread
from groundwork.errors import InputError, Refused
from groundwork.named_pipe import read_text
from groundwork.ports import Embedder
from groundwork.records import Record

#: Name of the fit without labels.
BACKGROUND = "background"
#: Constants of the fit without labels: s0 = median + OUT * width and k = STEEP / width, with width = (q95 - q05) / 2.
#: They are chosen so that MiniLM's background distribution (2,000 names) gives the k and s0 that were fitted for MiniLM
#: on labelled MeSH names (membership.K and S0). Other models use the same constants with their own distribution.
OUT = 0.932
STEEP = 2.18
#: A tau that keeps at least this share of all pairs is too low: the graph would relate nearly everything.
_NEARLY_ALL = 0.9
#: A tau that leaves fewer edges per concept than this is too high.
_NEARLY_NOTHING = 0.001


def by_background(spread: Spread) -> Membership:
    """Return the membership `scaled` with k and s0 fitted to the cosines of unlabelled pairs.

    Raises:
        InputError: The middle 90 % of the cosines are nearly equal.
    """
    width = (spread.quantile(0.95) - spread.quantile(0.05)) / 2
    if not width > 1e-4:
        raise InputError(
            f"90 % of the cosines lie within {2 * width:g} of each other",
            "cosines that distinguish pairs",
            "try another --embedder or --pooling, or omit --fit",
        )
    return Membership("scaled", STEEP / width, spread.quantile(0.5) + OUT * width)


def by_labels(cosines: Sequence[float] | NDArray[np.float64], related: Sequence[bool]) -> Membership:
    """Return the membership `scaled` with the k and s0 of greatest likelihood on labelled pairs, by Newton's method.

    A ridge penalty of 1e-3 keeps the slope finite if a threshold on the cosine separates the labels perfectly.

    Raises:
        InputError: All pairs have the same label, or the pairs labelled 1 do not have higher cosines than the
            pairs labelled 0 (the slope would not be positive).
    """
    x, y = np.asarray(cosines, np.float64), np.asarray(related, np.float64)
    if not 0 < y.sum() < len(y):
        raise InputError(f"{int(y.sum())} of {len(y)} pairs are related", "pairs of both kinds", "label some of each")
    weights = np.zeros(2)
    columns = np.stack([x - x.mean(), np.ones_like(x)], 1)
    ridge = np.diag([1e-3, 0.0])
    for _ in range(100):
        mu = 1 / (1 + np.exp(-np.clip(columns @ weights, -500, 500)))
        gradient = columns.T @ (y - mu) - ridge @ weights
        curvature = (columns * (mu * (1 - mu) + 1e-12)[:, None]).T @ columns + ridge
        step = np.linalg.solve(curvature, gradient)
        weights += step / max(1.0, float(np.abs(step).max()) / 5)
        if float(np.abs(step).max()) < 1e-10:
            break
    k = float(weights[0])
    if not k > 0:
        raise InputError(
            "the pairs labelled 1 do not have higher cosines than the pairs labelled 0",
            "higher cosines for pairs labelled 1",
            "check the labels, or use another --embedder",
        )
    return Membership("scaled", k, float(x.mean() - weights[1] / k))


def labelled(path: Path, embedder: Embedder) -> Membership:
    """Return the membership `scaled` with k and s0 fitted on a file of labelled pairs.

    Each line holds two names and 1 (related) or 0, separated by tabs.

    Raises:
        InputError: The file cannot be read, a line has another form, or `by_labels` rejects the pairs.
    """
    try:
        lines = list(csv.reader(read_text(path).splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {error}", "a file of labelled pairs", "correct the path") from None
    for number, line in enumerate(lines, 1):
        if len(line) != 3 or not line[0].strip() or not line[1].strip() or line[2].strip() not in {"0", "1"}:
            raise InputError(f"{path}, line {number}: {line}", "NAME<tab>NAME<tab>1 or 0", "correct the line")
    names = list(dict.fromkeys(name for line in lines for name in line[:2]))
    rows = np.asarray(embedder.embed(names), np.float64)
    lengths = np.linalg.norm(rows, axis=1)
    unit = rows / np.where(lengths > 0, lengths, 1.0)[:, None]
    place = {name: at for at, name in enumerate(names)}
    cosines = np.array([unit[place[a]] @ unit[place[b]] for a, b, _ in lines])
    sound = np.isfinite(cosines)
    return by_labels(cosines[sound], [line[2].strip() == "1" for line, fine in zip(lines, sound, strict=True) if fine])


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
    if spread.share_above(cut(membership, tau)) >= _NEARLY_ALL:
        raise _refused(membership, tau, spread)


def refuse_nothing(membership: Membership, tau: float, edges: float, spread: Spread) -> None:
    """Refuse a tau that would relate almost nothing; `edges` is the number of edges per concept.

    Raises:
        Refused: There is fewer than one edge per 1,000 concepts.
    """
    if edges < _NEARLY_NOTHING:
        raise _refused(membership, tau, spread)


def _refused(membership: Membership, tau: float, spread: Spread) -> Refused:
    share = spread.share_above(cut(membership, tau))
    others = (step / 10 for step in range(1, 10))
    low, median, high = map(spread.quantile, (0.0, 0.5, 1.0))
    table = ", ".join(f"{other:.1f}: {spread.share_above(cut(membership, other)):.2%}" for other in others)
    return Refused(
        f"tau {tau:g} with form {membership.form} keeps {share:.2%} of {spread.pairs} pairs (cosines: min "
        f"{low:g}, median {median:g}, max {high:g}); nothing was changed",
        f"a tau that keeps some pairs but less than {_NEARLY_ALL:.0%}; shares kept by other values of tau: {table}",
        "choose another --tau or --form, fit k and s0 to this model with --fit background, or write these edges "
        "with --force",
    )
