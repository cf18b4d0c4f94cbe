"""Draw results as bars with altair, which the extra `bench` installs."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from io import BytesIO, StringIO
from typing import TYPE_CHECKING, Any, TypeVar

from groundwork.errors import InputError
from groundwork.records.shortened import cut

if TYPE_CHECKING:
    from altair import FacetChart, LayerChart

    Chart = TypeVar("Chart", FacetChart, LayerChart)

#: Colours of Okabe and Ito, which colour-blind readers can tell apart.
BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "#767676"
#: Width of a panel and height of a row, in pixels; maximum number of characters of a label.
_WIDTH, _ROW, _LABEL = 320, 26, 70


def bars(
    rows: Sequence[Mapping[str, Any]], kinds: Mapping[str, tuple[str, str]], title: str, described: str
) -> "LayerChart":
    """Return a chart with a bar per row. The colour of a bar and the mark in front of its value show its kind.

    Args:
        rows: The bars: `label`, `value` and `kind`. Further fields are kept for tooltips and facets.
        kinds: Colour and mark of each kind, in the order of the legend.
        title: Title of the values.
        described: Description for screen readers.

    Raises:
        InputError: altair is not installed.
    """
    try:
        import altair as alt
    except ImportError:
        seen = "the package altair is not installed"
        raise InputError(seen, "altair, for plot()", "install it: pip install 'truthhypo[bench]'") from None
    values = [{**row, "label": cut(row["label"], _LABEL), "told": _value_label(row, kinds)} for row in rows]
    names = list(kinds)
    colours = alt.Scale(domain=names, range=[colour for colour, _ in kinds.values()])
    room = 1.25 * max((row["value"] for row in rows), default=1) or 1  # leaves room for the values beside the bars
    base = alt.Chart(alt.InlineData(values=values)).encode(
        x=alt.X("value:Q", title=title, scale=alt.Scale(domain=[0, room], nice=False)),
        y=alt.Y("label:N", title=None, sort=None, axis=alt.Axis(labelLimit=0)),
        tooltip=[alt.Tooltip("text:N"), alt.Tooltip("kind:N"), alt.Tooltip("value:Q", title=title)],
    )
    drawn = base.mark_bar().encode(color=alt.Color("kind:N", title=None, sort=names, scale=colours))
    beside = base.mark_text(align="left", dx=4).encode(text="told:N")
    chart: LayerChart = (drawn + beside).properties(width=_WIDTH, height=alt.Step(_ROW), description=described)
    return chart


def offline(chart: "Chart") -> "Chart":
    """Return a chart that a notebook shows as a picture. altair's own renderer loads scripts from the network.

    A renderer that the user enabled takes precedence, for instance `altair.renderers.enable("browser")`.
    """
    import altair as alt

    class Picture(type(chart)):  # type: ignore[misc]
        def _repr_mimebundle_(self, *args: Any, **kwargs: Any) -> Any:
            if alt.renderers.active != "default":
                return super()._repr_mimebundle_(*args, **kwargs)
            svg, png = StringIO(), BytesIO()
            self.save(svg, format="svg")
            self.save(png, format="png")  # JupyterLab shows an SVG only in trusted notebooks
            return {"image/svg+xml": svg.getvalue(), "image/png": b64encode(png.getvalue()).decode()}

    Picture.__name__ = type(chart).__name__
    object.__setattr__(chart, "__class__", Picture)  # a normal assignment would become a part of the chart
    return chart


def _value_label(row: Mapping[str, Any], kinds: Mapping[str, tuple[str, str]]) -> str:
    value = row["value"]
    return f"{kinds[row['kind']][1]} {f'{value:,}' if isinstance(value, int) else f'{value:.3g}'}"
