"""Measure how well risks separate false from true statements, at each point of a grid and by cross-validation.

A false statement is a positive, because the aim is to find hallucinations (paper B, 7.2). Statements with the label
`maybe` are only counted; the others are called decided. A statement is measured if its risk could be computed.
Statements without a risk are never flagged as false. Measures over all decided statements show the effect of missing
risks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzygraph.risk_report import Terms
from groundwork.records import Record
from groundwork.statistics import auroc, calibration_error, f1_score
from truthhypo.bench.grid.data import Gold

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Risks = Sequence[float | None]

FOLDS = 5
#: Minimum number of measured statements of each label for useful results.
LEAST = 10


@dataclass(frozen=True, slots=True)
class Point(Record):
    """One point of the grid. A measure is None if there is nothing to compute it from.

    Attributes:
        form: Value of this field of `Terms`. The same holds for alpha, tau_min, hops and aggregate.
        measured: Number of statements labelled true or false that have a risk.
        coverage: Share of measured statements among all statements labelled true or false.
        auroc: Probability that a false statement has a higher risk than a true one. Ties count half.
        accuracy: Accuracy among measured statements, if each statement with a risk >= 0.5 is flagged as false.
        f1: F1 for false statements, among measured statements, with the same threshold 0.5.
        f1_best: F1 at the best threshold, chosen on the same statements: an upper bound, not a result.
        threshold: The threshold of `f1_best`.
        f1_all: F1 with the threshold 0.5 over all decided statements; those without a risk are not flagged.
        ece: Expected calibration error of the risk, read as the probability of being false; 10 bins of equal width.
    """

    form: str
    alpha: float
    tau_min: float
    hops: int
    aggregate: str
    measured: int
    coverage: float
    auroc: float | None
    accuracy: float | None
    f1: float | None
    f1_best: float | None
    threshold: float | None
    f1_all: float
    ece: float | None


@dataclass(frozen=True, slots=True)
class CrossValidation(Record):
    """The result of cross-validating the choice of a grid point and a threshold.

    Each fifth of the statements is tested with the point and the threshold that were chosen on the other four fifths.

    Attributes:
        n: Number of decided statements.
        measured: Number of statements with a risk at the point chosen for their fold.
        f1: F1 for false statements, among measured statements. `accuracy` is among measured statements too.
        auroc: AUROC of the risks of all folds together, among measured statements.
        f1_all: F1 over all decided statements; those without a risk are not flagged. The same holds for `accuracy_all`.
        majority: Accuracy of always giving the more frequent label, among measured statements.
        majority_all: Accuracy over all decided statements, if each fold gets the label that is more frequent in the
            other folds.
        f1_always: F1 of calling every measured statement false.
        chosen: Point and threshold of each fold.
    """

    n: int
    measured: int
    accuracy: float | None
    f1: float | None
    auroc: float | None
    accuracy_all: float
    f1_all: float
    majority: float | None
    majority_all: float
    f1_always: float | None
    chosen: tuple[dict[str, Any], ...]


def point(terms: Terms, gold: Sequence[Gold], risks: Risks) -> Point:
    """Return the measures of one grid point, given the labels of the statements and their risks at this point."""
    false, hrs, there = arrays(gold, risks)
    seen, said = false[there], hrs[there]
    best, threshold = best_threshold(seen, said)
    enough = bool(len(seen))
    return Point(
        terms.form,
        terms.alpha,
        terms.tau_min,
        terms.hops,
        terms.aggregate,
        int(there.sum()),
        float(there.mean()) if len(there) else 0.0,
        area(seen, said),
        float(((said >= 0.5) == seen).mean()) if enough else None,
        f1(seen, said >= 0.5) if enough else None,
        best if enough else None,
        threshold if enough else None,
        f1(false, there & (hrs >= 0.5)),
        calibration_error(said, seen),
    )


def arrays(gold: Sequence[Gold], risks: Risks) -> tuple[Bools, Floats, Bools]:
    """Return three arrays over decided statements: false or not, risk (0 if missing), and whether the risk is known."""
    kept = [(label == "false", hrs) for label, hrs in zip(gold, risks, strict=True) if label != "maybe"]
    there = np.array([hrs is not None for _, hrs in kept], dtype=bool)
    return np.array([false for false, _ in kept], dtype=bool), np.array([hrs or 0.0 for _, hrs in kept]), there


def area(false: Bools, hrs: Floats) -> float | None:
    """Return the area under the ROC curve, or None if one of the two labels is missing."""
    found = auroc(false, hrs)
    return None if np.isnan(found) else found


def f1(false: Bools, flagged: Bools) -> float:
    """Return F1 for false statements; 0 if no statement is false, or none is flagged."""
    return float(f1_score((false & flagged).sum(), flagged.sum(), false.sum(), 0.0))


def best_threshold(false: Bools, hrs: Floats) -> tuple[float, float]:
    """Return the largest F1 that a threshold reaches, and the largest threshold with this F1."""
    options = [(f1(false, hrs >= threshold), float(threshold)) for threshold in np.unique(hrs)]
    return max(options, default=(0.0, 0.5))


def crossed(gold: Sequence[Gold], grid: Sequence[tuple[Terms, Risks]]) -> CrossValidation:
    """Cross-validate the choice of a point. Each fold is tested with the best point and threshold of the other folds.

    The best point has the highest F1 over all training statements. Statements without a risk count as not flagged, so
    that a point that measures few statements has no advantage.
    """
    sides = [arrays(gold, risks) for _, risks in grid]
    false = sides[0][0]
    fold = folds(false)
    flagged, there = np.zeros(len(false), dtype=bool), np.zeros(len(false), dtype=bool)
    hrs, common = np.zeros(len(false)), np.zeros(len(false), dtype=bool)
    chosen = []
    for number in range(FOLDS):
        train, test = fold != number, fold == number
        place, threshold = _chosen(sides, train)
        terms, (_, risk, has) = grid[place][0], sides[place]
        there[test], hrs[test] = has[test], risk[test]
        flagged[test] = has[test] & (risk[test] >= threshold)
        common[test] = 2 * false[train].sum() > train.sum()
        named = {name: getattr(terms, name) for name in ("form", "alpha", "tau_min", "hops", "aggregate")}
        chosen.append({**named, "threshold": threshold})
    seen, said = false[there], flagged[there]
    some = bool(len(seen))
    return CrossValidation(
        len(false),
        int(there.sum()),
        float((said == seen).mean()) if some else None,
        f1(seen, said) if some else None,
        area(seen, hrs[there]),
        float((flagged == false).mean()),
        f1(false, flagged),
        float(max(seen.mean(), 1 - seen.mean())) if some else None,
        float((common == false).mean()),
        f1(seen, np.ones_like(seen)) if some else None,
        tuple(chosen),
    )


def _chosen(sides: Sequence[tuple[Bools, Floats, Bools]], train: Bools) -> tuple[int, float]:
    """Return the index and the threshold of the first point with the best F1 over all training statements."""
    tried = []
    for place, (false, risk, has) in enumerate(sides):
        threshold = best_threshold(false[train & has], risk[train & has])[1]
        tried.append((f1(false[train], has[train] & (risk[train] >= threshold)), -place, threshold))
    _, place, threshold = max(tried)
    return -place, threshold


def folds(false: Bools) -> Any:
    """Return the number of the fold of each statement. Each fold has about the same number of each label."""
    fold = np.zeros(len(false), dtype=int)
    draws = np.random.default_rng(0)
    for label in (False, True):
        rows = draws.permutation(np.flatnonzero(false == label))
        fold[rows] = np.arange(len(rows)) % FOLDS
    return fold
