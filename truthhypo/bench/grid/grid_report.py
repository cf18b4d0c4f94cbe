"""The report of a grid: all points, and the cross-validated choice.

Files in the folder OUT:

    grid.json         the report: the fields of GridReport
    grid.csv          the points of the grid, one per row
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fuzzygraph.risk_report import Terms
from groundwork.errors import InputError
from groundwork.network import ArticleMask
from groundwork.ports import GraphReader
from groundwork.records import Record
from truthhypo.bench.grid.data import LabelledStatement
from truthhypo.bench.grid.risks import Grid, Item, alike, risks, surrounded, understood
from truthhypo.bench.grid.separation import CrossValidation, Point, Risks, arrays, crossed, point
from truthhypo.bench.spreadsheet import csv_text
from truthhypo.json_files import read_json, write_json, write_text

FILE = "grid.json"
#: The report contains a warning if the share of measured statements is smaller than this.
COVERED = 0.2


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
    read = surrounded(understood(data, graph, seen), graph, before=before, without=without)
    begin("measuring", sum(1 for _ in grid.terms()), "points")
    found = risks(read, grid, errors, seen)
    gold = [item.gold for item in read]
    points = tuple(point(terms, gold, each) for terms, each in found)
    terms, chosen = min(found, key=lambda each: _distance(each[0]))
    usual = next(p for p, (t, _) in zip(points, found, strict=True) if t is terms)
    false = arrays(gold, chosen)[0]
    return GridReport(
        dataset,
        dict(Counter(gold)),
        _reached(read, [each for _, each in found]),
        points,
        crossed(gold, found) if false.any() and not false.all() else None,
        terms,
        tuple(_warnings(read, usual)),
    )


def write(report: GridReport, out: Path) -> None:
    """Write the files of a report into a folder. The folder is created if it does not exist."""
    shape = report.to_dict()
    write_json(out / FILE, shape)
    write_text(out / "grid.csv", csv_text(shape["points"][0], shape["points"]))


def read(folder: Path) -> GridReport:
    """Return the report that `write` stored in a folder.

    Raises:
        InputError: The folder has no report, or the report cannot be read.
    """
    path, wanted, remedy = (
        folder / FILE,
        "a file written by bench grid",
        f"make it again: truthhypo bench grid --data FILE --out {folder}",
    )
    found = read_json(path, GridReport, wanted, remedy)
    if not found.points:
        raise InputError(f"{path} cannot be read: it has no points", wanted, remedy)
    return found


def _distance(terms: Terms) -> tuple[bool, float, float, int, bool]:
    """Return a sort key: how far these settings are from the default settings of `risk`."""
    usual = Terms()
    near = abs(terms.alpha - usual.alpha), abs(terms.tau_min - usual.tau_min), abs(terms.hops - usual.hops)
    return terms.form != usual.form, *near, terms.aggregate != usual.aggregate


def _reached(read: Sequence[Item], every: Sequence[Risks]) -> dict[str, int]:
    measured = [any(hrs is not None for hrs in each) for each in zip(*every, strict=True)]
    found = Counter("measured" if has else item.status for item, has in zip(read, measured, strict=True))
    return {name: found[name] for name in ("no_triple", "unlinked", "no_evidence", "measured")}


def _warnings(read: Sequence[Item], usual: Point) -> list[str]:
    """Return warnings about results that are based on too few statements or show no effect."""
    found = []
    if usual.coverage < COVERED:
        found.append(
            f"the graph gives a risk to {usual.measured} of the decided statements ({usual.coverage:.3f}): "
            "the figures over these statements say little about the others"
        )
    if not alike(read):
        found.append(
            "there is no similarity edge around any claim, so the form makes no difference, and alpha matters only for "
            "concepts that exclude each other"
        )
    if usual.auroc is not None and usual.auroc < 0.5:
        found.append(f"AUROC {usual.auroc:.3f}: on these statements a higher risk does not mean a false statement")
    return found
