"""How well a judge does on labelled pairs of claim and evidence, printed beside every groundedness it gives.

The figures are data (calibration.json), written by `calibrate`; a judge that was not measured has none.
"""

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from groundwork.records import Record


@dataclass(frozen=True, slots=True)
class Measured(Record):
    """One judge on one labelled set.

    Attributes:
        dataset: The set and the part of it.
        n: Labelled pairs.
        balanced_accuracy: Mean recall over supported, contradicted and not_enough, in [0, 1]; a constant gets 1/3.
        kappa: Cohen's kappa, at most 1; a constant gets 0.
        decided: Share of the pairs on which it said supported or contradicted.
        precision: Share of those on which people said the same; None if there are none.
        measured_on: What the judge was given, and when.
    """

    dataset: str
    n: int
    balanced_accuracy: float
    kappa: float
    decided: float
    precision: float | None
    measured_on: str


@dataclass(frozen=True, slots=True)
class Calibration(Measured):
    """A judge's main figures, and those on other sets beside them."""

    beside: tuple[Measured, ...] = ()


@lru_cache(maxsize=1)
def _figures() -> dict[str, Calibration]:
    table = json.loads(files("knowhd").joinpath("calibration.json").read_text("utf-8"))
    return {
        judge: Calibration(**sets[0], beside=tuple(Measured(**figures) for figures in sets[1:]))
        for judge, sets in table.items()
    }


def calibration_of(judge: str) -> Calibration | None:
    """The figures of a judge by its name, None if it was not measured."""
    return _figures().get(judge)
