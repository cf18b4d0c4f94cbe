"""A picture: several panels with one legend. It becomes an HTML element with one SVG per panel."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any
from zlib import crc32

from markupsafe import Markup

from truthhypo.bench.pictures.looks import Look, look
from truthhypo.bench.pictures.style import SOFT, area, svg

#: In a legend: radius of a mark in pixels, and length of its line to each side as a multiple of the radius.
_RADIUS, _LINE = 4.5, 4


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
        series: The series in the panels, each with the number of its visual style (see `looks.look`).
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
