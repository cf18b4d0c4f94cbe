"""Define the style of charts, and convert charts to SVG."""

from collections.abc import Sequence
from typing import Any

from truthhypo.bench.pictures.looks import look

#: Width of a panel with its axes in pixels. It is half the width of a printed page; a pixel is 0.75 points in print.
PANEL = 340
#: Size of all text in pixels.
LETTERS = 12
INK, SOFT, LINE = "#1b1f24", "#555e68", "#d4d9df"
#: Pixels between the ends of a scale and the frame. Half of the largest mark fits in between.
_ROOM = 13
#: Area of the smallest and the largest dot in square pixels.
DOTS = (30, 300)


def percent(alt: Any, steps: int = 5) -> dict[str, Any]:
    """Return the scale and axis for shares. Space between 0 or 100 % and the frame keeps marks from being cut off."""
    ticks = [n / steps for n in range(steps + 1)]
    return {
        "scale": alt.Scale(domain=[0, 1], padding=_ROOM, nice=False, zero=False),
        "axis": alt.Axis(format="%", values=ticks, labelFlush=False),
    }


def marks(alt: Any, series: Sequence[str]) -> dict[str, Any]:
    """Return the altair encodings that give the marks of each series their visual style (`looks.look`)."""
    looks = [look(n) for n in range(len(series))]
    return {
        "stroke": _by(alt.Stroke, alt, series, [each.colour for each in looks]),
        "fill": _by(alt.Fill, alt, series, [each.fill for each in looks]),
        "shape": _by(alt.Shape, alt, series, [each.shape for each in looks]),
    }


def lines(alt: Any, series: Sequence[str]) -> dict[str, Any]:
    """Return the altair encodings that give the line of each series its visual style (`looks.look`)."""
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
