"""Accuracy figures of judges, measured on labelled pairs of claim and evidence and printed beside every groundedness.

The figures of the judge by rules are shipped in the file calibration.json of this package. `bench calibrate` stores the
figures that a user measures in calibration.json under HOME; these figures take precedence. A judge that was not
measured has no figures.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from pydantic import TypeAdapter

from groundwork import manifest
from groundwork.errors import InputError
from groundwork.manifest import content
from groundwork.records import Record

FILE = "calibration.json"


@dataclass(frozen=True, slots=True)
class PurgedFigures(Record):
    """The figures of a judge after removing the pairs that overlap with another split of the labelled set.

    Attributes:
        without: Which pairs were removed. `evidence`: the pairs whose evidence is also in the other split; `questions`:
            those whose question is also in the other split; `evidence or questions`: those for which either is true.
        n: Number of remaining pairs.
        balanced_accuracy: As in JudgeFigures; this and the other figures are None if no pair remains.
        macro_f1: As in JudgeFigures.
        kappa: As in JudgeFigures.
        kappa_interval: As in JudgeFigures.
    """

    without: str
    n: int
    balanced_accuracy: float | None
    macro_f1: float | None
    kappa: float | None
    kappa_interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class JudgeFigures(Record):
    """The figures of one judge on one labelled set.

    Attributes:
        dataset: Name of the labelled set and of the part that was used.
        n: Number of labelled pairs.
        balanced_accuracy: Mean recall over supported, contradicted and not_enough, in [0, 1]; a constant judge has 1/3.
        kappa: Cohen's kappa, at most 1; a constant judge has 0.
        decided: Share of the pairs with the verdict supported or contradicted.
        precision: Share of the decided pairs on which people gave the same verdict; None if no pair is decided.
        measured_on: The input that the judge was given, and the date of the measurement.
        macro_f1: Mean F1 over the labels, in [0, 1].
        balanced_accuracy_interval: 95 % interval of balanced_accuracy, from resamples of whole groups of pairs. A group
            has, for example, all pairs with the same question.
        macro_f1_interval: 95 % interval of macro_f1.
        kappa_interval: 95 % interval of kappa.
        ece: Expected calibration error of the verdicts' probabilities over 10 bins of equal width, in [0, 1]; None
            if the judge gives no probabilities.
        ece_n: Number of verdicts with a probability.
        confusion: For each label, the number of times each verdict was given.
        failed: Number of pairs without a usable answer; they count as wrong.
        constant: The verdict given on more than 95 % of the pairs, if any; the figures then say little about the judge.
        purged: The figures without pairs that overlap with another split; empty if no other split was given.
    """

    dataset: str
    n: int
    balanced_accuracy: float
    kappa: float
    decided: float
    precision: float | None
    measured_on: str
    macro_f1: float | None = None
    balanced_accuracy_interval: tuple[float, float] | None = None
    macro_f1_interval: tuple[float, float] | None = None
    kappa_interval: tuple[float, float] | None = None
    ece: float | None = None
    ece_n: int = 0
    confusion: Mapping[str, Mapping[str, int]] | None = None
    failed: int = 0
    constant: str | None = None
    purged: tuple[PurgedFigures, ...] = ()


#: The content of a file of figures: for each judge a list of figures, the newest first.
_TABLE = TypeAdapter(dict[str, list[JudgeFigures]])


@dataclass(frozen=True, slots=True)
class Calibration(JudgeFigures):
    """A judge's main figures, which are the newest, and its figures on other sets."""

    beside: tuple[JudgeFigures, ...] = ()


def calibration_of(judge: str, home: Path | None = None) -> Calibration | None:
    """Return the figures of a judge by its name; None if it was not measured.

    The folder `home` may have a user's own figures. They come before the figures shipped with this package.
    """
    own = _read(home).get(judge, []) if home is not None else []
    seen = {figures.dataset for figures in own}
    known = [*own, *(figures for figures in _shipped().get(judge, []) if figures.dataset not in seen)]
    if not known:
        return None
    first, *beside = known
    return Calibration(**{each.name: getattr(first, each.name) for each in fields(first)}, beside=tuple(beside))


def keep(judge: str, measured: JudgeFigures, home: Path) -> Path:
    """Store a judge's newest figures under HOME, before its older ones. Older figures on the same set are replaced."""
    table = _read(home)
    older = [figures for figures in table.get(judge, []) if figures.dataset != measured.dataset]
    home.mkdir(parents=True, exist_ok=True)
    manifest.replace(home / FILE, _TABLE.dump_json({**table, judge: [measured, *older]}, indent=2).decode())
    return home / FILE


def _read(home: Path) -> dict[str, list[JudgeFigures]]:
    """Return the figures under HOME."""
    place = home / FILE
    try:
        return _TABLE.validate_json(content(place))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        mend = "delete the file, and measure again with: truthhypo bench calibrate"
        raise InputError(f"{place} cannot be read: {error}", "figures of judges", mend) from error


@lru_cache(maxsize=1)
def _shipped() -> dict[str, list[JudgeFigures]]:
    return _TABLE.validate_json(files("knowhd").joinpath(FILE).read_bytes())
