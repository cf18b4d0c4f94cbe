"""Measure the risks of labelled statements for a grid of parameter values (`Terms`), and how well they find false ones.

The statements are read, linked and joined with their part of the graph once. Between points of the grid only the used
edges and their probabilities change. Path sums for equal edge probabilities are computed once.

A false statement is a positive, because the aim is to find hallucinations (paper B, 7.2). Statements with the label
`maybe` are only counted; the others are called decided. A statement is measured if its risk could be computed.
Statements without a risk are never flagged as false. Measures over all decided statements show the effect of missing
risks.

Files in the folder OUT:

    grid.json         the report: the fields of GridReport
    grid.csv          the points of the grid, one per row
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzygraph.lanes import Lanes, Weights, lanes
from fuzzygraph.membership import S0, K, Scales, apart
from fuzzygraph.options import AGGREGATES, FORMS, Aggregate, Form
from fuzzygraph.risk_report import DEFAULT, Terms
from fuzzygraph.support import Evidence, score, weigh
from groundwork.errors import InputError
from groundwork.network import ArticleMask, Network
from groundwork.ports import GraphReader
from groundwork.ports.claims import SaidClaim, Triple
from groundwork.reading.encoder import shipped
from groundwork.records import Record
from groundwork.statistics import auroc, calibration_error, f1_score
from groundwork.vocabulary import SIMILAR_TO, Sign
from knowhd.statement import TripleReader
from truthhypo.bench.labelled import Gold, LabelledStatement
from truthhypo.json_files import read_json, write_json, write_text
from truthhypo.sheet import csv_text

ALPHAS = (0.5, 0.7, 0.85, 0.9, 1.0)
TAUS = tuple(round(0.1 * step, 1) for step in range(1, 10))
HOPS = (1, 2, 3, 4)
#: Maximum length of a path, over all points of the grid.
MOST = 4
#: Cost of one lookup for paths of length MOST, as a multiple of a usual lookup. The lookup also fetches the edges
#: around the neighbours of both ends.
LOOK_UPS = 8
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Risks = Sequence[float | None]
FOLDS = 5
#: Minimum number of measured statements of each label for useful results.
LEAST = 10
GRID_FILE = "grid.json"
#: The report contains a warning if the share of measured statements is smaller than this.
COVERED = 0.2


@dataclass(frozen=True, slots=True)
class Grid:
    """The values to try for the score `paper`, in all combinations.

    `scale` contains k, s0 and fit of the form `scaled`, as in `Terms`.
    """

    forms: Sequence[Form] = FORMS
    alphas: Sequence[float] = ALPHAS
    taus: Sequence[float] = TAUS
    hops: Sequence[int] = HOPS
    aggregates: Sequence[Aggregate] = AGGREGATES
    scale: tuple[float, float, str] = (K, S0, DEFAULT)

    def terms(self) -> Iterator[Terms]:
        """Yield the settings (`Terms`) of every point. The aggregate varies fastest, then the number of hops.

        Raises:
            InputError: A number is out of range, or a name is unknown.
        """
        points = product(self.forms, self.alphas, self.taus, self.hops, self.aggregates)
        for form, alpha, tau, hops, aggregate in points:
            k, s0, fit = self.scale
            yield Terms(
                score="paper",
                form=form,
                alpha=alpha,
                tau_min=tau,
                hops=hops,
                aggregate=aggregate,
                paths=0,
                k=k,
                s0=s0,
                fit=fit,
            )


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim whose subject and object were found in the graph, with the part of the graph between the two concepts."""

    subject: str
    object: str
    sign: Sign
    negated: bool
    network: Network
    _likely: dict[Weights, bytes] = field(default_factory=dict, compare=False, repr=False)
    _lanes: dict[bytes, Lanes] = field(default_factory=dict, compare=False, repr=False)
    _weighed: dict[tuple[bytes, int], Evidence] = field(default_factory=dict, compare=False, repr=False)

    def hrs(self, terms: Terms, errors: tuple[float, float]) -> float | None:
        """Return the risk of the claim with these settings, or None if there is no path."""
        weights = terms.weights(*errors)
        if weights not in self._likely:
            told = weights.probabilities(self.network).tobytes()
            self._likely[weights] = blake2b(told, digest_size=16).digest()
        likely = self._likely[weights]
        key = likely, terms.hops
        if key not in self._weighed:
            if likely not in self._lanes:
                self._lanes.clear()  # hops and aggregates vary fastest, so earlier lanes are not needed again
                self._lanes[likely] = lanes(self.network, weights)
            ends = self.subject, self.object
            found = weigh(self._lanes[likely], *ends, terms.hops, claim=self.sign, negated=self.negated, limit=0)
            self._weighed[key] = found
        return score(self._weighed[key], terms.aggregate).hrs


