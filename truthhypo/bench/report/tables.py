"""Collect the measures of a report.

A measure of a cell (class `Cell`) consists of its value, its interval and, if paper A prints one, the printed number.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from groundwork.records import Record
from knowhd.judge import SOURCES
from truthhypo.bench.published import AVERAGE, PrintedNumber
from truthhypo.bench.report.reported_runs import ReportedRun
from truthhypo.bench.report.selected_answers import Cell

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
    return tuple(
        one
        for run in runs
        for held in run.measures["cells"]
        for one in _of_cell(held, _cell(run, held), published if as_table_1(run, held["dataset"], published) else {})
    )


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


def _cell(run: ReportedRun, held: Mapping[str, Any]) -> Cell:
    names = (held[name] for name in ("model", "setting", "select", "judge"))
    return Cell(run.name, run.titles[held["dataset"]], *names)


def _of_cell(held: Mapping[str, Any], cell: Cell, published: Published) -> Iterator[Figure]:
    task, counts = held["task"], (held["n"], held["failed"], held["undecided"])
    for name, one in held["measures"].items():
        printed = _printed(cell, task, name, published)
        yield _figure(cell, task, name, None, one, counts, None, printed)
    for judge, sources in held["groundedness"].items():
        for source in (each for each in SOURCES if each in sources):
            one, name = sources[source], f"groundedness_{source}"
            printed = _printed(cell, task, name, published)
            yield _figure(cell, task, name, judge, one, counts, one["coverage"], printed)


def _figure(
    cell: Cell,
    task: str,
    name: str,
    judge: str | None,
    one: Mapping[str, Any],
    counts: tuple[int, int, int],
    coverage: float | None,
    printed: PrintedNumber | None,
) -> Figure:
    beside = (None, None) if printed is None else (round(printed.value / 100, 6), printed.source)
    numbers = one["value"], one["low"], one["high"], one["n"]
    return Figure(cell, task, name, judge, *numbers, *counts, coverage, *beside)


def _printed(cell: Cell, task: str, name: str, published: Published) -> PrintedNumber | None:
    """Return the number that paper A prints for a measure of a cell and task; None if the paper prints none.

    For greedy answers, the number is in Table 2 or 3. For other ways to select answers, it is in the text about
    Figure 4.
    """
    row = next(
        (
            row
            for _, row, _ in published
            if " / " in row and row.split(" / ") == [cell.setting, _as_printed(cell.model, published)]
        ),
        None,
    )
    if row is None:
        return None
    if cell.select != "greedy":
        place = "Figure 4", row, f"{AVERAGE} / {cell.select}"
        return published.get(place) if task == AVERAGE and name == "relation_accuracy_micro" else None
    table, column = _PRINTED.get((name, task == AVERAGE), ("Table 3", name))
    return published.get((table, row, f"{task} / {column}"))


def _as_printed(model: str, published: Published) -> str | None:
    names = {row.split(" / ")[1] for table, row, _ in published if table == "Table 2"}
    return next((name for name in names if name.lower() == paper_name(model)), None)
