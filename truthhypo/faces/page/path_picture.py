"""Lay out the paths between the two ends of a claim as a picture: where boxes, lines and marks lie."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from groundwork.polarity import relation_sign
from groundwork.vocabulary import SIMILAR_TO

#: Paths in a picture at most, most probable first.
PATHS = 8
#: Measures in units of the picture: width, height of a row, height of a box, width of a letter, letters in a box.
_WIDTH, _ROW, _BOX, _LETTER, _LETTERS = 760, 54, 30, 7.4, 24
_MARGIN = 105
#: Distance between two lines that join the same concepts.
_APART = 16
#: Width of a line with probability 0, and what probability 1 adds to it.
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
        curve: The path of the line, in the language of SVG.
        x: Where its mark lies.
        y: Where its mark lies.
        kind: The relation, `similar_to` or `contradicts`.
        sign: `plus`, `minus`, `alike` for a similarity, or `none`.
        width: Its width, which grows with the probability of the best path through it.
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
    """The paths of a claim as a picture."""

    width: int
    height: int
    nodes: tuple[Node, ...]
    lines: tuple[Line, ...]


def picture(paths: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> Picture | None:
    """Return the picture of some paths between the same two concepts; None without paths.

    Each path has a row. A concept lies in the row of the first path that it is on.

    Args:
        paths: Paths as in the JSON of `risk`, most probable first.
        names: The name of each concept, by key.
    """
    if not paths:
        return None
    shown = paths[:PATHS]
    height = _ROW * len(shown) + 20
    first, last = shown[0]["keys"][0], shown[0]["keys"][-1]
    places = {first: (float(_MARGIN), height / 2), last: (float(_WIDTH - _MARGIN), height / 2)}
    for row, path in enumerate(shown):
        for step, key in enumerate(path["keys"]):
            x = _MARGIN + (_WIDTH - 2 * _MARGIN) * step / len(path["kinds"])
            places.setdefault(key, (x, _middle(row)))
    lines: dict[tuple[str, str, str], Line] = {}
    for row, path in enumerate(shown):
        for (a, b), kind in zip(pairwise(path["keys"]), path["kinds"], strict=True):
            known = (*sorted((a, b)), kind)
            direct = {a, b} == {first, last}
            beside = sum(other[:2] == known[:2] for other in lines if other != known)
            bend = _middle(row) if direct else (places[a][1] + places[b][1]) / 2 + _APART * beside
            title = f"{names.get(a, a)} – {kind.replace('_', ' ')} – {names.get(b, b)}"
            lines.setdefault(known, _line(places[a], places[b], bend, kind, path["probability"], title))
    return Picture(_WIDTH, height, tuple(_node(key, places[key], names) for key in places), tuple(lines.values()))


def _middle(row: int) -> float:
    return 10 + _ROW * (row + 0.5)


def _node(key: str, place: tuple[float, float], names: Mapping[str, str]) -> Node:
    name = names.get(key, key)
    label = name if len(name) <= _LETTERS else f"{name[: _LETTERS - 1]}…"
    return Node(key, name, label, *place, width=max(40.0, len(label) * _LETTER + 18))


def _line(
    start: tuple[float, float], end: tuple[float, float], bend: float, kind: str, probability: float, title: str
) -> Line:
    """Return a line between two places. The mark lies in its middle, at the height `bend`."""
    (x1, y1), (x2, y2) = start, end
    x = (x1 + x2) / 2
    control = 2 * bend - (y1 + y2) / 2  # the curve passes (x, bend) half way
    sign = "alike" if kind == SIMILAR_TO else {1: "plus", -1: "minus"}.get(_sign(kind), "none")
    curve = f"M{x1:.1f} {y1:.1f}Q{x:.1f} {control:.1f} {x2:.1f} {y2:.1f}"
    return Line(curve, x, bend, kind, sign, round(_THIN + _THICK * probability, 2), title)


def _sign(kind: str) -> int:
    return -1 if kind == "contradicts" else relation_sign(kind)
