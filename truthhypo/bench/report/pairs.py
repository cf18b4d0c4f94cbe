"""Paired tests between two cells of one or several runs, over the instances that both answered."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from groundwork.records import Record
from groundwork.statistics.significance import (
    Difference,
    SignificanceTest,
    difference,
    f1_difference,
    holm,
    mcnemar,
    wilcoxon,
)
from truthhypo.bench.report.answers import Answer, Cell
from truthhypo.hypotheses.tasks import NO_RELATION

Cells = Mapping[Cell, Sequence[Answer]]


@dataclass(frozen=True, slots=True)
class Comparison(Record):
    """A first cell compared with a second, over the instances that both answered.

    Attributes:
        first: The first cell.
        second: The second cell.
        apart: How they differ.
        n: Number of instances that both answered.
        left_out: Number of other instances of either: failed or not asked.
        accuracy: Relation accuracy, first minus second; None for n = 0.
        mcnemar: Test of which is correct more often.
        adjusted: Its p by Holm over all comparisons of the report; None if there is no p.
        link_f1: Link F1, first minus second; None if no instance is related.
        judge: Judge of the following; None if no judge judged both, or if an answer was selected by groundedness.
        groundedness: Groundedness on both sources together, first minus second, over instances judged in both; None if
            there are none.
        wilcoxon: Test of the groundedness.
    """

    first: Cell
    second: Cell
    apart: tuple[str, ...]
    n: int
    left_out: int
    accuracy: Difference | None
    mcnemar: SignificanceTest
    adjusted: float | None
    link_f1: Difference | None
    judge: str | None
    groundedness: Difference | None
    wilcoxon: SignificanceTest


def comparisons(cells: Cells) -> tuple[Comparison, ...]:
    """Return the useful comparisons, with p-values adjusted for their number.

    Within a dataset these are: greedy answers that differ only in model or setting, or are from two runs; the ways to
    select for one model and setting; and each model's greedy answers with the best baseline.

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
    linked = [x.relation != NO_RELATION for x, _ in pairs], [y.relation != NO_RELATION for _, y in pairs]
    apart = first.apart(second)
    judge = (
        None if "select" in apart else next((judge for x, y in pairs for judge in x.judges if judge in y.judges), None)
    )
    a, b = _grounded(pairs, judge)
    return Comparison(
        first=first,
        second=second,
        apart=apart,
        n=len(both),
        left_out=len(asked[0].keys() | asked[1].keys()) - len(both),
        accuracy=difference(*right) if both else None,
        mcnemar=mcnemar(*right),
        adjusted=None,
        link_f1=f1_difference([x.gold != NO_RELATION for x, _ in pairs], *linked),
        judge=judge,
        groundedness=difference(a, b) if a else None,
        wilcoxon=wilcoxon(a, b),
    )


def _grounded(pairs: Sequence[tuple[Answer, Answer]], judge: str | None) -> tuple[list[float], list[float]]:
    """Return the groundedness on both sources, for the pairs in which the judge could judge both."""
    a: list[float] = []
    b: list[float] = []
    if judge is None:
        return a, b
    for x, y in pairs:
        ours, theirs = x.groundedness(judge, "both"), y.groundedness(judge, "both")
        if ours is not None and theirs is not None:
            a.append(ours)
            b.append(theirs)
    return a, b
