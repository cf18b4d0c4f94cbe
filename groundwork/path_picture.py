"""Lay out the paths between the two ends of a claim as a picture: where boxes, lines and signs lie."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from groundwork.vocabulary import SIMILAR_TO, relation_sign

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
    sign = "alike" if kind == SIMILAR_TO else {1: "plus", -1: "minus"}.get(_sign(kind), "none")
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


def _sign(kind: str) -> int:
    return -1 if kind == "contradicts" else relation_sign(kind)
