"""Show an audit as one HTML file without scripts or external files.

Numbers are also machine-readable (`<data value>`).
"""

from dataclasses import dataclass
from importlib.resources import files
from math import ceil, log2, log10
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from ingest.audit.census import Distribution
from ingest.audit.report import Audit

_TEMPLATE = "audit.html"

# The plot area inside the picture, in the picture's units.
_LEFT, _RIGHT, _TOP, _BOTTOM = 56.0, 620.0, 12.0, 200.0
_TICKS = 12  # maximum number of labels on the horizontal axis


@dataclass(frozen=True, slots=True)
class Mark:
    """A position on an axis, and its label."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Curve:
    """The tail of a distribution as points, with the marks of the horizontal and the vertical axis."""

    points: tuple[tuple[float, float], ...]
    below: tuple[Mark, ...]
    beside: tuple[Mark, ...]


def page(audit: Audit) -> str:
    """Return the HTML page of an audit.

    Args:
        audit: The result of the audit.
    """
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters.update(count=_count, share=_share, moved=_moved, decimal=_decimal)
    source = files("truthhypo.faces").joinpath(_TEMPLATE).read_text("utf-8")
    return environment.from_string(source).render(
        audit=audit, degrees=curve(audit.degrees), articles=curve(audit.articles)
    )


def curve(spread: Distribution) -> Curve:
    """Return the points of a tail in the picture. Both axes are logarithmic, so a power law is a straight line."""
    steps = spread.tail
    doublings = max(1.0, log2(steps[-1].at_least)) if steps else 1.0
    decades = max(1, ceil(-log10(steps[-1].share))) if steps else 1

    def across(at_least: int) -> float:
        return round(_LEFT + (_RIGHT - _LEFT) * log2(at_least) / doublings, 1)

    def down(share: float) -> float:
        return round(_TOP + (_BOTTOM - _TOP) * -log10(share) / decades, 1)

    every = max(1, ceil(len(steps) / _TICKS))
    return Curve(
        tuple((across(step.at_least), down(step.share)) for step in steps),
        tuple(Mark(across(step.at_least), f"{step.at_least:,}") for step in steps[::every]),
        tuple(Mark(down(10.0**-n), f"{10.0 ** (2 - n):g} %") for n in range(decades + 1)),
    )


def _data(value: Any, shown: str) -> Markup:
    return Markup('<data value="{}">{}</data>').format(value, shown)


def _count(value: int) -> Markup:
    return _data(value, f"{value:,}")


def _share(value: float) -> Markup:
    """Return a share in percent. Shares below 1 % have two significant digits."""
    percent = 100 * value
    return _data(value, f"{percent:,.1f} %" if percent >= 1 or not percent else f"{percent:.2g} %")


def _moved(value: float, new: bool) -> Markup:
    """Return a relative change in percent, with its sign, or "new" if there was nothing before."""
    return _data(value, "new" if new else f"{100 * value:+z,.1f} %")


def _decimal(value: float, digits: int = 1) -> Markup:
    return _data(value, f"{value:z,.{digits}f}")
