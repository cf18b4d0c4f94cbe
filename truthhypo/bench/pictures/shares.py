"""Shares with their intervals: in rows side by side, or along a number with dots by their size."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from markupsafe import Markup

from groundwork.records import Record
from truthhypo.bench.pictures.style import PANEL, SOFT, colour, facet, inline, shape, short, sizes, svg


@dataclass(frozen=True, slots=True)
class Point(Record):
    """One mark of a picture.

    Attributes:
        panel: The panel it stands in.
        series: What its colour and shape say.
        row: The row it stands in, or its place along the axis below as a number.
        value: In [0, 1].
        low: Of its interval; None where there is none.
        high: Likewise.
        n: Units that it rests on.
    """

    panel: str
    series: str
    row: str | float
    value: float
    low: float | None
    high: float | None
    n: int


def rows(points: Sequence[Point], title: str, panels: Sequence[str], order: Sequence[str]) -> Markup:
    """Shares in rows, a series beside the other, with intervals as lines.

    Args:
        points: At least one.
        title: Of the axis.
        panels: Panels, in order.
        order: Rows, in order from the top.
    """
    import altair as alt

    series = _series(points)
    across = alt.X("value:Q", title=title, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%", tickCount=5))
    down = alt.Y("row:N", title=None, sort=list(order), axis=alt.Axis(labelLimit=220))
    beside = alt.YOffset("series:N", sort=series)
    base = alt.Chart(_data(points)).encode(y=down, yOffset=beside)
    spread = base.mark_rule(strokeWidth=1.5).encode(
        x=alt.X("low:Q", title=title), x2="high:Q", color=colour(alt, series)
    )
    marks = base.mark_point(filled=True, size=55, opacity=1).encode(
        x=across, color=colour(alt, series), shape=shape(alt, series)
    )
    layers = (spread + marks).properties(width=PANEL, height=alt.Step(max(7, 22 // max(1, len(series)) + 5)))
    return inline(svg(layers.facet(facet=facet(alt, panels), columns=2)), f"{title} by {', '.join(panels)}")


def sized(points: Sequence[Point], across: str, title: str, panels: Sequence[str]) -> Markup:
    """Shares along a number in [0, 1], dots by their n, with intervals as lines (paper A, Figure 3).

    Args:
        points: At least one; `row` is the number.
        across: Title of the axis below.
        title: Of the axis beside.
        panels: Panels, in order.
    """
    import altair as alt

    series = _series(points)
    ticks = alt.Axis(format="%", tickCount=5)
    below = alt.X("row:Q", title=across, scale=alt.Scale(domain=[0, 1]), axis=ticks)
    base = alt.Chart(_data(points)).encode(x=below, color=colour(alt, series))
    spread = base.mark_rule(opacity=0.6).encode(y=alt.Y("low:Q", title=title), y2="high:Q")
    line = base.mark_line(strokeWidth=1, opacity=0.6).encode(y="value:Q")
    marks = base.mark_point(filled=True, opacity=0.9).encode(
        y=alt.Y("value:Q", title=title, scale=alt.Scale(domain=[0, 1]), axis=ticks),
        shape=shape(alt, series),
        size=sizes(alt, "hypotheses"),
    )
    layers = (spread + line + marks).properties(width=PANEL, height=170)
    return inline(svg(layers.facet(facet=facet(alt, panels), columns=2)), f"{title} by {across}")


def reliability(points: Sequence[Point], across: str, title: str, panels: Sequence[str], unit: str = "cases") -> str:
    """The reliability diagram, an SVG document: what came true over what was said, beside the line where both are one.

    Args:
        points: At least one; `row` is the mean probability.
        across: Title of the axis below.
        title: Of the axis beside.
        panels: Panels, in order.
        unit: What n counts.
    """
    import altair as alt

    series, ticks, unit_scale = _series(points), alt.Axis(format="%", tickCount=5), alt.Scale(domain=[0, 1])
    chart = alt.Chart(_data(points))
    base = chart.encode(x=alt.X("row:Q", title=across, scale=unit_scale, axis=ticks), color=colour(alt, series))
    zero, one = alt.datum(0), alt.datum(1)
    even = (
        chart.transform_aggregate(groupby=["panel"], n="count()")
        .mark_rule(color=SOFT, strokeDash=[4, 4])
        .encode(x=zero, y=zero, x2=one, y2=one)
    )
    spread = base.mark_rule(opacity=0.6).encode(y=alt.Y("low:Q", title=title), y2="high:Q")
    marks = base.mark_point(filled=True, opacity=0.9).encode(
        y=alt.Y("value:Q", title=title, scale=unit_scale, axis=ticks), shape=shape(alt, series), size=sizes(alt, unit)
    )
    layers = (even + spread + marks).properties(width=PANEL, height=PANEL * 0.75)
    return svg(layers.facet(facet=facet(alt, panels), columns=2))


def _series(points: Iterable[Point]) -> list[str]:
    return list(dict.fromkeys(short(point.series) for point in points))


def _data(points: Iterable[Point]) -> Any:
    import altair as alt

    values = (
        replace(point, series=short(point.series), row=short(point.row) if isinstance(point.row, str) else point.row)
        for point in points
    )
    return alt.InlineData(values=[value.to_dict() for value in values])
