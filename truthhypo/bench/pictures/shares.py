"""Draw shares with their intervals, either in rows, or over a number in [0, 1] with dots of different sizes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from textwrap import wrap
from typing import Any

from groundwork.records import Record
from truthhypo.bench.pictures.picture import Picture, Sizes
from truthhypo.bench.pictures.style import LETTERS, PANEL, lines, marks, percent, sizes

#: Pixels between series in a row; letters per line of a row's name; maximum number of rows in a panel.
_STEP, _LINE, _ROWS = 8, 46, 6
#: Pixels of a panel's width that axes and titles need: in pictures with a number on the x axis, and in pictures of
#: rows.
_BESIDE, _AROUND = 62, 20


@dataclass(frozen=True, slots=True)
class Point(Record):
    """One mark of a picture.

    Attributes:
        panel: Name of the panel that contains the mark.
        series: Name of the series. It determines colour and shape.
        row: Name of the row, or position along the horizontal axis as a number.
        value: The share, in [0, 1].
        low: Lower bound of the interval; None without an interval.
        high: Upper bound of the interval; None without an interval.
        n: Number of units from which the share was computed.
    """

    panel: str
    series: str
    row: str | float
    value: float
    low: float | None
    high: float | None
    n: int


def rows(points: Sequence[Point], title: str, series: Sequence[str]) -> Picture:
    """Draw shares in rows, with intervals as lines. In a row, the series are one below the other, under the row name.

    Args:
        points: At least one point. Panels and rows are in the order in which they first occur. A panel with many rows
            is divided into several panels, so that each fits on a page.
        title: Title of the horizontal axis.
        series: All series. The position of a series decides its visual style (`looks.look`). Some series may be missing
            in the points.
    """
    import altair as alt

    shown = _occurring(points, series)
    across = alt.X("value:Q", title=title, **percent(alt))
    panels = {}
    for panel, members in _divided(_panels(points)).items():
        names = {point.row: "\n".join(wrap(str(point.row), _LINE)) for point in members}
        lead = ceil(max(name.count("\n") + 1 for name in names.values()) * (LETTERS + 2) / _STEP)
        band = _STEP * (lead + len(shown) + 1)
        base = alt.Chart(_data(members, names)).encode(
            y=alt.Y("row:N", title=None, sort=None, scale=alt.Scale(padding=0), axis=_above(alt, band)),
            yOffset=alt.YOffset(
                "series:N", scale=alt.Scale(domain=[*(" " * n for n in range(1, lead + 1)), *shown, ""], padding=0)
            ),
        )
        spread = base.mark_rule(strokeWidth=1.5).encode(
            x=alt.X("low:Q", title=title, **percent(alt)), x2="high:Q", stroke=marks(alt, series)["stroke"]
        )
        dots = base.mark_point(size=45, opacity=1, strokeWidth=1.5).encode(x=across, **marks(alt, series))
        panels[panel] = (spread + dots).properties(width=PANEL - _AROUND, height=band * len(names))
    return Picture(panels, shown)


def _above(alt: Any, band: int) -> Any:
    """Return the axis of rows: names at the upper left of their band, lines between the bands."""
    return alt.Axis(
        labelExpr="split(datum.label, '\\n')",
        labelAlign="left",
        labelBaseline="line-top",
        labelPadding=-4,
        labelOffset=3 - band / 2,
        tickBand="extent",
        grid=True,
        ticks=False,
        domain=False,
    )


def sized(points: Sequence[Point], across: str, title: str, series: Sequence[str], unit: str) -> Picture:
    """Draw shares over a number in [0, 1]. The size of a dot shows n, and lines show intervals (paper A, Figure 3).

    Args:
        points: At least one point; its `row` is the number on the horizontal axis.
        across: Title of the horizontal axis.
        title: Title of the vertical axis.
        series: As for `rows`.
        unit: What `n` of a point counts, as a plural noun such as "answers".
    """
    import altair as alt

    drawn = Sizes(unit, min(point.n for point in points), max(point.n for point in points))
    y = alt.Y("value:Q", title=title, **percent(alt))
    panels = {}
    for panel, members in _panels(points).items():
        base = alt.Chart(_data(members)).encode(x=alt.X("row:Q", title=across, **percent(alt)))
        spread = base.mark_rule(opacity=0.6).encode(
            y=alt.Y("low:Q", title=title, **percent(alt)), y2="high:Q", stroke=marks(alt, series)["stroke"]
        )
        under = base.mark_line(strokeWidth=1, opacity=0.7).encode(y=y, **lines(alt, series))
        dots = base.mark_point(opacity=0.9, strokeWidth=1.5).encode(
            y=y, size=sizes(alt, unit, drawn.most), **marks(alt, series)
        )
        panels[panel] = (spread + under + dots).properties(width=PANEL - _BESIDE, height=(PANEL - _BESIDE) * 0.7)
    return Picture(panels, _occurring(points, series), True, drawn)


def _panels(points: Iterable[Point]) -> dict[str, list[Point]]:
    found: dict[str, list[Point]] = {}
    for point in points:
        found.setdefault(point.panel, []).append(point)
    return found


def _divided(panels: dict[str, list[Point]]) -> dict[str, list[Point]]:
    """Divide panels so that none has more than `_ROWS` rows."""
    found: dict[str, list[Point]] = {}
    for panel, members in panels.items():
        order = list(dict.fromkeys(point.row for point in members))
        parts = ceil(len(order) / _ROWS)
        each = ceil(len(order) / parts)
        for part in range(parts):
            here = {*order[part * each : (part + 1) * each]}
            name = panel if parts == 1 else f"{panel} ({part + 1} of {parts})"
            found[name] = [point for point in members if point.row in here]
    return found


def _occurring(points: Iterable[Point], series: Sequence[str]) -> dict[str, int]:
    """Return the series that occur in the points, each with its position among all series."""
    there = {point.series for point in points}
    return {name: n for n, name in enumerate(series) if name in there}


def _data(points: Iterable[Point], names: dict[Any, str] | None = None) -> Any:
    """Return points as data for altair. If `names` is given, it replaces the names of rows."""
    import altair as alt

    shapes = ({**point.to_dict(), "row": names[point.row] if names else point.row} for point in points)
    return alt.InlineData(values=list(shapes))
