"""Read the grids of risks for a report, and list what paper B says about its thresholds, for comparison."""

from dataclasses import dataclass
from pathlib import Path

from groundwork.records import Record
from truthhypo.bench.grid.grid_report import GridReport, read
from truthhypo.bench.grid.separation import Point
from truthhypo.bench.pictures.curves import EXPECTED
from truthhypo.bench.published import PrintedNumber
from truthhypo.bench.report.places import told

_B = "paper B, Section"

#: What paper B says about its thresholds. The paper prints no F1 and no curve for comparison.
SAID = (
    PrintedNumber("tau", "searched", "lowest", 0.1, f"{_B} 2"),
    PrintedNumber("tau", "searched", "highest", 0.9, f"{_B} 2"),
    PrintedNumber("tau", "expected best", "lowest", EXPECTED[0], f"{_B} 2"),
    PrintedNumber("tau", "expected best", "highest", EXPECTED[1], f"{_B} 2"),
    PrintedNumber("tau_min", "chosen", "value", 0.2, f"{_B} 6.7"),
    PrintedNumber("alpha", "chosen", "value", 0.9, f"{_B} 3"),
    PrintedNumber("alpha", "F1 peaks", "lowest", 0.85, f"{_B} 3"),
    PrintedNumber("alpha", "F1 peaks", "highest", 0.9, f"{_B} 3"),
    PrintedNumber("hops", "most", "value", 4, f"{_B} 6.7"),
)


@dataclass(frozen=True, slots=True)
class GridSection(Record):
    """The results in a folder that `bench grid` wrote.

    Attributes:
        name: Name of the grid in the report, which is derived from the folder's name.
        folder: Path of the folder as given. An absolute path is shortened to its last name.
        found: The report of the grid.
    """

    name: str
    folder: str
    found: GridReport

    @property
    def shown(self) -> tuple[Point, ...]:
        """The points of the curves: those with the alpha and the aggregate that are nearest to the defaults."""
        terms = self.found.terms
        return tuple(p for p in self.found.points if (p.alpha, p.aggregate) == (terms.alpha, terms.aggregate))


def gridded(name: str, folder: Path) -> GridSection:
    """Read a folder that `bench grid` wrote.

    Args:
        name: Name of the grid in the report.
        folder: Path of the folder.

    Raises:
        InputError: The folder's grid.json was not written by `bench grid`.
    """
    return GridSection(name, told(str(folder)), read(folder))
