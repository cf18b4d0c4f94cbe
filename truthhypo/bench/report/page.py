"""Write a report as one HTML file without scripts or external files. Numbers are also machine-readable (`<data>`)."""

import json
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from truthhypo.bench.giveaways import verdict
from truthhypo.bench.published import published
from truthhypo.bench.report.contents import Report
from truthhypo.bench.report.drawn import drawn
from truthhypo.bench.report.views import grounded, printed, truthful

_TEMPLATE = "report.html"


def page(report: Report) -> str:
    """Return the HTML page.

    Args:
        report: The report to show.
    """
    environment = Environment(
        loader=PackageLoader("truthhypo.bench.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(count=_count, percent=_percent, points=_points, p=_p, decimal=_decimal, asjson=_json)
    return environment.get_template(_TEMPLATE).render(
        report=report,
        drawn=drawn(report),
        truthful=truthful(report.figures),
        grounded=grounded(report.figures),
        table_2=printed(report.published, "Table 2"),
        table_3=printed(report.published, "Table 3"),
        numbers=published(),
        verdict_on=verdict,
    )


def _data(value: float, shown: str) -> Markup:
    return Markup('<data value="{}">{}</data>').format(value, shown)


def _count(value: float) -> Markup:
    return _data(value, f"{value:,.0f}")


def _percent(value: float, digits: int = 1) -> Markup:
    """Return a share in percent, without the percent sign."""
    return _data(value, f"{100 * value:.{digits}f}")


def _points(value: float) -> Markup:
    """Return a difference of shares in percentage points, with its sign."""
    return _data(value, f"{100 * value:+z.1f}")


def _p(value: float) -> Markup:
    """Return a p-value with three decimals, or in scientific notation if it is below 0.001."""
    return _data(value, f"{value:.3f}" if value >= 0.001 else f"{value:.1e}")


def _decimal(value: float, digits: int = 1) -> Markup:
    return _data(value, f"{value:z,.{digits}f}")


def _json(value: Any) -> str:
    """Return plain values as indented JSON. The template escapes the text."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2)
