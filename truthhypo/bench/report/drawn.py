"""The pictures of a report: accuracy, by groundedness and by the way to choose; reliability; the curve over tau."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import get_args

from markupsafe import Markup

from truthhypo.bench.grid.figures import curve
from truthhypo.bench.pictures.shares import Point, reliability, rows, sized
from truthhypo.bench.pictures.style import inline
from truthhypo.bench.published import AVERAGE
from truthhypo.bench.report.calibration import Kind
from truthhypo.bench.report.contents import Report
from truthhypo.bench.report.grids import Gridded
from truthhypo.bench.report.tables import Figure
from truthhypo.bench.report.views import RELATION
from truthhypo.hypotheses.context import Setting

_ALL = "All tasks"
#: Of more dots than that no picture tells anything; the tables hold them all.
_MOST = 400


@dataclass(frozen=True, slots=True)
class Drawn:
    """Pictures; None where there is nothing to draw, or too much.

    Attributes:
        accuracy: Relation accuracy of greedy answers, by task, setting and model.
        groups: Figure 3: accuracy by groundedness.
        selection: Figure 4: accuracy by the way to choose.
        reliability: By kind, where anything of it can be drawn.
        curves: By the name of a grid.
    """

    accuracy: Markup | None
    groups: Markup | None
    selection: Markup | None
    reliability: Mapping[Kind, Markup]
    curves: Mapping[str, Markup]


#: Kind -> what stands below the picture, what beside it, and what its cases are.
_AXES: Mapping[Kind, tuple[str, str, str]] = {
    "answer": ("probability of the answer", "share right", "answers"),
    "groundedness": ("groundedness (graph and literature)", "share right", "answers"),
    "verdict": ("probability of the verdict", "share as people judged", "verdicts"),
    "risk": ("hallucination risk (HRS)", "share false", "statements"),
}


def drawn(report: Report) -> Drawn:
    """Draw a report's pictures."""
    kinds = {kind: _reliability(report, kind) for kind in _AXES}
    return Drawn(
        _accuracy(report),
        _groups(report),
        _selection(report),
        {kind: picture for kind, picture in kinds.items() if picture is not None},
        {grid.name: _curve(grid) for grid in report.grids},
    )


def _accuracy(report: Report) -> Markup | None:
    several, runs = _several(report)
    points = [
        point
        for one in report.figures
        if one.cell.select == "greedy" and one.measure == RELATION[one.task == AVERAGE]
        for point in _points(one, _panel(one, several), _who(one, runs), one.cell.setting)
    ]
    if not points or len(points) > _MOST:
        return None
    return rows(points, "relation accuracy", _seen(points), _settings(report))


def _groups(report: Report) -> Markup | None:
    several, runs = _several(report)
    points = [
        Point(
            panel=_title(one.cell.dataset, one.task, several),
            series=f"{one.cell.model}, {one.cell.setting}" + (f", {one.cell.run}" if runs else ""),
            row=round(one.groundedness, 6),
            value=one.accuracy,
            low=one.low,
            high=one.high,
            n=one.n,
        )
        for one in report.groups
        if one.drawn
    ]
    if not points or len(points) > _MOST:
        return None
    return sized(points, "groundedness (graph and literature)", "mean accuracy", _seen(points))


def _selection(report: Report) -> Markup | None:
    several, runs = _several(report)
    wanted = [
        one for one in report.figures if one.task == AVERAGE and one.measure == RELATION[1] and not one.cell.baseline
    ]
    ways = {(one.cell.select, one.cell.judge) for one in wanted}
    points = [
        point
        for one in wanted
        for point in _points(
            one,
            one.cell.model + (f", {one.cell.dataset}" if several else "") + (f", {one.cell.run}" if runs else ""),
            one.cell.select + (f" by {one.cell.judge}" if one.cell.judge else ""),
            one.cell.setting,
        )
    ]
    if len(ways) < 2 or not points or len(points) > _MOST:
        return None
    return rows(points, "relation accuracy", _seen(points), _settings(report))


def _reliability(report: Report, kind: Kind) -> Markup | None:
    """Panels by who answered, or who judged, or whose risks they are."""
    points = [
        Point(one.panel, one.series, each.sure, each.right, each.right_low, each.right_high, each.n)
        for one in report.calibration
        if one.kind == kind and one.task in {None, AVERAGE}
        for each in one.bins
    ]
    if not points or len(points) > _MOST:
        return None
    across, beside, unit = _AXES[kind]
    document = reliability(points, across, beside, list(dict.fromkeys(point.panel for point in points)), unit)
    told = "Dots by bins of probability with 95 % intervals; on the dashed line, what is said comes true as often."
    return inline(document, f"Reliability: {beside} by {across}", told)


def _curve(grid: Gridded) -> Markup:
    told = "Rows: AUROC, F1 and coverage. Columns: longest path. Grey: where paper B expects the best tau."
    return inline(curve(grid.shown), f"Figures over tau, {grid.name}", told)


def _points(one: Figure, panel: str, series: str, row: str) -> list[Point]:
    if one.value is None:
        return []
    found = [Point(panel, series, row, one.value, one.low, one.high, one.n)]
    if one.printed is not None:
        found.append(Point(panel, f"{series}: paper A", row, one.printed, None, None, one.n))
    return found


def _several(report: Report) -> tuple[bool, bool]:
    """Whether there are several datasets, and several runs."""
    return len({one.cell.dataset for one in report.figures}) > 1, len(report.runs) > 1


def _panel(one: Figure, several: bool) -> str:
    return _title(one.cell.dataset, one.task, several)


def _title(dataset: str, task: str, several: bool) -> str:
    name = _ALL if task == AVERAGE else task
    return f"{dataset}: {name}" if several else name


def _who(one: Figure, runs: bool) -> str:
    return f"{one.cell.model}, {one.cell.run}" if runs else one.cell.model


def _seen(points: Iterable[Point]) -> list[str]:
    """The panels, that of all tasks before those of single ones."""
    found = dict.fromkeys(point.panel for point in points)
    return sorted(found, key=lambda panel: not panel.endswith(_ALL))


def _settings(report: Report) -> list[str]:
    """From no knowledge to all of it."""
    order = ("none", *get_args(Setting))
    found = dict.fromkeys(one.cell.setting for one in report.figures)
    return sorted(found, key=lambda each: order.index(each) if each in order else len(order))