@dataclass(frozen=True, slots=True)
class Item:
    """A labelled statement with its linked claims and their parts of the graph.

    Attributes:
        text: The statement.
        gold: The label of the statement.
        status: The last step that any claim of the statement reached: `no_triple`, `unlinked`, or `no_evidence`
            (subject and object are linked to concepts).
        claims: The claims whose subject and object are two different concepts with links in the graph.
    """

    text: str
    gold: Gold
    status: str
    claims: tuple[Claim, ...]

    def hrs(self, terms: Terms, errors: tuple[float, float]) -> float | None:
        """Return the mean risk of the statement's claims that have a risk, or None if no claim has one."""
        found = [hrs for claim in self.claims if (hrs := claim.hrs(terms, errors)) is not None]
        return fmean(found) if found else None


@dataclass(frozen=True, slots=True)
class ReadStatement:
    """A labelled statement with all its claims, as `knowhd.statement.TripleReader` returns them."""

    statement: LabelledStatement
    claims: tuple[SaidClaim, ...]

    @property
    def status(self) -> str:
        """The last step that any claim of the statement reached, as in `Item`."""
        if any(True for _ in self.linked()):
            return "no_evidence"
        return "unlinked" if any(said.triple is not None for said in self.claims) else "no_triple"

    def linked(self) -> Iterator[tuple[str, str, Triple]]:
        """Yield subject key, object key and triple of each claim whose subject and object are linked to concepts."""
        for triple in (said.triple for said in self.claims if said.triple is not None):
            if triple.keys is not None:
                yield *triple.keys, triple


def understood(
    data: Sequence[LabelledStatement], graph: GraphReader, seen: Callable[[], None] = lambda: None
) -> list[ReadStatement]:
    """Return the claims of all statements. All names are looked up together, so the graph must not change meanwhile.

    Args:
        data: The statements.
        graph: Store of the concepts.
        seen: Called after each statement.
    """
    found = []
    for each, claims in zip(data, TripleReader(graph, shipped()).read_all(each.text for each in data), strict=True):
        found.append(ReadStatement(each, claims))
        seen()
    return found


def surrounded(
    statements: Iterable[ReadStatement],
    graph: GraphReader,
    *,
    before: int | None = None,
    without: ArticleMask | None = None,
) -> list[Item]:
    """Add to each claim the part of the graph between its two concepts. Each pair of concepts is looked up once.

    Args:
        statements: Statements with their claims, as `understood` returns them.
        graph: Store of the links. Fastest is an atlas (a memory-mapped copy of the graph), which `charting.reader`
            returns if many pairs are looked up.
        before: Use only evidence with a PMID up to this one.
        without: Articles that do not count as support of edges (`LiteratureReader.uncounted`).
    """
    scales = Scales(graph, apart(graph.releases()))
    between: dict[tuple[str, str], Network | None] = {}
    found = []
    for each in statements:
        claims = []
        for subject, target, triple in each.linked():
            if (subject, target) not in between:
                between[subject, target] = _between(graph, scales, subject, target, before, without)
            network = between[subject, target]
            if network is not None:
                sign: Any = triple.sign or 0
                claims.append(Claim(subject, target, sign, triple.negated, network))
        found.append(Item(each.statement.text, each.statement.gold, each.status, tuple(claims)))
    return found


def _between(
    graph: GraphReader,
    scales: Scales,
    subject: str,
    target: str,
    before: int | None,
    without: ArticleMask | None,
) -> Network | None:
    """Return the links that can be on a path between two concepts; None if they are the same or one has no links."""
    if subject == target:
        return None
    network = scales.over(graph.network(subject, target, hops=MOST, before=before, without=without))
    if network.place(subject) is None or network.place(target) is None:
        return None
    return network.within(subject, target, MOST).trimmed(subject, target)


def alike(read: Iterable[Item]) -> bool:
    """Return whether the graph around any claim has a similarity edge.

    Without similarity edges, the form makes no difference, and alpha affects only `contradicts` edges.
    """
    return any(bool(claim.network.of_kind(SIMILAR_TO).any()) for item in read for claim in item.claims)


def risks(
    read: Sequence[Item], grid: Grid, errors: tuple[float, float], seen: Callable[[], None] = lambda: None
) -> list[tuple[Terms, list[float | None]]]:
    """Return the risk of every statement at every point of the grid.

    Args:
        read: The statements.
        grid: The grid of settings.
        errors: Systematic and random error rates in the formula for an edge's belief.
        seen: Called after each point.
    """
    found = []
    for terms in grid.terms():
        found.append((terms, [item.hrs(terms, errors) for item in read]))
        seen()
    return found


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


