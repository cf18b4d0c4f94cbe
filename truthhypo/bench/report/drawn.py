"""Draw the pictures of a report: accuracy by task, by groundedness and by way to select an answer; curves over tau.

If several models occur, each has its own row or panel, so that its name is beside its marks. Colours and shapes show
the setting. In the picture about ways to select an answer they show the way, and in curves they show the form of mu.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import get_args

from markupsafe import Markup

from truthhypo.bench.pictures.curves import curve
from truthhypo.bench.pictures.picture import element
from truthhypo.bench.pictures.shares import Point, rows, sized
from truthhypo.bench.published import AVERAGE
from truthhypo.bench.report.contents import Report
from truthhypo.bench.report.grids import GridSection
from truthhypo.bench.report.selected_answers import Cell
from truthhypo.bench.report.tables import Figure
from truthhypo.bench.report.views import RELATION
from truthhypo.hypotheses.options import Setting

_ALL = "All tasks"
#: A picture with more dots is unreadable and is left out. The tables contain all numbers.
_MOST = 1000


@dataclass(frozen=True, slots=True)
class ReportPictures:
    """The pictures of a report. A picture is None if there is nothing to draw, or too much.

    Attributes:
        accuracy: Relation accuracy of greedy answers, by task, setting and model.
        groups: Accuracy by groundedness (Figure 3 of paper A).
        selection: Accuracy by the way to select an answer (Figure 4 of paper A).
        curves: Curves over tau, by the name of the grid.
    """

    accuracy: Markup | None
    groups: Markup | None
    selection: Markup | None
    curves: Mapping[str, Markup]


def drawn(report: Report) -> ReportPictures:
    """Draw a report's pictures."""
    curves = {grid.name: _curve(grid) for grid in report.grids}
    return ReportPictures(_accuracy(report), _groups(report), _selection(report), curves)


def _accuracy(report: Report) -> Markup | None:
    """Draw a panel per task with a row per model. A number printed in paper A has a row of its own."""
    names = _Names.of(report)
    points = [
        point
        for one in report.figures
        if one.cell.select == "greedy" and one.measure == RELATION[one.task == AVERAGE]
        for point in _points(one, names.task(one.cell.dataset, one.task), one.cell.setting, names.who(one.cell))
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
        for point in _points(replace(one, printed=None), names.who(one.cell), _way(one.cell), one.cell.setting)
    ]
    ways = list(dict.fromkeys(point.series for point in points))
    if len(ways) < 2 or len(points) > _MOST:
        return None
    order = _settings(report)
    points.sort(key=lambda point: order.index(str(point.row)))
    return element(rows(points, "relation accuracy", ways), "relation accuracy by the way of selection")


def _curve(grid: GridSection) -> Markup:
    told = "AUROC, F1 and coverage by maximum path length. Grey: range in which paper B expects the best tau."
    return element(curve(grid.shown), f"Figures over tau, {grid.name}", told)


def _points(one: Figure, panel: str, series: str, row: str) -> list[Point]:
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


def _way(cell: Cell) -> str:
    return f"{cell.select} by {cell.judge}" if cell.judge else cell.select


def _settings(report: Report) -> list[str]:
    """Return the settings that occur, ordered from no knowledge to all knowledge."""
    order = ("none", *get_args(Setting))
    found = dict.fromkeys(one.cell.setting for one in report.figures)
    return sorted(found, key=lambda each: order.index(each) if each in order else len(order))
