"""From named features to a verdict with probabilities: a multinomial logistic whose coefficients are data.

`decision.json` is written by `train`. It holds two tables, since one does not serve both uses: `sentences`, for an
article of which a sentence or two are shown, as in `ground`; `passages`, for one of which many are shown, where a claim
that they do not cover is more often one that the article does not bear out.

The fit counts each label the same, so the side taken is the one that words speak for most. Its probability is told for
labels as common as they are among labelled pairs, apart for articles that name what the claim is about and for others:
it may be less than one half, and less than that of neither.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np

from knowhd.judge import Stance
from knowhd.rules.features import NAMES, Features
from knowhd.rules.logistic import Array, softmax

#: More sentences than that of one article are passages.
FEW = 3
#: The classes, in the order of the coefficients.
CLASSES = ("supports", "contradicts", "neither")
#: Features named in a reason.
_NAMED = 3


@dataclass(frozen=True, slots=True)
class Table:
    """The coefficients for one use, over standardised features (minus mean, over scale).

    `common` is how common each class is among labelled pairs, where the article does not name what the claim is about
    (row 0) and where it does (row 1). `right` is the share of each stance that was right on labelled pairs, by
    cross-validation; empty if not measured.
    """

    mean: Array
    scale: Array
    coefficients: Array
    intercepts: Array
    common: Array
    right: Mapping[Stance, float]


Tables = Mapping[str, Table]


@dataclass(frozen=True, slots=True)
class Decision:
    """What the features of a claim and an article come to.

    Attributes:
        stance: The likeliest class, were all as common; None for neither.
        probabilities: Of supports and contradicts, in [0, 1]; the rest is neither.
        because: What spoke most for that class, in words, the strongest first.
        right: How often such a stance was right on labelled pairs, in [0, 1]; None for neither, or if not measured.
    """

    stance: Stance | None
    probabilities: dict[Stance, float]
    because: tuple[str, ...]
    right: float | None


def use_of(sentences: int) -> str:
    """Which table serves an article of which so many sentences are shown."""
    return "sentences" if sentences <= FEW else "passages"


def decide(found: Features, tables: Tables | None = None, *, named: bool = True) -> Decision:
    """The decision on features. Texts with nothing in common are on neither side, whatever else is said of them.

    Args:
        found: The features.
        tables: Coefficients in the stead of those that are shipped, by use.
        named: Whether the article names what the claim is about; one that does not is on neither side.
    """
    table = (tables or shipped())[use_of(found.sentences)]
    x = (np.array([found.values[name] for name in NAMES]) - table.mean) / table.scale
    shares = softmax(x @ table.coefficients + table.intercepts)
    best = int(shares.argmax()) if found.together and named else CLASSES.index("neither")
    pull = x * (table.coefficients[:, best] - table.coefficients.mean(axis=1))
    strongest = [i for i in np.argsort(-pull, kind="stable")[:_NAMED] if pull[i] > 0]
    labels = list(NAMES.values())
    because = tuple(_told(labels[i], found, i) for i in strongest)
    stances: tuple[Stance, Stance] = ("supports", "contradicts")
    told = shares * table.common[int(named)]
    given = {stance: round(float(told[i] / told.sum()), 4) for i, stance in enumerate(stances)}
    stance = stances[best] if best < len(stances) else None
    return Decision(stance, given, because, right_of(stance, found.sentences, tables))


def right_of(stance: Stance | None, sentences: int, tables: Tables | None = None) -> float | None:
    """How often such a stance was right where so many sentences are shown; None for neither, or if not measured."""
    return (tables or shipped())[use_of(sentences)].right.get(stance) if stance else None


def reading_probabilities(stance: Stance | None) -> dict[Stance, float]:
    """How often a stance read between two concepts is right: shares of the verdicts of people (`train`)."""
    given: dict[Stance, float] = _data()["reading"][stance or "neither"]
    return dict(given)


def _told(label: str, found: Features, index: int) -> str:
    """A feature in words: with the words shared, or as absent."""
    name = list(NAMES)[index]
    if name in {"shared", "share"} and found.words:
        return f"{label} ({', '.join(found.words[:4])})"
    return label if found.values[name] else f"not: {label}"


@lru_cache(maxsize=1)
def shipped() -> Tables:
    """The coefficients of `decision.json`, by use."""
    return {use: table_of(_data()[use]) for use in ("sentences", "passages")}


def table_of(given: dict[str, Any]) -> Table:
    """A table from its JSON."""
    rows = [given["features"][name] for name in NAMES]
    return Table(
        np.array([row["mean"] for row in rows]),
        np.array([row["scale"] for row in rows]),
        np.array([[row[name] for name in CLASSES] for row in rows]),
        np.array([given["intercepts"][name] for name in CLASSES]),
        np.array([[given["common"][which][name] for name in CLASSES] for which in ("unnamed", "named")]),
        given.get("right", {}),
    )


@lru_cache(maxsize=1)
def _data() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(files("knowhd.rules").joinpath("decision.json").read_text("utf-8"))
    return data