@dataclass(frozen=True, slots=True)
class GridReport(Record):
    """The results of a grid. Statements with the label `maybe` are only counted in `labels` and `reached`.

    Attributes:
        dataset: Description of the file of statements.
        labels: Number of statements by label.
        reached: Number of statements by the last step that they reached: no_triple, unlinked, no_evidence (both ends of
            a claim are linked, but no point has a path), measured.
        points: Every point of the grid.
        crossed: The cross-validated choice of point and threshold; None if one label is missing.
        terms: Settings of the point that is nearest to the default settings of `risk`.
        warnings: Limits of the results that a reader must know before using them.
    """

    dataset: str
    labels: dict[str, int]
    reached: dict[str, int]
    points: tuple[Point, ...]
    crossed: CrossValidation | None
    terms: Terms
    warnings: tuple[str, ...]


def measured(
    data: Sequence[LabelledStatement],
    dataset: str,
    graph: GraphReader,
    grid: Grid,
    errors: tuple[float, float],
    *,
    before: int | None = None,
    without: ArticleMask | None = None,
    begin: Callable[[str, int, str], None] = lambda _stage, _total, _unit: None,
    seen: Callable[[], None] = lambda: None,
) -> GridReport:
    """Measure every point of a grid on labelled statements.

    Args:
        data: The statements.
        dataset: Description of the source of the statements.
        graph: Graph on which the risks are measured.
        grid: The grid of settings.
        errors: Systematic and random error rates in the formula for an edge's belief.
        before: Use only evidence with a PMID up to this one.
        without: Articles that do not count as support of edges (`LiteratureReader.uncounted`).
        begin: Called at the start of each stage with its name, its number of items and their unit.
        seen: Called after each item of a stage.
    """
    begin("reading", len(data), "statements")
    items = surrounded(understood(data, graph, seen), graph, before=before, without=without)
    begin("measuring", sum(1 for _ in grid.terms()), "points")
    found = risks(items, grid, errors, seen)
    gold = [item.gold for item in items]
    points = tuple(point(terms, gold, each) for terms, each in found)
    default = Terms()

    def distance(terms: Terms) -> tuple[bool, float, float, int, bool]:
        near = abs(terms.alpha - default.alpha), abs(terms.tau_min - default.tau_min), abs(terms.hops - default.hops)
        return terms.form != default.form, *near, terms.aggregate != default.aggregate

    terms, chosen = min(found, key=lambda each: distance(each[0]))
    usual = next(p for p, (t, _) in zip(points, found, strict=True) if t is terms)
    false = arrays(gold, chosen)[0]
    has_risk = [any(hrs is not None for hrs in each) for each in zip(*(each for _, each in found), strict=True)]
    steps = Counter("measured" if has else item.status for item, has in zip(items, has_risk, strict=True))
    return GridReport(
        dataset,
        dict(Counter(gold)),
        {name: steps[name] for name in ("no_triple", "unlinked", "no_evidence", "measured")},
        points,
        crossed(gold, found) if false.any() and not false.all() else None,
        terms,
        tuple(_warnings(items, usual)),
    )


def write_grid(report: GridReport, out: Path) -> None:
    """Write the files of a report into a folder. The folder is created if it does not exist."""
    shape = report.to_dict()
    write_json(out / GRID_FILE, shape)
    write_text(out / "grid.csv", csv_text(shape["points"][0], shape["points"]))


def read_grid(folder: Path) -> GridReport:
    """Return the report that `write` stored in a folder.

    Raises:
        InputError: The folder has no report, or the report cannot be read.
    """
    path, wanted, remedy = (
        folder / GRID_FILE,
        "a file written by bench grid",
        f"make it again: truthhypo bench grid --data FILE --out {folder}",
    )
    found = read_json(path, GridReport, wanted, remedy)
    if not found.points:
        raise InputError(f"{path} cannot be read: it has no points", wanted, remedy)
    return found


def _warnings(items: Sequence[Item], usual: Point) -> list[str]:
    """Return warnings about results that are based on too few statements or show no effect."""
    found = []
    if usual.coverage < COVERED:
        found.append(
            f"the graph gives a risk to {usual.measured} of the decided statements ({usual.coverage:.3f}): "
            "the figures over these statements say little about the others"
        )
    if not alike(items):
        found.append(
            "there is no similarity edge around any claim, so the form makes no difference, and alpha matters only for "
            "concepts that exclude each other"
        )
    if usual.auroc is not None and usual.auroc < 0.5:
        found.append(f"AUROC {usual.auroc:.3f}: on these statements a higher risk does not mean a false statement")
    return found
