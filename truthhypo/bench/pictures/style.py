"""How pictures look, and how they become an element of a page.

Colours are Okabe and Ito's, which the colour-blind tell apart; every series has a shape of its own beside, so that a
print without colour says the same.
"""

import re
from collections.abc import Sequence
from typing import Any
from zlib import crc32

from markupsafe import Markup

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#7f7f7f")
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-left", "triangle-right")
#: Letters of a label; what is longer is cut with an ellipsis in the picture and stands whole in the table beside it.
_LABEL = 34
#: Pixels across one panel.
PANEL = 300
INK, SOFT, LINE = "#1b1f24", "#555e68", "#d4d9df"


def colour(alt: Any, series: Sequence[str]) -> Any:
    """The colour of each series, in their order; past the last they begin anew."""
    colours = [_COLOURS[n % len(_COLOURS)] for n in range(len(series))]
    return alt.Color("series:N", title=None, sort=list(series), scale=alt.Scale(domain=list(series), range=colours))


def shape(alt: Any, series: Sequence[str]) -> Any:
    """The shape of each series: where colours begin anew it is the next one, so that no two series look the same."""
    shapes = [_SHAPES[(n + n // len(_COLOURS)) % len(_SHAPES)] for n in range(len(series))]
    return alt.Shape("series:N", title=None, sort=list(series), scale=alt.Scale(domain=list(series), range=shapes))


def facet(alt: Any, panels: Sequence[str]) -> Any:
    """A panel each, in their order."""
    return alt.Facet("panel:N", title=None, sort=list(panels), header=alt.Header(labelFontWeight="bold"))


def sizes(alt: Any, unit: str) -> Any:
    """Dots by the number of units that they rest on."""
    legend = alt.Legend(tickCount=3, columns=4, orient="top")
    return alt.Size("n:Q", title=unit, scale=alt.Scale(range=[25, 300]), legend=legend)


def short(text: str) -> str:
    """A label as a picture has room for it."""
    return text if len(text) <= _LABEL else text[: _LABEL - 1] + "…"


def svg(chart: Any) -> str:
    """A chart as an SVG document."""
    import vl_convert

    looks: dict[str, Any] = {
        "font": "sans-serif",
        "background": "transparent",
        "view": {"stroke": LINE},
        "axis": {"labelColor": INK, "titleColor": INK, "gridColor": LINE, "domainColor": SOFT, "tickColor": SOFT,
                 "labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": "normal"},
        "header": {"labelColor": INK, "labelFontSize": 12, "labelLimit": PANEL - 40},
        "legend": {"orient": "bottom", "labelColor": INK, "labelLimit": 300, "columns": 1, "symbolSize": 60,
                   "symbolOpacity": 1},
        # Widths are measured in one font and read in another: room for labels that come out wider.
        "padding": {"left": 24, "right": 12, "top": 4, "bottom": 4},
    }  # fmt: skip
    drawn: str = vl_convert.vegalite_to_svg(chart.configure(**looks).to_dict())
    return drawn


def inline(document: str, title: str, described: str = "") -> Markup:
    """A picture as an element of a page: no namespaces, ids of its own, one title instead of hundreds of labels.

    Args:
        document: The SVG.
        title: What it shows, read out in its place.
        described: What to see in it.
    """
    body = document[document.index("<svg") + len("<svg") :]
    body = re.sub(r'\s(?:xmlns(?::\w+)?|version|role|aria-[a-z]+)="[^"]*"', "", body)
    mark = f"f{crc32(f'{title} {described}'.encode()):x}-"
    body = re.sub(r'\bid="', f'id="{mark}', body)
    body = re.sub(r"url\(#", f"url(#{mark}", body)
    tag, _, rest = body.partition(">")
    told = Markup('<title id="{0}t">{1}</title><desc id="{0}d">{2}</desc>').format(mark, title, described or title)
    named = Markup('<svg role="img" aria-labelledby="{0}t" aria-describedby="{0}d"').format(mark)
    return named + Markup(tag + ">") + told + Markup(rest)  # noqa: S704  drawn by vl-convert, which escapes the labels it is given
