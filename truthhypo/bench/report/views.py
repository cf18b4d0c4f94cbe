"""Arrange the measures of a report in the rows and columns of its tables."""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from knowhd.judge import SOURCES
from truthhypo.bench.published import AVERAGE, PrintedNumber
from truthhypo.bench.report.selected_answers import Cell
from truthhypo.bench.report.tables import Figure

_K = TypeVar("_K", bound=Hashable)

#: The two measures of Table 2, each as (its name for one task, its name for the average of the tasks).
LINK, RELATION = ("link_f1", "link_accuracy"), ("relation_accuracy", "relation_accuracy_micro")


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
class Grid:
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


def truthful(figures: Iterable[Figure]) -> tuple[Grid, ...]:
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
        grids.append(Grid(dataset, tasks, tuple(lines)))
    return tuple(grids)


def grounded(figures: Iterable[Figure]) -> tuple[Grid, ...]:
    """Return one table per dataset, judge and task. It shows the groundedness of greedy answers by source."""
    held = [one for one in figures if one.judged_by is not None and one.cell.select == "greedy"]
    grids = []
    for (dataset, judge, task), here in _grouped(held, lambda one: (one.cell.dataset, one.judged_by, one.task)).items():
        lines = []
        for cell, of_cell in _grouped(here, lambda one: one.cell).items():
            known = {one.measure: one for one in of_cell}
            found = tuple(known.get(f"groundedness_{source}") for source in SOURCES)
            lines.append(Line(cell, found, of_cell[0].asked, of_cell[0].failed, of_cell[0].undecided))
        grids.append(Grid(dataset, SOURCES, tuple(lines), judge, task))
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
