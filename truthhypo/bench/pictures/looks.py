"""Visual styles that distinguish series: by colour, and for colour-blind readers also by shape, filling and dashes.

The colours are the palette of Okabe and Ito without yellow, which is hard to see on white. The distance between any two
colours in CIE L*a*b* is at least 16, also for the three types of colour blindness (a test computes the distance).
The first colours differ most, also when printed in grey.
"""

from dataclasses import dataclass

from groundwork.records import Record

_COLOURS = ("#0072b2", "#e69f00", "#000000", "#56b4e9", "#d55e00", "#cc79a7", "#009e73")
_HOLLOW = "#ffffff"
#: Marks as SVG paths within [-1, 1] on both axes: circle, square, triangle, diamond, cross, inverted triangle, diagonal
#: cross, hourglass.
_SHAPES = (
    "M-1,0A1,1,0,1,1,1,0A1,1,0,1,1,-1,0Z",
    "M-0.9,-0.9H0.9V0.9H-0.9Z",
    "M0,-1L1,0.8H-1Z",
    "M0,-1.2L1,0L0,1.2L-1,0Z",
    "M-0.35,-1H0.35V-0.35H1V0.35H0.35V1H-0.35V0.35H-1V-0.35H-0.35Z",
    "M0,1L1,-0.8H-1Z",
    "M-1,-0.6L-0.6,-1L0,-0.4L0.6,-1L1,-0.6L0.4,0L1,0.6L0.6,1L0,0.4L-0.6,1L-1,0.6L-0.4,0Z",
    "M-1,-1H1L-1,1H1Z",
)
_DASHES = ((1, 0), (6, 3), (2, 2), (9, 3, 2, 3), (4, 1))


@dataclass(frozen=True, slots=True)
class Look(Record):
    """The visual style of one series.

    Attributes:
        colour: Colour of the lines and of the borders of the marks.
        fill: Fill colour of the marks: the same colour, or white.
        shape: Shape of the marks, as an SVG path within [-1, 1] on both axes.
        dash: Dash pattern of the lines: lengths of dashes and gaps in turn, in pixels.
    """

    colour: str
    fill: str
    shape: str
    dash: tuple[int, ...]


def look(n: int) -> Look:
    """Return the visual style of series number n, counted from 0. When colours repeat, shapes and fillings change."""
    again, place = divmod(n, len(_COLOURS))
    colour = _COLOURS[place]
    shape = _SHAPES[(place + again) % len(_SHAPES)]
    return Look(colour, _HOLLOW if again % 2 else colour, shape, _DASHES[n % len(_DASHES)])
