"""Write a report: the HTML page with its pictures, the same content as JSON, and the measures as CSV.

The page has no scripts or external files. Numbers are also machine-readable (`<data>`).
If several models occur, each has its own row or panel, so that its name is beside its marks. Colours and shapes show
the setting. In the picture about ways to select an answer they show the way, and in curves they show the form of mu.
"""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from groundwork import manifest
from groundwork.errors import InputError
from groundwork.records import Record
from truthhypo.bench.measures import AVERAGE
from truthhypo.bench.pictures import Point, curve, element, rows, sized
from truthhypo.bench.report import Report
from truthhypo.bench.report_figures import COLUMNS, RELATION, Figure, grounded, printed, published, truthful
from truthhypo.bench.reported_runs import Cell
from truthhypo.hypotheses.leaks import leak_verdict
from truthhypo.hypotheses.options import Setting
from truthhypo.json_files import write_text
from truthhypo.sheet import csv_text

_ALL = "All tasks"
#: A picture with more dots is unreadable and is left out. The tables contain all numbers.
_MOST = 1000
_OF_CURVES = "AUROC, F1 and coverage by maximum path length. Grey: range in which paper B expects the best tau."
_TEMPLATE = "report.html"


def _accuracy(report: Report) -> Markup | None:
    """Draw a panel per task with a row per model. A number printed in paper A has a row of its own."""
    names = _Names.of(report)
    points = [
        point
        for one in report.figures
        if one.cell.select == "greedy" and one.measure == RELATION[one.task == AVERAGE]
        for point in _marks(one, names.task(one.cell.dataset, one.task), one.cell.setting, names.who(one.cell))
    ]
    if not points or len(points) > _MOST:
        return None
    points.sort(key=lambda point: not point.panel.endswith(_ALL))
    return element(rows(points, "relation accuracy", _settings(report)), "relation accuracy by task")


def _groups(report: Report) -> Markup | None:
    """Draw accuracy by groundedness, with a panel per model, or a panel per task if there is only one model."""
    names = _Names.of(report)
    held = [one for one in report.groups if one.drawn]
    alone = len({names.who(one.cell, one.judge) for one in held}) == 1
    points = [
        Point(
            panel=names.task(one.cell.dataset, one.task) if alone else names.who(one.cell, one.judge),
            series=one.cell.setting,
            row=round(one.groundedness, 6),
            value=one.accuracy,
            low=one.low,
            high=one.high,
            n=one.n,
        )
        for one in held
        if alone or one.task == AVERAGE
    ]
    if not points or len(points) > _MOST:
        return None
    points.sort(key=lambda point: alone and not point.panel.endswith(_ALL))
    across, beside = "groundedness (graph and literature)", "mean accuracy"
    return element(sized(points, across, beside, _settings(report), "answers"), f"{beside} by {across}")


def _selection(report: Report) -> Markup | None:
    """Draw accuracy by the way to select an answer, with a panel per model and a row per setting."""
    names = _Names.of(report)
    wanted = [
        one for one in report.figures if one.task == AVERAGE and one.measure == RELATION[1] and not one.cell.baseline
    ]
    points = [
        point
        for one in wanted
        for point in _marks(
            replace(one, printed=None),
            names.who(one.cell),
            f"{one.cell.select} by {one.cell.judge}" if one.cell.judge else one.cell.select,
            one.cell.setting,
        )
    ]
    ways = list(dict.fromkeys(point.series for point in points))
    if len(ways) < 2 or len(points) > _MOST:
        return None
    order = _settings(report)
    points.sort(key=lambda point: order.index(str(point.row)))
    return element(rows(points, "relation accuracy", ways), "relation accuracy by the way of selection")


def _marks(one: Figure, panel: str, series: str, row: str) -> list[Point]:
    """Return the mark of a measure, and a mark in a separate row for the number printed in the paper."""
    if one.value is None:
        return []
    found = [Point(panel, series, row, one.value, one.low, one.high, one.n)]
    if one.printed is not None:
        found.append(Point(panel, series, f"{row}: paper A", one.printed, None, None, one.n))
    return found


