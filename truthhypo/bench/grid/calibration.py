"""What a risk is worth as a chance: a curve fitted on labelled statements, kept under HOME with its training figures.

The curve holds for the terms it was fitted on, and for graphs and statements like those. Isotonic regression and
Platt's sigmoid (1999) are both tried; the one with the smaller log loss in cross-validation is kept.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from fuzzygraph.membership import S0, K
from fuzzygraph.report import RiskReport
from fuzzygraph.terms import Terms
from groundwork.errors import InputError
from groundwork.records import Record
from groundwork.statistics.calibration import calibration_error, reliability
from truthhypo.bench.grid.data import Gold
from truthhypo.bench.grid.measures import FOLDS, LEAST, Bools, Floats, Risks, area, arrays, folds

FILE = "risk_calibration.json"
#: Terms that must agree for a curve to be used; k and s0 too, where the form has them.
AGREE = ("form", "alpha", "tau_min", "hops", "aggregate", "contradiction")
#: Knots of a sigmoid, read off so that both kinds are kept and used alike.
_KNOTS = 101
_CLIP = 1e-3

Curve = Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True)
class Calibration(Record):
    """A curve from HRS to the chance that a statement is false, with its training figures.

    Attributes:
        kind: `isotonic` or `platt`.
        hrs: Knots, ascending; between them the curve is straight, beyond them flat.
        chance: Of being false, at the knots.
        terms: What it was fitted on.
        dataset: The statements' file.
        n: Measured statements it was fitted on.
        false: How many of them are false.
        coverage: Share of the decided statements that were measured.
        auroc: Of the raw risk on them.
        ece_before: Of the raw risk.
        ece_after: Of the curve, each fold by a curve fitted on the others.
        log_loss: Likewise.
        log_loss_constant: Of saying the others' share of false ones instead: the curve is worth what it gains on this.
        measured_on: The day.
    """

    kind: str
    hrs: tuple[float, ...]
    chance: tuple[float, ...]
    terms: dict[str, Any]
    dataset: str
    n: int
    false: int
    coverage: float
    auroc: float | None
    ece_before: float
    ece_after: float
    log_loss: float
    log_loss_constant: float
    measured_on: str

    def of(self, hrs: float) -> float:
        """The chance that a statement with this risk is false."""
        return float(np.interp(hrs, self.hrs, self.chance))

    def fits(self, terms: Terms) -> bool:
        """Whether a risk on these terms is what it was fitted on."""
        scale = self.terms.get("k", K), self.terms.get("s0", S0)  # before graphs kept their own it was always these
        alike = terms.form != "scaled" or (terms.k, terms.s0) == scale
        return alike and all(getattr(terms, name) == self.terms[name] for name in AGREE)


def fit(terms: Terms, gold: Sequence[Gold], risks: Risks, dataset: str) -> Calibration | None:
    """The better of the two curves; None with fewer than ten measured statements of either label."""
    false, hrs, there = arrays(gold, risks)
    seen, said = false[there], hrs[there]
    if min(int(seen.sum()), int((~seen).sum())) < LEAST:
        return None
    fold = folds(seen, 0)
    kinds = {"isotonic": _isotonic, "platt": _platt}
    told = {kind: _crossed(make, seen, said, fold) for kind, make in kinds.items()}
    losses = {kind: _loss(seen, chance) for kind, chance in told.items()}
    kind = min(losses, key=lambda name: (losses[name], name))
    knots = np.unique(said) if kind == "isotonic" else np.linspace(0.0, 1.0, _KNOTS)
    return Calibration(
        kind,
        tuple(knots.tolist()),
        tuple(kinds[kind](seen, said)(knots).tolist()),
        {name: getattr(terms, name) for name in (*AGREE, "k", "s0")},
        dataset,
        len(seen),
        int(seen.sum()),
        float(there.mean()),
        area(seen, said),
        calibration_error(reliability(said.tolist(), seen.tolist())) or 0.0,
        calibration_error(reliability(told[kind].tolist(), seen.tolist())) or 0.0,
        losses[kind],
        _loss(seen, _crossed(_constant, seen, said, fold)),
        f"{datetime.now(UTC):%Y-%m-%d}",
    )


def keep(calibration: Calibration, home: Path) -> Path:
    """Put a curve under HOME in the older one's place."""
    home.mkdir(parents=True, exist_ok=True)
    target, part = home / FILE, home / f".{FILE}.part"
    part.write_text(json.dumps(calibration.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n", "utf-8")
    part.replace(target)
    return target


def kept(home: Path) -> Calibration | None:
    """The curve under HOME, None if there is none.

    Raises:
        InputError: The file is not what `keep` writes.
    """
    place = home / FILE
    try:
        shape = json.loads(place.read_text("utf-8"))
        named = {each.name: shape[each.name] for each in fields(Calibration)}
        knots = {name: tuple(map(float, named[name])) for name in ("hrs", "chance")}
        if not knots["hrs"] or len(knots["hrs"]) != len(knots["chance"]) or set(AGREE) - set(named["terms"]):
            raise ValueError("knots or terms are missing")
        return Calibration(**{**named, **knots})
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, KeyError) as error:
        mend = "delete it, and fit again with: truthhypo bench grid"
        raise InputError(f"{place} cannot be read: {error}", "a calibration of risks", mend) from error


def calibrated(report: RiskReport, home: Path) -> RiskReport:
    """A report with the chances of its measured claims, where the curve under HOME was fitted on such terms."""
    curve = kept(home)
    if curve is None or not curve.fits(report.terms):
        return report
    told = (s if s.hrs is None else replace(s, hrs_calibrated=curve.of(s.hrs)) for s in report.sentences)
    return replace(report, sentences=tuple(told))


def _crossed(make: Callable[[Bools, Floats], Curve], false: Bools, hrs: Floats, fold: Any) -> Floats:
    """What curves fitted on the other folds say of each."""
    found = np.zeros(len(hrs))
    for number in range(FOLDS):
        train, test = fold != number, fold == number
        found[test] = make(false[train], hrs[train])(hrs[test])
    return found


def _isotonic(false: Bools, hrs: Floats) -> Curve:
    from sklearn.isotonic import IsotonicRegression

    # A statement half true, half false at each end keeps a curve of few points off 0 and 1.
    x, y = np.r_[hrs, hrs.min(), hrs.max()], np.r_[false, 0.5, 0.5].astype(float)
    fitted: Curve = IsotonicRegression(out_of_bounds="clip").fit(x, y).predict
    return fitted


def _platt(false: Bools, hrs: Floats) -> Curve:
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=1.0).fit(hrs[:, None], false)
    return lambda x: model.predict_proba(np.asarray(x)[:, None])[:, 1]


def _constant(false: Bools, _hrs: Floats) -> Curve:
    return lambda x: np.full(len(x), float(false.mean()))


def _loss(false: Bools, chance: Floats) -> float:
    """Mean log loss, chances held off 0 and 1."""
    likely = np.clip(np.where(false, chance, 1.0 - chance), _CLIP, 1.0)
    return float(-np.log(likely).mean())
