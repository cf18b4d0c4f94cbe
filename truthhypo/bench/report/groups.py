"""Compute the accuracy of answers by their groundedness (paper A, Figure 3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from groundwork.records import Record
from groundwork.statistics import reliability
from truthhypo.bench.published import AVERAGE
from truthhypo.bench.report.selected_answers import Answer, Cell

#: Minimum number of answers in a group for the picture, as in the paper.
DRAWN = 10


@dataclass(frozen=True, slots=True)
class Group(Record):
    """Answers of similar groundedness.

    Attributes:
        cell: Cell of the answers.
        judge: Judge whose groundedness, by graph and literature together, is used.
        task: Name of the task, or `average` for all.
        above: Lower bound of the groundedness, in [0, 1]. It is included.
        below: Upper bound of the groundedness. It is included only in the last group.
        groundedness: Mean groundedness.
        accuracy: Share of correct answers.
        low: Lower bound of the 95 % interval of the accuracy (Wilson).
        high: Upper bound of the same interval.
        n: Number of answers.
        drawn: Whether n is large enough for the picture.
    """

    cell: Cell
    judge: str
    task: str
    above: float
    below: float
    groundedness: float
    accuracy: float
    low: float
    high: float
    n: int
    drawn: bool


def groups(cells: Mapping[Cell, Sequence[Answer]]) -> tuple[Group, ...]:
    """Return the non-empty groups of greedy answers, ordered by cell, judge and task."""
    found: list[Group] = []
    for cell, answers in cells.items():
        if cell.select != "greedy":
            continue
        for judge in dict.fromkeys(judge for one in answers for judge in one.judges):
            judged = [
                (one, share)
                for one in answers
                if one.relation is not None and (share := one.groundedness(judge, "both")) is not None
            ]
            for task in (AVERAGE, *dict.fromkeys(one.task for one, _ in judged)):
                of_task = [(share, one.right) for one, share in judged if task in {AVERAGE, one.task}]
                found += _grouped(cell, judge, task, of_task)
    return tuple(found)


def _grouped(cell: Cell, judge: str, task: str, judged: Sequence[tuple[float, bool]]) -> list[Group]:
    bins = reliability([share for share, _ in judged], [right for _, right in judged])
    return [
        Group(cell, judge, task, b.low, b.high, b.sure, b.right, b.right_low, b.right_high, b.n, b.n >= DRAWN)
        for b in bins
    ]