@dataclass(frozen=True, slots=True)
class _Names:
    """The names of panels and rows. A dataset, run or judge is named only if the report has more than one."""

    datasets: bool
    runs: bool
    judges: bool

    @classmethod
    def of(cls, report: Report) -> "_Names":
        datasets = {one.cell.dataset for one in report.figures}
        judges = {one.judged_by for one in report.figures} - {None}
        return cls(len(datasets) > 1, len(report.runs) > 1, len(judges) > 1)

    def task(self, dataset: str, task: str) -> str:
        name = _ALL if task == AVERAGE else task
        return f"{dataset}: {name}" if self.datasets else name

    def who(self, cell: Cell, judge: str | None = None) -> str:
        parts = (
            cell.model,
            self.datasets and cell.dataset,
            self.runs and cell.run,
            self.judges and judge and f"by {judge}",
        )
        return ", ".join(part for part in parts if part)


def _settings(report: Report) -> list[str]:
    """Return the settings that occur, ordered from no knowledge to all knowledge."""
    order = ("none", *get_args(Setting))
    found = dict.fromkeys(one.cell.setting for one in report.figures)
    return sorted(found, key=lambda each: order.index(each) if each in order else len(order))


def page(report: Report) -> str:
    """Return the HTML page.

    Args:
        report: The report to show.
    """
    environment = Environment(
        loader=PackageLoader("truthhypo.bench"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        count=lambda value: _data(value, f"{value:,.0f}"),
        percent=lambda value, digits=1: _data(value, f"{100 * value:.{digits}f}"),  # without the percent sign
        points=lambda value: _data(value, f"{100 * value:+z.1f}"),  # a difference of shares, with its sign
        p=lambda value: _data(value, f"{value:.3f}" if value >= 0.001 else f"{value:.1e}"),
        decimal=lambda value, digits=1: _data(value, f"{value:z,.{digits}f}"),
        asjson=lambda value: json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2),
    )
    return environment.get_template(_TEMPLATE).render(
        report=report,
        drawn={
            "accuracy": _accuracy(report),
            "groups": _groups(report),
            "selection": _selection(report),
            "curves": {
                grid.name: element(curve(grid.shown), f"Figures over tau, {grid.name}", _OF_CURVES)
                for grid in report.grids
            },
        },
        truthful=truthful(report.figures),
        grounded=grounded(report.figures),
        table_2=printed(report.published, "Table 2"),
        table_3=printed(report.published, "Table 3"),
        numbers=published(),
        verdict_on=leak_verdict,
    )


def _data(value: float, shown: str) -> Markup:
    return Markup('<data value="{}">{}</data>').format(value, shown)


@dataclass(frozen=True, slots=True)
class Files(Record):
    """Paths of a report's files.

    Attributes:
        html: The report as a page.
        json: The whole report as JSON.
        csv: The measures, one per row.
    """

    html: str
    json: str
    csv: str


def target(out: Path) -> Path:
    """Return the absolute path of the page.

    Raises:
        InputError: The path does not end in .html, or is a folder.
    """
    if out.suffix != ".html" or out.is_dir():
        raise InputError(f"--out {out}", "a path that ends in .html", "choose another name")
    return out.absolute()


def save(report: Report, out: Path, *, sealed: bool = False) -> Files:
    """Write the HTML page, and a .json and a .csv file beside it. Each file appears only when it is complete.

    Args:
        report: The report.
        out: Path of the page; see `target`.
        sealed: Whether each file gets a seal, by which `doctor` notices later changes to the file.

    Raises:
        InputError: A file cannot be written.
    """
    texts = {
        out: page(report),
        out.with_suffix(".json"): json.dumps(report.to_dict(), ensure_ascii=False, allow_nan=False, indent=1) + "\n",
        out.with_suffix(".csv"): csv_text(COLUMNS, (one.row() for one in report.figures)),
    }
    for path, text in texts.items():
        manifest.unseal(path)
        write_text(path, text)
        if sealed:
            manifest.seal(path)
    return Files(*map(str, texts))
