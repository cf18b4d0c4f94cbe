"""Fit k and s0 of the membership `scaled` to an embedding model: on labelled pairs, or on the distribution of cosines.

mu = sigmoid(k (S - s0)) is a logistic regression on one number, the cosine S. So labelled pairs (related or not) give
k and s0 by maximum likelihood. Without labels the background distribution is used: most pairs of concepts are
unrelated, so the distance of a cosine from the bulk of the distribution says how related two names are.
"""

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fuzzygraph.membership import Membership
from fuzzygraph.similarity.spread import Spread
from groundwork.errors import InputError
from groundwork.named_pipe import read_text
from groundwork.ports import Embedder

#: Name of the fit without labels.
BACKGROUND = "background"
#: Constants of the fit without labels: s0 = median + OUT * width and k = STEEP / width, with width = (q95 - q05) / 2.
#: They are chosen so that MiniLM's background distribution (2,000 names) gives the k and s0 that were fitted for MiniLM
#: on labelled MeSH names (membership.K and S0). Other models use the same constants with their own distribution.
OUT = 0.932
STEEP = 2.18


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
