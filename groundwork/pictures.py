"""Show reports as pictures: paths laid out as boxes and lines, reports as HTML in a notebook, and results as bars.

In a notebook, a report is a heading, and statements with a verdict and evidence that can be unfolded. All texts are
escaped. There are no scripts, no external files and no style sheets. Text is readable in light and dark themes: it has
the colour of the theme, or a background of its own. Bars are drawn with altair, which the extra `bench` installs.
"""

from base64 import b64encode
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from io import BytesIO, StringIO
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

from groundwork.errors import InputError
from groundwork.records.base import cut
from groundwork.vocabulary import SIMILAR_TO, relation_sign

if TYPE_CHECKING:
    from altair import FacetChart, LayerChart
    from jinja2 import Template

    Chart = TypeVar("Chart", FacetChart, LayerChart)

#: Maximum number of paths in a picture. The most probable ones are shown.
PATHS = 6
#: Measures in units of the picture: its width, the height of a row and of a box, the width of a letter, the extra width
#: of a capital. The last number is the maximum number of letters in a box.
_WIDTH, _ROW, _BOX, _LETTER, _CAPITAL, _LETTERS = 860, 54, 30, 7.4, 2.0, 24
_MARGIN = 105
#: Radius of the mark that shows the sign of a line. The other numbers say how far the mark may move along the line if a
#: box is in its way, as shares of the line.
_MARK, _MOVES = 9, (0, 0.05, -0.05, 0.1, -0.1, 0.15, -0.15, 0.2, -0.2, 0.25, -0.25)
#: Distance between two lines that join the same concepts.
_APART = 20
#: Colour of the lines of each sign, in pictures and plots. They are readable on white.
SIGN_COLOURS = {"plus": "#1a7f37", "minus": "#cf222e", "none": "#555e68"}
#: Width of a line whose probability is 0, and how much wider it is if the probability is 1.
_THIN, _THICK = 1.2, 5.0


@dataclass(frozen=True, slots=True)
class Node:
    """The box of a concept, with its middle at (x, y)."""

    key: str
    name: str
    label: str
    x: float
    y: float
    width: float
    height: float = _BOX


@dataclass(frozen=True, slots=True)
class Line:
    """The line of an edge.

    Attributes:
        curve: The line as SVG path data.
        x: Horizontal position of the mark that shows the sign.
        y: Vertical position of this mark.
        kind: Kind of the edge: the name of a relation, `similar_to`, or `contradicts`.
        sign: `plus`, `minus`, `alike` for a similarity, or `none`.
        width: Width of the line, which grows with the probability of the best path over the edge.
        title: The edge as words.
    """

    curve: str
    x: float
    y: float
    kind: str
    sign: str
    width: float
    title: str


@dataclass(frozen=True, slots=True)
class Picture:
    """The most probable paths of a claim as a picture; `paths` is their number."""

    paths: int
    width: int
    height: int
    nodes: tuple[Node, ...]
    lines: tuple[Line, ...]


