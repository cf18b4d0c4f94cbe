"""Collect the measures of a report beside the numbers that paper A prints, and arrange them in tables.

The printed numbers are in published.tsv: Tables 1 to 4, and the text about Figures 3 and 4.
"""

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib.resources import files
from typing import Any, TypeVar

from groundwork.records import Record
from knowhd.judge import SOURCES
from truthhypo.bench.measures import AVERAGE
from truthhypo.bench.reported_runs import Cell, ReportedRun

_K = TypeVar("_K", bound=Hashable)
#: The two measures of Table 2, each as (its name for one task, its name for the average of the tasks).
LINK, RELATION = ("link_f1", "link_accuracy"), ("relation_accuracy", "relation_accuracy_micro")


@dataclass(frozen=True, slots=True)
class PrintedNumber(Record):
    """One number printed in a paper: in paper A, or about the thresholds of paper B (see `report.SAID`).

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


Published = Mapping[tuple[str, str, str], PrintedNumber]
#: Where paper A prints a measure: (table, last part of the name of the column). The key is (name of the measure,
#: whether the task is `average`).
_PRINTED = {
    ("link_f1", False): ("Table 2", "link_f1"),
    ("relation_accuracy", False): ("Table 2", "relation_accuracy"),
    ("link_accuracy", True): ("Table 2", "link_f1"),
    ("relation_accuracy_micro", True): ("Table 2", "relation_accuracy"),
}
#: Parts of a model's name that the paper leaves out: provider, tuning and date.
_AROUND = re.compile(r"^.*[:/]|-instruct\b|-20\d\d-\d\d-\d\d$")


@dataclass(frozen=True, slots=True)
class Figure(Record):
    """The value of one measure in one cell (a run, dataset, model, setting and way to select answers).

    Attributes:
        cell: Cell of the answers.
        task: Name of the task, or `average`.
        measure: Name of the measure. Measures by a judge are named `groundedness_SOURCE`.
        judged_by: Name of the judge; None for measures without a judge.
        value: Value of the measure; None if there is nothing to measure.
        low: Lower bound of the 95 % interval; None if there is none.
        high: Upper bound of the 95 % interval; None if there is none.
        n: Number of instances from which the value is computed.
        asked: Number of instances that were asked.
        failed: Number of instances without a usable reply.
        undecided: Number of instances for which the rules found that no sign prevails.
        coverage: Share of the answers that could be judged, in [0, 1]; None for measures without a judge.
        printed: Number that paper A prints for the same model, setting and task, as a share in [0, 1]; None if the
            paper prints none, or if the dataset has other numbers of instances than Table 1.
        source: Place in the paper where `printed` is found; None if `printed` is None.
    """

    cell: Cell
    task: str
    measure: str
    judged_by: str | None
    value: float | None
    low: float | None
    high: float | None
    n: int
    asked: int
    failed: int
    undecided: int
    coverage: float | None
    printed: float | None
    source: str | None

    def row(self) -> dict[str, Any]:
        """Return all fields as one flat row. The fields of the cell come first."""
        shape = self.to_dict()
        return {**shape.pop("cell"), **shape}


#: Columns of the report's .csv file.
COLUMNS = (*(each.name for each in fields(Cell)), *(each.name for each in fields(Figure) if each.name != "cell"))


def figures(runs: Sequence[ReportedRun], published: Published) -> tuple[Figure, ...]:
    """Return all measures of the runs, in the order of measures.json.

    Args:
        runs: Scored runs.
        published: The numbers printed in paper A.
    """
    found = []
    for run in runs:
        for held in run.measures["cells"]:
            names = (held[name] for name in ("model", "setting", "select", "judge"))
            cell = Cell(run.name, run.titles[held["dataset"]], *names)
            known = published if as_table_1(run, held["dataset"], published) else {}
            measured = [(name, None, one) for name, one in held["measures"].items()]
            measured += [
                (f"groundedness_{source}", judge, sources[source])
                for judge, sources in held["groundedness"].items()
                for source in SOURCES
                if source in sources
            ]
            for name, judge, one in measured:
                printed = _printed(cell, held["task"], name, known)
                beside = (round(printed.value / 100, 6), printed.source) if printed else (None, None)
                numbers = one["value"], one["low"], one["high"], one["n"], held["n"], held["failed"], held["undecided"]
                found.append(Figure(cell, held["task"], name, judge, *numbers, one.get("coverage"), *beside))
    return tuple(found)


def as_table_1(run: ReportedRun, dataset: str, published: Published) -> bool:
    """Return whether a dataset has as many instances per task and label as Table 1 of paper A.

    The scores of other datasets are not compared with the printed scores.
    """
    mine = {
        (task, label): count
        for task, labels in run.manifest.datasets[dataset]["tasks"].items()
        for label, count in labels.items()
    }
    theirs = {tuple(row.split(" / ")): one.value for (table, row, _), one in published.items() if table == "Table 1"}
    return mine == theirs


def paper_name(model: str) -> str:
    """Return a model's name as in the paper, in lower case: `openai:gpt-4o-2024-08-06` becomes `gpt-4o`."""
    return _AROUND.sub("", _AROUND.sub("", model.lower()))


