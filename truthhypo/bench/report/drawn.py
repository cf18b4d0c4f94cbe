"""The three pictures of a report: accuracy, accuracy by groundedness, and by the way to choose an answer."""

from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup

from truthhypo.bench.published import AVERAGE
from truthhypo.bench.report.contents import Report
from truthhypo.bench.report.figures import Point, rows, sized
from truthhypo.bench.report.tables import Figure
from truthhypo.bench.report.views import RELATION

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
    """

    accuracy: Markup | None
    groups: Markup | None
    selection: Markup | None


def drawn(report: Report) -> Drawn:
    """Draw a report's pictures."""
    return Drawn(_accuracy(report), _groups(report), _selection(report))


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
    return list(dict.fromkeys(one.cell.setting for one in report.figures))
