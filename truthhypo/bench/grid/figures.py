"""Pictures of a grid: the curve over tau, and the reliability diagram."""

from collections.abc import Sequence
from typing import Any

from fuzzygraph.terms import Terms
from knowhd.intervals import wilson
from truthhypo.bench.grid.measures import Bin, Point
from truthhypo.bench.pictures import shares
from truthhypo.bench.pictures.style import LINE, colour, shape, svg

#: Of a point, what the curve shows; the second is paper B's measure (Section 2).
_ROWS = (("AUROC", "auroc"), ("F1 at 0.5, all", "f1_all"), ("share measured", "coverage"))
#: Where paper B expects the best tau (Section 2); it prints no curve.
EXPECTED = (0.3, 0.5)


def shown(points: Sequence[Point], terms: Terms) -> tuple[Point, ...]:
    """The points of the curve: those with the alpha and the aggregate of the terms."""
    return tuple(p for p in points if (p.alpha, p.aggregate) == (terms.alpha, terms.aggregate))


def curve(points: Sequence[Point]) -> str:
    """AUROC, F1 and coverage with their 95 % intervals over tau by form, hops side by side, as an SVG document.

    Args:
        points: See `shown`; at least one.
    """
    import altair as alt

    rows = [
        {
            "tau": p.tau_min,
            "series": p.form,
            "hops": f"{p.hops} hop{'s' * (p.hops > 1)}",
            "figure": name,
            "value": value,
            "low": getattr(p, f"{field}_low"),
            "high": getattr(p, f"{field}_high"),
        }
        for p in points
        for name, field in _ROWS
        if (value := getattr(p, field)) is not None
    ]
    series = list(dict.fromkeys(p.form for p in points))
    made: Any = alt.InlineData
    chart = alt.Chart(made(values=rows))
    base = chart.encode(
        x=alt.X("tau:Q", title="tau", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(tickCount=5)),
        y=alt.Y("value:Q", title=None, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(tickCount=5)),
        color=colour(alt, series),
    )
    low, high = EXPECTED
    band = (
        chart.transform_aggregate(groupby=["hops", "figure"], n="count()")
        .mark_rect(color=LINE, opacity=0.5)
        .encode(x=alt.datum(low), x2=alt.datum(high), y=alt.datum(0), y2=alt.datum(1))
    )
    marks = base.mark_point(filled=True, size=35, opacity=0.9).encode(shape=shape(alt, series))
    spread = base.mark_rule(opacity=0.45).encode(y=alt.Y("low:Q", title=None), y2="high:Q")
    layers = (band + spread + base.mark_line(strokeWidth=1.2) + marks).properties(width=165, height=110)
    names = [name for name, _ in _ROWS]
    return svg(
        layers.facet(
            row=alt.Row("figure:N", title=None, sort=names),
            column=alt.Column("hops:N", title=None, header=alt.Header(labelFontWeight="bold")),
        )
    )


def diagram(bins: Sequence[Bin]) -> str:
    """Share of false statements over the mean risk of each bin; on the line, risks would be chances."""
    points = []
    for b in bins:
        if b.risk is not None and b.false is not None:
            low, high = wilson(round(b.false * b.n), b.n) or (None, None)
            points.append(shares.Point("risk", "statements", b.risk, b.false, low, high, b.n))
    return shares.reliability(points, "HRS", "share false", ["risk"], "statements")


def _words(hops: int) -> str:
    return "1 hop" if hops == 1 else f"{hops} hops"