def _printed(cell: Cell, task: str, name: str, published: Published) -> PrintedNumber | None:
    """Return the number that paper A prints for a measure of a cell and task; None if the paper prints none."""
    names = {row.split(" / ")[1] for table, row, _ in published if table == "Table 2"}
    model = next((name for name in names if name.lower() == paper_name(cell.model)), None)
    row = f"{cell.setting} / {model}"
    if model is None or not any(row == known for _, known, _ in published):
        return None
    if cell.select != "greedy":
        place = "Figure 4", row, f"{AVERAGE} / {cell.select}"
        return published.get(place) if task == AVERAGE and name == "relation_accuracy_micro" else None
    table, column = _PRINTED.get((name, task == AVERAGE), ("Table 3", name))
    return published.get((table, row, f"{task} / {column}"))


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a table.

    Attributes:
        cell: The run, dataset, model and options that the answers come from.
        figures: Measures of the row, in the order of the columns; None in a column without a measure.
        asked: Number of instances asked.
        failed: Number of instances without a usable reply.
        undecided: Number of instances for which the rules found that no sign prevails.
        of_asked: Share of correct labels among all instances asked; None in tables of groundedness.
    """

    cell: Cell
    figures: tuple[Figure | None, ...]
    asked: int
    failed: int
    undecided: int
    of_asked: Figure | None = None


@dataclass(frozen=True, slots=True)
class FigureTable:
    """A table for one dataset.

    Attributes:
        dataset: Name of the dataset in the report.
        heads: The tasks (two columns each), or the evidence sources in a table of groundedness (one column each).
        lines: The rows.
        judge: The judge, in a table of groundedness; None in other tables.
        task: The task of the table; None if the columns are tasks.
    """

    dataset: str
    heads: tuple[str, ...]
    lines: tuple[Line, ...]
    judge: str | None = None
    task: str | None = None


def truthful(figures: Iterable[Figure]) -> tuple[FigureTable, ...]:
    """Return one table per dataset, with link F1 and relation accuracy.

    A table has two columns per task. Its last two columns hold the averages.
    """
    grids = []
    by_dataset = _grouped(figures, lambda one: one.cell.dataset)
    for dataset, held in by_dataset.items():
        tasks = (*_tasks(held), AVERAGE)
        wanted = [(task, names[task == AVERAGE]) for task in tasks for names in (LINK, RELATION)]
        lines = []
        for cell, of_cell in _grouped(held, lambda one: one.cell).items():
            known = {(one.task, one.measure): one for one in of_cell}
            whole = [one for one in of_cell if one.task == AVERAGE]
            if whole:
                found = tuple(known.get(place) for place in wanted)
                of_asked = known.get((AVERAGE, "relation_accuracy_of_asked"))
                lines.append(Line(cell, found, whole[0].asked, whole[0].failed, whole[0].undecided, of_asked))
        grids.append(FigureTable(dataset, tasks, tuple(lines)))
    return tuple(grids)


def grounded(figures: Iterable[Figure]) -> tuple[FigureTable, ...]:
    """Return one table per dataset, judge and task. It shows the groundedness of greedy answers by source."""
    held = [one for one in figures if one.judged_by is not None and one.cell.select == "greedy"]
    grids = []
    for (dataset, judge, task), here in _grouped(held, lambda one: (one.cell.dataset, one.judged_by, one.task)).items():
        lines = []
        for cell, of_cell in _grouped(here, lambda one: one.cell).items():
            known = {one.measure: one for one in of_cell}
            found = tuple(known.get(f"groundedness_{source}") for source in SOURCES)
            lines.append(Line(cell, found, of_cell[0].asked, of_cell[0].failed, of_cell[0].undecided))
        grids.append(FigureTable(dataset, SOURCES, tuple(lines), judge, task))
    return tuple(grids)


def printed(numbers: Iterable[PrintedNumber], table: str) -> dict[tuple[str, str], tuple[float, ...]]:
    """Return the rows of a table of paper A by (setting, model). The numbers are in the order of the columns.

    Args:
        numbers: All numbers printed in paper A.
        table: `Table 2` or `Table 3`.
    """
    found: dict[tuple[str, str], tuple[float, ...]] = {}
    for one in numbers:
        if one.table == table:
            setting, model = one.row.split(" / ")
            found[setting, model] = (*found.get((setting, model), ()), one.value)
    return found


def _grouped(figures: Iterable[Figure], key: Callable[[Figure], _K]) -> dict[_K, list[Figure]]:
    found: dict[_K, list[Figure]] = {}
    for one in figures:
        found.setdefault(key(one), []).append(one)
    return found


def _tasks(figures: Iterable[Figure]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.task for one in figures if one.task != AVERAGE))
