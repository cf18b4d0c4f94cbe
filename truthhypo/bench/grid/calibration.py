"""Calibrate risks: fit a curve from HRS to the probability of being false on labelled statements, and keep it in HOME.

The curve is valid for the settings (`Terms`) with which it was fitted, and for similar graphs and statements. Isotonic
regression and Platt's sigmoid (1999) are both fitted; the one with the smaller log loss in cross-validation is kept.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from fuzzygraph.risk_report import RiskReport
from fuzzygraph.terms import Terms
from groundwork.errors import InputError
from groundwork.records import Record
from groundwork.statistics.calibration import calibration_error
from truthhypo.bench.grid.data import Gold
from truthhypo.bench.grid.separation import FOLDS, LEAST, Bools, Floats, Risks, area, arrays, folds
from truthhypo.json_file import read_json, write_json

FILE = "risk_calibration.json"
#: A curve is used only if these settings are the same as when it was fitted. For form `scaled`, k and s0 must be the
#: same, too.
AGREE = ("form", "alpha", "tau_min", "hops", "aggregate", "contradiction")
#: Number of knots with which a sigmoid is stored. Both kinds of curve are stored as knots and used in the same way.
_KNOTS = 101
_CLIP = 1e-3

Curve = Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True)
class Calibration(Record):
    """A curve from HRS to the probability that a statement is false, with statistics of the fit.

    Attributes:
        kind: `isotonic` or `platt`.
        hrs: HRS at the knots of the curve, ascending. The curve is linear between the knots and constant beyond them.
        chance: Probability of being false at each knot.
        terms: The settings with which the curve was fitted: those in `AGREE`, k and s0.
        dataset: Description of the file of statements.
        n: Number of measured statements on which the curve was fitted.
        false: Number of false statements among these `n`.
        coverage: Share of measured statements among the statements labelled true or false.
        auroc: AUROC of the raw risk.
        ece_before: Expected calibration error of the raw risk.
        ece_after: Expected calibration error of the curve, cross-validated.
        log_loss: Log loss of the curve, cross-validated.
        log_loss_constant: Cross-validated log loss of always giving the share of false statements, as a baseline.
        measured_on: Date of the fit (UTC), as YYYY-MM-DD.
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
        """Return the probability that a statement with this HRS is false."""
        return float(np.interp(hrs, self.hrs, self.chance))

    def fits(self, terms: Terms) -> bool:
        """Return whether the curve was fitted with these settings (see `AGREE`)."""
        alike = terms.form != "scaled" or (terms.k, terms.s0) == (self.terms["k"], self.terms["s0"])
        return alike and all(getattr(terms, name) == self.terms[name] for name in AGREE)


def fit(terms: Terms, gold: Sequence[Gold], risks: Risks, dataset: str) -> Calibration | None:
    """Return the better kind of curve; None if fewer than ten true or fewer than ten false ones are measured."""
    false, hrs, there = arrays(gold, risks)
    seen, said = false[there], hrs[there]
    if min(int(seen.sum()), int((~seen).sum())) < LEAST:
        return None
    fold = folds(seen)
    kinds = {"isotonic": _isotonic, "platt": _platt}
    told = {kind: _cross_predicted(make, seen, said, fold) for kind, make in kinds.items()}
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
        calibration_error(said, seen) or 0.0,
        calibration_error(told[kind], seen) or 0.0,
        losses[kind],
        _loss(seen, _cross_predicted(_constant, seen, said, fold)),
        f"{datetime.now(UTC):%Y-%m-%d}",
    )


def keep(calibration: Calibration, home: Path) -> Path:
    """Store a curve under HOME in place of an earlier curve, and return the path of its file."""
    write_json(home / FILE, calibration.to_dict())
    return home / FILE


def kept(home: Path) -> Calibration | None:
    """Return the curve under HOME; None if there is none.

    Raises:
        InputError: The file was not written by `keep`.
    """
    place = home / FILE
    wanted, mend = "a calibration of risks", "delete the file, and fit again with: truthhypo bench grid"
    if not place.exists():
        return None
    found = read_json(place, Calibration, wanted, mend)
    if not found.hrs or len(found.hrs) != len(found.chance) or {*AGREE, "k", "s0"} - set(found.terms):
        raise InputError(f"{place} cannot be read: knots or terms are missing", wanted, mend)
    return found


def calibrated(report: RiskReport, home: Path) -> RiskReport:
    """Return a report with calibrated risks, if the curve under HOME was fitted with the settings of the report.

    Otherwise the report is returned unchanged.
    """
    curve = kept(home)
    if curve is None or not curve.fits(report.terms):
        return report
    told = (s if s.hrs is None else replace(s, hrs_calibrated=curve.of(s.hrs)) for s in report.sentences)
    return replace(report, sentences=tuple(told))


def _cross_predicted(make: Callable[[Bools, Floats], Curve], false: Bools, hrs: Floats, fold: Any) -> Floats:
    """Return for each statement the probability predicted by a curve that was fitted on the other folds."""
    found = np.zeros(len(hrs))
    for number in range(FOLDS):
        train, test = fold != number, fold == number
        found[test] = make(false[train], hrs[train])(hrs[test])
    return found


def _isotonic(false: Bools, hrs: Floats) -> Curve:
    from sklearn.isotonic import IsotonicRegression

    # At the lowest and at the highest HRS, a statement with the label 0.5 (between true and false) is added, so that a
    # curve with few points stays away from 0 and 1.
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
    """Return the mean log loss, with probabilities kept away from 0 and 1."""
    likely = np.clip(np.where(false, chance, 1.0 - chance), _CLIP, 1.0)
    return float(-np.log(likely).mean())
