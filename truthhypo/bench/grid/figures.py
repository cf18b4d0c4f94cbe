"""Pictures of a grid: the curve over tau, and the reliability diagram. SVG that needs no script and fetches nothing."""

from collections.abc import Sequence
from typing import Any

from truthhypo.bench.grid.measures import Bin, Point

_COLOURS = ("#0072b2", "#d55e00", "#009e73")  # Okabe and Ito's


def curve(points: Sequence[Point]) -> str:
    """AUROC and coverage over tau by form, hops side by side, alpha and aggregate those of the first point."""
    import altair as alt

    first = points[0]
    rows = [
        {"tau": p.tau_min, "form": p.form, "hops": f"{p.hops} hops", "figure": name, "value": value}
        for p in points
        if (p.alpha, p.aggregate) == (first.alpha, first.aggregate)
        for name, value in (("AUROC", p.auroc), ("share measured", p.coverage), ("F1 at 0.5, all", p.f1_all))
        if value is not None
    ]
    picture = (
        alt.Chart(_data(rows), width=170, height=110)
        .mark_line(point=True)
        .encode(
            x=alt.X("tau:Q", title="tau"),
            y=alt.Y("value:Q", title=None, scale=alt.Scale(domain=[0, 1])),
            color=_series("form"),
            row=alt.Row("figure:N", title=None),
            column=alt.Column("hops:N", title=None),
        )
        .properties(title=f"alpha {first.alpha:g}, {first.aggregate}")
    )
    return _svg(picture)


def diagram(bins: Sequence[Bin]) -> str:
    """Share of false statements over the mean risk of each bin; on the line, risks would be chances."""
    import altair as alt

    rows = [{"risk": b.risk, "false": b.false, "n": b.n} for b in bins if b.n]
    unit = alt.Scale(domain=[0, 1])
    line = alt.Chart(_data([{"x": 0, "y": 0}, {"x": 1, "y": 1}])).mark_line(color="#7f7f7f", strokeDash=[4, 4])
    dots = alt.Chart(_data(rows)).mark_point(filled=True, color=_COLOURS[0], opacity=1)
    picture = alt.layer(
        line.encode(x=alt.X("x:Q", title="HRS", scale=unit), y=alt.Y("y:Q", title="share false", scale=unit)),
        dots.encode(x="risk:Q", y="false:Q", size=alt.Size("n:Q", title="statements")),
    ).properties(width=280, height=280)
    return _svg(picture)


def _data(rows: list[dict[str, Any]]) -> Any:
    import altair as alt

    made: Any = alt.Data
    return made(values=rows)


def _series(name: str) -> Any:
    import altair as alt

    return alt.Color(f"{name}:N", title=name, scale=alt.Scale(range=list(_COLOURS)))


def _svg(picture: Any) -> str:
    import vl_convert

    drawn: str = vl_convert.vegalite_to_svg(picture.to_dict())
    return drawn