def picture(paths: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> Picture | None:
    """Return the picture of some paths between the same two concepts; None if there are no paths.

    Each concept between the ends has a row of its own, and so does each path of a single edge.

    Args:
        paths: Paths as in the JSON of `risk`, most probable first.
        names: The name of each concept, by key.
    """
    if not paths:
        return None
    shown = paths[:PATHS]
    ends = shown[0]["keys"][0], shown[0]["keys"][-1]
    inner, straight, count = _rows(shown, ends)
    height = 20 + _ROW * count
    places = {ends[0]: (float(_MARGIN), height / 2), ends[1]: (float(_WIDTH - _MARGIN), height / 2), **inner}
    nodes = {key: _node(key, place, names) for key, place in places.items()}
    lines: dict[tuple[str, str, str], Line] = {}
    for number, path in enumerate(shown):
        for (a, b), kind in zip(pairwise(path["keys"]), path["kinds"], strict=True):
            known = (*sorted((a, b)), kind)
            beside = _APART * sum(other[:2] == known[:2] for other in lines if other != known)
            line = _line(nodes[a], nodes[b], straight.get(number), beside, kind, path["probability"], nodes.values())
            lines.setdefault(known, line)
    return Picture(len(shown), _WIDTH, height, tuple(nodes.values()), tuple(lines.values()))


def _rows(
    paths: Sequence[Mapping[str, Any]], ends: tuple[str, str]
) -> tuple[dict[str, tuple[float, float]], dict[int, float], int]:
    """Return the positions of the concepts between the ends, the heights of one-link paths, and the number of rows.

    A one-link path is named by its index in `paths`. Its height is the vertical position of its line.
    """
    places: dict[str, tuple[float, float]] = {}
    straight: dict[int, float] = {}
    for number, path in enumerate(paths):
        if len(path["kinds"]) == 1:
            straight[number] = _middle(len(places) + len(straight))
        for step, key in enumerate(path["keys"]):
            if key not in places and key not in ends:
                x = _MARGIN + (_WIDTH - 2 * _MARGIN) * step / len(path["kinds"])
                places[key] = x, _middle(len(places) + len(straight))
    return places, straight, len(places) + len(straight)


def _middle(row: int) -> float:
    return 10 + _ROW * (row + 0.5)


def _node(key: str, place: tuple[float, float], names: Mapping[str, str]) -> Node:
    name = names.get(key, key)
    label = name if len(name) <= _LETTERS else f"{name[: _LETTERS - 1]}…"
    capitals = sum(map(str.isupper, label))
    return Node(key, name, label, *place, width=max(40.0, len(label) * _LETTER + capitals * _CAPITAL + 18))


def _line(
    start: Node, end: Node, bend: float | None, beside: float, kind: str, probability: float, boxes: Collection[Node]
) -> Line:
    """Return the line between two boxes.

    A line between the ends of the claim is a curve through the height `bend`. For other lines, `beside` is the
    distance from the straight line, which separates lines between the same boxes. The sign mark of these other lines is
    in the middle of the part that the two boxes do not hide. If a box would touch the mark there, the mark is moved
    along the line.
    """
    near, far = _hidden(start, end), 1 - _hidden(end, start)

    def place(part: float) -> tuple[float, float]:
        return start.x + (end.x - start.x) * part, start.y + (end.y - start.y) * part + beside

    places = [place((near + far) / 2 + move) for move in _MOVES]
    x, y = next((each for each in places if not any(_touches(each, box) for box in boxes)), places[0])
    if bend is not None:
        x, y = (start.x + end.x) / 2, bend
    middle = (start.x + end.x) / 2
    control = 2 * bend - (start.y + end.y) / 2 if bend is not None else (start.y + end.y) / 2 + 2 * beside
    curve = f"M{start.x:.1f} {start.y:.1f}Q{middle:.1f} {control:.1f} {end.x:.1f} {end.y:.1f}"
    sign = "alike" if kind == SIMILAR_TO else {1: "plus", -1: "minus"}.get(relation_sign(kind), "none")
    title = f"{start.name} – {kind.replace('_', ' ')} – {end.name}"
    return Line(curve, x, y, kind, sign, round(_THIN + _THICK * probability, 2), title)


def _touches(place: tuple[float, float], box: Node) -> bool:
    """Return whether a mark at a place touches a box."""
    x, y = place
    return abs(x - box.x) < box.width / 2 + _MARK and abs(y - box.y) < box.height / 2 + _MARK


def _hidden(box: Node, other: Node) -> float:
    """Return the share of the line from the middle of `box` to that of `other` that is inside `box`, at most 0.5."""
    dx, dy = abs(other.x - box.x), abs(other.y - box.y)
    across = box.width / 2 / dx if dx else 1.0
    down = box.height / 2 / dy if dy else 1.0
    return min(across, down, 0.5)


#: Symbol of each verdict, status and stance, so that readers can tell them apart without colours.
MARKS = {
    "supported": "✔",
    "contradicted": "✖",
    "not_enough": "○",
    "failed": "△",
    "measured": "✔",
    "thin": "◔",
    "risky": "✖",
    "no_evidence": "○",
    "unlinked": "△",
    "no_triple": "△",
    "error": "△",
    "proposed": "→",
    "supports": "✔",
    "contradicts": "✖",
}
#: Maximum number of pieces of evidence per statement, and of PMIDs per piece.
PIECES, PMIDS = 12, 5


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of evidence.

    Attributes:
        kind: `supports`, `contradicts`, or another word without a symbol.
        text: The evidence in words.
        pmids: PMIDs of its articles, to which the page links.
        retracted: Whether an article was retracted.
    """

    kind: str
    text: str
    pmids: Sequence[int] = ()
    retracted: bool = False


@dataclass(frozen=True, slots=True)
class Statement:
    """A judged statement.

    Attributes:
        kind: A verdict, a status, or `proposed` for the relation of a hypothesis. It decides the colour and the symbol
            (see MARKS).
        label: The verdict, the score or the relation in words.
        text: The statement, or the reason for a hypothesis.
        told: A second line: the reason for the verdict, the scores, or the error; may be empty.
        flags: Flags of the judgement.
        pieces: The evidence, best first.
        picture: Address of a picture of the evidence (`paths_image`), or "".
    """

    kind: str
    label: str
    text: str
    told: str = ""
    flags: Sequence[str] = ()
    pieces: Sequence[Piece] = ()
    picture: str = ""


def html(heading: str, facts: str, statements: Sequence[Statement], more: int = 0) -> str:
    """Return a report as an HTML fragment.

    Args:
        heading: The result in words.
        facts: A second line in small letters, for instance the judge and the release.
        statements: The statements.
        more: Number of statements that are not shown.
    """
    shown = {"marks": MARKS, "most_pieces": PIECES, "most_pmids": PMIDS}
    page = _template("notebook.html")
    return page.render(heading=heading, facts=facts, statements=statements, more=more, **shown)


def paths_image(paths: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> str:
    """Return a picture of paths as a `data:` address of an SVG image, or "" if there are no paths.

    The image has its own background.

    Args:
        paths: As for `picture`.
        names: The name of each concept, by key.
    """
    drawn = picture(paths, names)
    if drawn is None:
        return ""
    image = _template("paths.svg").render(drawn=drawn, colours=SIGN_COLOURS, concept_address=lambda _key: "")
    return f"data:image/svg+xml;base64,{b64encode(image.encode()).decode()}"


@cache
def _template(name: str) -> "Template":
    from jinja2 import Environment, PackageLoader, StrictUndefined  # imported here because few commands need it

    loader = PackageLoader("groundwork")
    kept = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return kept.get_template(name)


#: Colours of Okabe and Ito, which colour-blind readers can tell apart.
BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "#767676"
#: Width of a panel and height of a row, in pixels; maximum number of characters of a label.
_CHART, _STEP, _LABEL = 320, 26, 70


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
    chart: LayerChart = (drawn + beside).properties(width=_CHART, height=alt.Step(_STEP), description=described)
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
