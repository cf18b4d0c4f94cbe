"""Compare two cells (see `Cell`) of one or several runs by paired tests, over the instances answered in both cells."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from groundwork.records import Record
from groundwork.statistics import (
    Difference,
    SignificanceTest,
    difference,
    holm,
    mcnemar,
)
from truthhypo.bench.report.selected_answers import Answer, Cell

Cells = Mapping[Cell, Sequence[Answer]]


@dataclass(frozen=True, slots=True)
class Comparison(Record):
    """A comparison of two cells, over the instances that have answers in both cells.

    Attributes:
        first: The first cell.
        second: The second cell.
        apart: Names of the fields in which the cells differ.
        n: Number of instances with answers in both cells.
        left_out: Number of instances without an answer in at least one cell: failed, undecided or not asked.
        accuracy: Relation accuracy, first minus second; None for n = 0.
        mcnemar: McNemar's test of whether one cell is correct more often.
        adjusted: The p-value of `mcnemar`, adjusted by Holm over all comparisons of the report; None without a p-value.
    """

    first: Cell
    second: Cell
    apart: tuple[str, ...]
    n: int
    left_out: int
    accuracy: Difference | None
    mcnemar: SignificanceTest
    adjusted: float | None


def comparisons(cells: Cells) -> tuple[Comparison, ...]:
    """Return the useful comparisons, with p-values adjusted for the number of comparisons.

    Useful comparisons are within a dataset: greedy answers that differ only in model, setting or run; the ways to
    select answers for one model and setting; and the greedy answers of each model with those of the best baseline.

    Args:
        cells: Answers by cell.
    """
    found = [compare(first, cells[first], second, cells[second]) for first, second in _pairs(cells)]
    adjusted = iter(holm([one.mcnemar.p for one in found if one.mcnemar.p is not None]))
    return tuple(replace(one, adjusted=next(adjusted)) if one.mcnemar.p is not None else one for one in found)


def _pairs(cells: Cells) -> Iterator[tuple[Cell, Cell]]:
    asked = [cell for cell in cells if not cell.baseline]
    for first, second in combinations(asked, 2):
        apart = first.apart(second)
        if len(apart) == 1 and (apart == ("select",) or first.select == "greedy") and apart != ("dataset",):
            yield first, second
    for dataset in dict.fromkeys(cell.dataset for cell in cells):
        floors = [cell for cell in cells if cell.baseline and cell.dataset == dataset and cell.select == "greedy"]
        if floors:
            best = max(floors, key=lambda cell: _accuracy(cells[cell]))
            yield from ((cell, best) for cell in asked if cell.dataset == dataset and cell.select == "greedy")


def _accuracy(answers: Sequence[Answer]) -> float:
    answered = [one.right for one in answers if one.relation is not None]
    return sum(answered) / len(answered) if answered else -1.0


def compare(first: Cell, ours: Sequence[Answer], second: Cell, theirs: Sequence[Answer]) -> Comparison:
    """Compare one cell with another, without adjustment of the p-value."""
    asked = {one.instance: one for one in ours}, {one.instance: one for one in theirs}
    both = sorted(
        name for name in asked[0].keys() & asked[1].keys() if None not in {each[name].relation for each in asked}
    )
    pairs = [(asked[0][name], asked[1][name]) for name in both]
    right = [x.right for x, _ in pairs], [y.right for _, y in pairs]
    return Comparison(
        first=first,
        second=second,
        apart=first.apart(second),
        n=len(both),
        left_out=len(asked[0].keys() | asked[1].keys()) - len(both),
        accuracy=difference(*right) if both else None,
        mcnemar=mcnemar(*right),
        adjusted=None,
    )
