"""Draw shares with their intervals, and curves over tau, as HTML elements with one SVG per panel and one legend.

Series differ by colour, and for colour-blind readers also by shape, filling and dashes. The colours are the palette of
Okabe and Ito without yellow, which is hard to see on white. The distance between any two colours in CIE L*a*b* is at
least 16, also for the three types of colour blindness (a test computes the distance). The first colours differ most,
also when printed in grey.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from textwrap import wrap
from typing import Any
from zlib import crc32

from markupsafe import Markup

from groundwork.records import Record
from truthhypo.bench.grid import Point as GridPoint

_COLOURS = ("#0072b2", "#e69f00", "#000000", "#56b4e9", "#d55e00", "#cc79a7", "#009e73")
_HOLLOW = "#ffffff"
#: Marks as SVG paths within [-1, 1] on both axes: circle, square, triangle, diamond, cross, inverted triangle, diagonal
#: cross, hourglass.
_SHAPES = (
    "M-1,0A1,1,0,1,1,1,0A1,1,0,1,1,-1,0Z",
    "M-0.9,-0.9H0.9V0.9H-0.9Z",
    "M0,-1L1,0.8H-1Z",
    "M0,-1.2L1,0L0,1.2L-1,0Z",
    "M-0.35,-1H0.35V-0.35H1V0.35H0.35V1H-0.35V0.35H-1V-0.35H-0.35Z",
    "M0,1L1,-0.8H-1Z",
    "M-1,-0.6L-0.6,-1L0,-0.4L0.6,-1L1,-0.6L0.4,0L1,0.6L0.6,1L0,0.4L-0.6,1L-1,0.6L-0.4,0Z",
    "M-1,-1H1L-1,1H1Z",
)
_DASHES = ((1, 0), (6, 3), (2, 2), (9, 3, 2, 3), (4, 1))
#: Width of a panel with its axes in pixels. It is half the width of a printed page; a pixel is 0.75 points in print.
PANEL = 340
#: Size of all text in pixels.
LETTERS = 12
INK, SOFT, LINE = "#1b1f24", "#555e68", "#d4d9df"
#: Pixels between the ends of a scale and the frame. Half of the largest mark fits in between.
_ROOM = 13
#: Area of the smallest and the largest dot in square pixels.
DOTS = (30, 300)
#: In a legend: radius of a mark in pixels, and length of its line to each side as a multiple of the radius.
_RADIUS, _LINE = 4.5, 4
#: Pixels between series in a row; letters per line of a row's name; maximum number of rows in a panel.
_STEP, _LETTERS, _ROWS = 8, 46, 6
#: Pixels of a panel's width that axes and titles need: in pictures with a number on the x axis, and in pictures of
#: rows.
_BESIDE, _AROUND = 62, 20
#: Title and field of each measure in the picture. F1 is the measure of paper B (Section 2).
_CURVES = (("AUROC", "auroc"), ("F1 at 0.5, all", "f1_all"), ("share measured", "coverage"))
#: Range in which paper B expects the best tau (Section 2). The paper prints no curve.
EXPECTED_TAU = (0.3, 0.5)


@dataclass(frozen=True, slots=True)
class Look(Record):
    """The visual style of one series.

    Attributes:
        colour: Colour of the lines and of the borders of the marks.
        fill: Fill colour of the marks: the same colour, or white.
        shape: Shape of the marks, as an SVG path within [-1, 1] on both axes.
        dash: Dash pattern of the lines: lengths of dashes and gaps in turn, in pixels.
    """

    colour: str
    fill: str
    shape: str
    dash: tuple[int, ...]


def look(n: int) -> Look:
    """Return the visual style of series number n, counted from 0. When colours repeat, shapes and fillings change."""
    again, place = divmod(n, len(_COLOURS))
    colour = _COLOURS[place]
    shape = _SHAPES[(place + again) % len(_SHAPES)]
    return Look(colour, _HOLLOW if again % 2 else colour, shape, _DASHES[n % len(_DASHES)])


def percent(alt: Any, steps: int = 5) -> dict[str, Any]:
    """Return the scale and axis for shares. Space between 0 or 100 % and the frame keeps marks from being cut off."""
    ticks = [n / steps for n in range(steps + 1)]
    return {
        "scale": alt.Scale(domain=[0, 1], padding=_ROOM, nice=False, zero=False),
        "axis": alt.Axis(format="%", values=ticks, labelFlush=False),
    }


def marks(alt: Any, series: Sequence[str]) -> dict[str, Any]:
    """Return the altair encodings that give the marks of each series their visual style (`look`)."""
    looks = [look(n) for n in range(len(series))]
    return {
        "stroke": _by(alt.Stroke, alt, series, [each.colour for each in looks]),
        "fill": _by(alt.Fill, alt, series, [each.fill for each in looks]),
        "shape": _by(alt.Shape, alt, series, [each.shape for each in looks]),
    }


def lines(alt: Any, series: Sequence[str]) -> dict[str, Any]:
    """Return the altair encodings that give the line of each series its visual style (`look`)."""
    looks = [look(n) for n in range(len(series))]
    return {
        "stroke": _by(alt.Stroke, alt, series, [each.colour for each in looks]),
        "strokeDash": _by(alt.StrokeDash, alt, series, [list(each.dash) for each in looks]),
    }


def _by(channel: Any, alt: Any, series: Sequence[str], values: Sequence[Any]) -> Any:
    return channel("series:N", title=None, sort=None, scale=alt.Scale(domain=list(series), range=list(values)))


def area(n: int, most: int) -> float:
    """Return the area in square pixels of a dot for n units, if the largest dot stands for `most` units."""
    low, high = DOTS
    return low + (high - low) * n / most


def sizes(alt: Any, unit: str, most: int) -> Any:
    """Return the altair encoding that makes the area of each dot grow with its number of units (see `area`)."""
    return alt.Size("n:Q", title=unit, scale=alt.Scale(domain=[0, most], range=list(DOTS)))


def svg(chart: Any) -> str:
    """Return a chart as an SVG document without a legend."""
    import vl_convert

    looks: dict[str, Any] = {
        "font": "sans-serif",
        "background": "transparent",
        "view": {"stroke": LINE},
        "axis": {"labelColor": INK, "titleColor": INK, "gridColor": LINE, "domainColor": SOFT, "tickColor": SOFT,
                 "labelFontSize": LETTERS, "titleFontSize": LETTERS, "titleFontWeight": "normal", "labelLimit": 0,
                 "titleLimit": 0},
        "title": {"color": INK, "fontSize": LETTERS, "limit": 0},
        "legend": {"disable": True},
        # vl-convert measures text in one font and a viewer shows another, so labels may be wider than computed.
        "padding": {"left": 6, "right": 12, "top": 4, "bottom": 4},
    }  # fmt: skip
    drawn: str = vl_convert.vegalite_to_svg(chart.configure(**looks).to_dict())
    return drawn


@dataclass(frozen=True, slots=True)
class Sizes:
    """The meaning of the sizes of dots.

    Attributes:
        unit: What is counted, as a plural noun such as "answers".
        least: Number that the smallest dot in the picture stands for.
        most: Number that the largest dot in the picture stands for.
    """

    unit: str
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Picture:
    """Several panels with one legend.

    Attributes:
        panels: Charts by title, in order.
        series: The series in the panels, each with the number of its visual style (see `look`).
        lines: Whether series have lines.
        sizes: The meaning of the sizes of dots; None if all dots have one size.
    """

    panels: Mapping[str, Any]
    series: Mapping[str, int]
    lines: bool = False
    sizes: Sizes | None = None


def element(picture: Picture, title: str, described: str = "") -> Markup:
    """Return the picture as an HTML element: the legend, and one drawing per panel.

    Args:
        picture: The picture.
        title: Title for screen readers. The name of the panel is added to it.
        described: Description of the picture, for screen readers.
    """
    panels = Markup().join(
        Markup('<div class="panel"><p>{}</p>{}</div>').format(name, inline(svg(chart), f"{title}: {name}", described))
        for name, chart in picture.panels.items()
    )
    shown = [(_sign(look(n), _RADIUS, line=picture.lines), name) for name, n in picture.series.items()]
    if one := picture.sizes:
        dot = Look(SOFT, SOFT, look(0).shape, ())
        signs = (
            Markup("{}{} ").format(_sign(dot, sqrt(area(n, one.most)) / 2), n)
            for n in dict.fromkeys((one.least, one.most))
        )
        shown.append((Markup().join(signs), one.unit))
    key = Markup().join(Markup("<li>{}{}</li>").format(sign, name) for sign, name in shown)
    return Markup('<div class="picture"><ul class="key">{}</ul><div class="panels">{}</div></div>').format(key, panels)


def _sign(one: Look, radius: float, *, line: bool = False) -> Markup:
    """Return the SVG of a mark in the legend, on a short line if `line` is set. Screen readers ignore the SVG.

    The SVG contains no transformations, because Chromium ignores transformations when it repeats the legend on the next
    printed page.
    """
    width, height = (2 * _LINE if line else 2.6), 2.6
    dash = ",".join(f"{each / radius:.3g}" for each in one.dash)
    under = Markup('<path d="M{},0H{}" stroke-dasharray="{}"/>').format(-width / 2, width / 2, dash) if line else ""
    return Markup(
        '<svg aria-hidden="true" width="{0:.3g}" height="{1:.3g}" viewBox="{2} {3} {4} {5}" stroke="{6}" fill="{7}"'
        ' stroke-width="{8:.3g}">{9}<path d="{10}"/></svg>'
    ).format(
        *(width * radius, height * radius, -width / 2, -height / 2, width, height),
        *(one.colour, one.fill, 1.5 / radius, under, one.shape),
    )


def inline(drawn: str, title: str, described: str = "") -> Markup:
    """Return an SVG document as an HTML element: without namespaces, with unique ids, and with a single title.

    Args:
        drawn: Source of the SVG document.
        title: Title for screen readers.
        described: Description of the picture, for screen readers.
    """
    body = drawn[drawn.index("<svg") + len("<svg") :]
    body = re.sub(r'\s(?:xmlns(?::\w+)?|version|role|aria-[a-z]+)="[^"]*"', "", body)
    mark = f"f{crc32(f'{title} {described}'.encode()):x}-"
    body = re.sub(r'\bid="', f'id="{mark}', body)
    body = re.sub(r"url\(#", f"url(#{mark}", body)
    tag, _, rest = body.partition(">")
    told = Markup('<title id="{0}t">{1}</title><desc id="{0}d">{2}</desc>').format(mark, title, described or title)
    named = Markup('<svg role="img" aria-labelledby="{0}t" aria-describedby="{0}d"').format(mark)
    return named + Markup(tag + ">") + told + Markup(rest)  # noqa: S704  drawn by vl-convert, which escapes the labels it is given


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
        series: All series. The position of a series decides its visual style (`look`). Some series may be missing
            in the points.
    """
    import altair as alt

    shown = _occurring(points, series)
    across = alt.X("value:Q", title=title, **percent(alt))
    panels = {}
    for panel, members in _divided(_panels(points)).items():
        names = {point.row: "\n".join(wrap(str(point.row), _LETTERS)) for point in members}
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


