"""The report's pictures: drawn by altair, written out as SVG that needs no script and fetches nothing.

Colours are Okabe and Ito's, which the colour-blind tell apart; every series has a shape of its own beside, so that a
print without colour says the same.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from groundwork.records import Record

if TYPE_CHECKING:
    import altair

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#7f7f7f")
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-left", "triangle-right")
#: Letters of a label; what is longer is cut with an ellipsis in the picture and stands whole in the table beside it.
_LABEL = 34
_PANEL = 300  # pixels across
_INK, _SOFT, _LINE = "#1b1f24", "#555e68", "#d4d9df"


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
        x=alt.X("low:Q", title=title), x2="high:Q", color=_colour(alt, series)
    )
    marks = base.mark_point(filled=True, size=55, opacity=1).encode(
        x=across, color=_colour(alt, series), shape=_shape(alt, series)
    )
    layers = (spread + marks).properties(width=_PANEL, height=alt.Step(max(7, 22 // max(1, len(series)) + 5)))
    return _drawn(layers.facet(facet=_facet(alt, panels), columns=2), f"{title} by {', '.join(panels)}")


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
    base = alt.Chart(_data(points)).encode(x=below, color=_colour(alt, series))
    spread = base.mark_rule(opacity=0.6).encode(y=alt.Y("low:Q", title=title), y2="high:Q")
    line = base.mark_line(strokeWidth=1, opacity=0.6).encode(y="value:Q")
    marks = base.mark_point(filled=True, opacity=0.9).encode(
        y=alt.Y("value:Q", title=title, scale=alt.Scale(domain=[0, 1]), axis=ticks),
        shape=_shape(alt, series),
        size=alt.Size(
            "n:Q",
            title="hypotheses",
            scale=alt.Scale(range=[25, 300]),
            legend=alt.Legend(tickCount=3, columns=4, orient="top"),
        ),
    )
    layers = (spread + line + marks).properties(width=_PANEL, height=170)
    return _drawn(layers.facet(facet=_facet(alt, panels), columns=2), f"{title} by {across}")


def _series(points: Iterable[Point]) -> list[str]:
    return list(dict.fromkeys(_short(point.series) for point in points))


def _data(points: Iterable[Point]) -> Any:
    import altair as alt

    values = (
        replace(point, series=_short(point.series), row=_short(point.row) if isinstance(point.row, str) else point.row)
        for point in points
    )
    return alt.InlineData(values=[value.to_dict() for value in values])


def _short(text: str) -> str:
    return text if len(text) <= _LABEL else text[: _LABEL - 1] + "…"


def _colour(alt: Any, series: Sequence[str]) -> Any:
    colours = [_COLOURS[n % len(_COLOURS)] for n in range(len(series))]
    return alt.Color("series:N", title=None, sort=list(series), scale=alt.Scale(domain=list(series), range=colours))


def _shape(alt: Any, series: Sequence[str]) -> Any:
    # Past the last colour the colours begin anew, with the next shape: no two series look the same.
    shapes = [_SHAPES[(n + n // len(_COLOURS)) % len(_SHAPES)] for n in range(len(series))]
    return alt.Shape("series:N", title=None, sort=list(series), scale=alt.Scale(domain=list(series), range=shapes))


def _facet(alt: Any, panels: Sequence[str]) -> Any:
    return alt.Facet("panel:N", title=None, sort=list(panels), header=alt.Header(labelFontWeight="bold"))


def _drawn(chart: "altair.FacetChart", label: str) -> Markup:
    import vl_convert

    looks: dict[str, Any] = {
        "font": "sans-serif",
        "background": "transparent",
        "view": {"stroke": _LINE},
        "axis": {"labelColor": _INK, "titleColor": _INK, "gridColor": _LINE, "domainColor": _SOFT, "tickColor": _SOFT,
                 "labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": "normal"},
        "header": {"labelColor": _INK, "labelFontSize": 12},
        "legend": {"orient": "bottom", "labelColor": _INK, "labelLimit": 300, "columns": 1, "symbolSize": 60},
        # Widths are measured in one font and read in another: room for labels that come out wider.
        "padding": {"left": 24, "right": 12, "top": 4, "bottom": 4},
    }  # fmt: skip
    drawn: str = vl_convert.vegalite_to_svg(chart.configure(**looks).to_dict())
    return _inline(drawn, label)


def _inline(svg: str, label: str) -> Markup:
    """The picture as an element of the page: no namespaces, ids of its own, one label instead of hundreds."""
    body = re.sub(r'\s(?:xmlns(?::\w+)?|version|role|aria-[a-z]+)="[^"]*"', "", svg[svg.index("<svg") :])
    mark = f"f{abs(_checksum(label)):x}-"
    body = re.sub(r'\bid="', f'id="{mark}', body)
    body = re.sub(r"url\(#", f"url(#{mark}", body)
    return Markup('<svg role="img" aria-label="{}"').format(label) + Markup(body[len("<svg") :])  # noqa: S704  drawn by vl-convert, which escapes the labels it is given


def _checksum(text: str) -> int:
    from zlib import crc32

    return crc32(text.encode())
