"""Draw the measures of a grid of risks as curves over tau, the threshold below which edges are ignored."""

from collections.abc import Sequence
from typing import Any

from truthhypo.bench.grid.separation import Point
from truthhypo.bench.pictures.picture import Picture
from truthhypo.bench.pictures.style import LINE, PANEL, lines, marks, percent

#: Title and field of each measure in the picture. F1 is the measure of paper B (Section 2).
_ROWS = (("AUROC", "auroc"), ("F1 at 0.5, all", "f1_all"), ("share measured", "coverage"))
#: Range in which paper B expects the best tau (Section 2). The paper prints no curve.
EXPECTED = (0.3, 0.5)


def curve(points: Sequence[Point]) -> Picture:
    """Return a picture of AUROC, F1 and coverage over tau, with a line per form of mu and a panel per number of hops.

    Args:
        points: At least one point, all with the same alpha and aggregate.
    """
    import altair as alt

    series = list(dict.fromkeys(p.form for p in points))
    panels = {
        "1 hop" if hops == 1 else f"{hops} hops": alt.vconcat(
            *(_over_tau(name, field, [p for p in points if p.hops == hops], series) for name, field in _ROWS)
        )
        for hops in dict.fromkeys(p.hops for p in points)
    }
    return Picture(panels, {form: n for n, form in enumerate(series)}, lines=True)


def _over_tau(name: str, field: str, points: Sequence[Point], series: Sequence[str]) -> Any:
    import altair as alt

    values = [
        {"tau": p.tau_min, "series": p.form, "value": value} for p in points if (value := getattr(p, field)) is not None
    ]
    below = alt.Axis(tickCount=5, labels=name == _ROWS[-1][0], title="tau" if name == _ROWS[-1][0] else None)
    x = alt.X("tau:Q", scale=alt.Scale(domain=[0, 1], nice=False), axis=below)
    base = alt.Chart(alt.InlineData(values=values)).encode(x=x, y=alt.Y("value:Q", title=name, **percent(alt, 2)))
    low, high = EXPECTED
    band = (
        alt.Chart(alt.InlineData(values=[{}]))
        .mark_rect(color=LINE, opacity=0.5)
        .encode(x=alt.datum(low), x2=alt.datum(high), y=alt.datum(0), y2=alt.datum(1))
    )
    line = base.mark_line(strokeWidth=1.2).encode(**lines(alt, series))
    dots = base.mark_point(size=35, opacity=0.9).encode(**marks(alt, series))
    return (band + line + dots).properties(width=PANEL - 62, height=100)