def curve(points: Sequence[GridPoint]) -> Picture:
    """Return a picture of AUROC, F1 and coverage over tau, with a line per form of mu and a panel per number of hops.

    Args:
        points: At least one point, all with the same alpha and aggregate.
    """
    import altair as alt

    series = list(dict.fromkeys(p.form for p in points))
    panels = {
        "1 hop" if hops == 1 else f"{hops} hops": alt.vconcat(
            *(_over_tau(name, field, [p for p in points if p.hops == hops], series) for name, field in _CURVES)
        )
        for hops in dict.fromkeys(p.hops for p in points)
    }
    return Picture(panels, {form: n for n, form in enumerate(series)}, lines=True)


def _over_tau(name: str, field: str, points: Sequence[GridPoint], series: Sequence[str]) -> Any:
    import altair as alt

    values = [
        {"tau": p.tau_min, "series": p.form, "value": value} for p in points if (value := getattr(p, field)) is not None
    ]
    below = alt.Axis(tickCount=5, labels=name == _CURVES[-1][0], title="tau" if name == _CURVES[-1][0] else None)
    x = alt.X("tau:Q", scale=alt.Scale(domain=[0, 1], nice=False), axis=below)
    base = alt.Chart(alt.InlineData(values=values)).encode(x=x, y=alt.Y("value:Q", title=name, **percent(alt, 2)))
    low, high = EXPECTED_TAU
    band = (
        alt.Chart(alt.InlineData(values=[{}]))
        .mark_rect(color=LINE, opacity=0.5)
        .encode(x=alt.datum(low), x2=alt.datum(high), y=alt.datum(0), y2=alt.datum(1))
    )
    line = base.mark_line(strokeWidth=1.2).encode(**lines(alt, series))
    dots = base.mark_point(size=35, opacity=0.9).encode(**marks(alt, series))
    return (band + line + dots).properties(width=PANEL - 62, height=100)
