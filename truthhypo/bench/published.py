"""Read the numbers printed in paper A from published.tsv: Tables 1 to 4, and the text about Figures 3 and 4."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files

from groundwork.records import Record

#: Task name of the columns over all instances.
AVERAGE = "average"


@dataclass(frozen=True, slots=True)
class PrintedNumber(Record):
    """One number printed in a paper: in paper A, or about the thresholds of paper B (see `report.grids.SAID`).

    Attributes:
        table: `Table 1` to `Table 4`, `Figure 3` or `Figure 4`; for paper B, the name of a parameter, such as `tau`.
        row: Head of the row; two parts are joined by ` / ` (setting / model).
        column: Head of the column; two parts are joined by ` / ` (task / measure).
        value: The value as printed: scores of paper A in percent, counts, p-values, parameters.
        source: The place in the paper where the number is printed.
    """

    table: str
    row: str
    column: str
    value: float
    source: str


@dataclass(frozen=True, slots=True)
class Size(Record):
    """Number of instances of a task in the published set.

    Attributes:
        related: Instances with a relation.
        unrelated: Instances with the label no_relation.
    """

    related: int
    unrelated: int

    @property
    def total(self) -> int:
        """The total number of instances."""
        return self.related + self.unrelated

    @property
    def floor(self) -> float:
        """Link F1 of always answering "related", in [0, 1]."""
        return 2 * self.related / (2 * self.related + self.unrelated)


def published() -> Mapping[tuple[str, str, str], PrintedNumber]:
    """Return all printed numbers, by table, row and column."""
    lines = files("truthhypo.bench").joinpath("published.tsv").read_text("utf-8").splitlines()
    found = {}
    for table, row, column, value, source in (line.split("\t") for line in lines[1:]):
        found[table, row, column] = PrintedNumber(table, row, column, float(value), source)
    return found


def sizes(numbers: Iterable[PrintedNumber]) -> dict[str, Size]:
    """Return the numbers of instances in Table 1, by task."""
    counts: dict[str, list[int]] = {}
    for one in numbers:
        if one.table == "Table 1":
            task, label = one.row.split(" / ")
            counts.setdefault(task, [0, 0])[label == "no_relation"] += int(one.value)
    return {task: Size(related, unrelated) for task, (related, unrelated) in counts.items()}
