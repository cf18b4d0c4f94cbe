"""A picture: panels that share a key. It becomes one SVG document, or an element of a page that lays its panels out."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any
from zlib import crc32

from markupsafe import Markup

from truthhypo.bench.pictures.looks import Look, look
from truthhypo.bench.pictures.style import SOFT, area, svg

#: Panels beside each other in a document; a page lays them out by its width.
_BESIDE = 2
#: Pixels of a mark in a key from its middle, and how many times that its line is long to either side.
_RADIUS, _LINE = 4.5, 4


@dataclass(frozen=True, slots=True)
class Sizes:
    """What the sizes of dots say.

    Attributes:
        unit: What is counted.
        least: The smallest number drawn.
        most: The largest.
    """

    unit: str
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Picture:
    """Panels that share a key.

    Attributes:
        panels: Title -> its chart, in order.
        series: Those that occur, each with its place in the order of looks.
        lines: Whether series have lines.
        sizes: What dots' sizes say; None if nothing.
    """

    panels: Mapping[str, Any]
    series: Mapping[str, int]
    lines: bool = False
    sizes: Sizes | None = None


def document(picture: Picture) -> str:
    """All of it as one SVG document."""
    import altair as alt

    charts = [chart.properties(title=title) for title, chart in picture.panels.items()]
    return svg(alt.concat(*charts, columns=_BESIDE), legend=True)


def element(picture: Picture, title: str, described: str = "") -> Markup:
    """All of it as an element of a page: the key, and a drawing a panel.

    Args:
        picture: What to show.
        title: What it shows, read out with the name of each panel.
        described: What to see in it.
    """
    panels = Markup().join(
        Markup('<div class="panel"><p>{}</p>{}</div>').format(
            name, inline(svg(chart, legend=False), f"{title}: {name}", described)
        )
        for name, chart in picture.panels.items()
    )
    key = Markup().join((*_series(picture), *_dots(picture.sizes)))
    return Markup('<div class="picture"><ul class="key">{}</ul><div class="panels">{}</div></div>').format(key, panels)


def _series(picture: Picture) -> list[Markup]:
    return [
        Markup("<li>{}{}</li>").format(_sign(look(n), _RADIUS, line=picture.lines), name)
        for name, n in picture.series.items()
    ]


def _dots(sizes: Sizes | None) -> list[Markup]:
    if sizes is None:
        return []
    shown = Markup().join(
        Markup("{}{} ").format(_sign(Look(SOFT, SOFT, look(0).shape, ()), sqrt(area(n, sizes.most)) / 2), n)
        for n in dict.fromkeys((sizes.least, sizes.most))
    )
    return [Markup("<li>{}{}</li>").format(shown, sizes.unit)]


def _sign(one: Look, radius: float, *, line: bool = False) -> Markup:
    """A mark as it stands in a key, on a piece of its line; nothing to read out.

    No element in it moves or scales: Chromium forgets that where it prints the key again on the next page.
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
    """An SVG document as an element of a page: no namespaces, ids of its own, one title instead of hundreds of labels.

    Args:
        drawn: The SVG.
        title: What it shows, read out in its place.
        described: What to see in it.
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
