"""Make reliability diagrams, which compare stated probabilities with how often the statements were right."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from groundwork.records import Record
from groundwork.statistics.calibration import Bin, calibration_error, reliability
from groundwork.statistics.intervals import RESAMPLES
from truthhypo.bench.published import AVERAGE
from truthhypo.bench.report.answers import Answer, Cell
from truthhypo.bench.report.grids import GridSection

#: The probability that a diagram compares with facts. `answer`: that the answered label is right. `groundedness`: the
#: groundedness of an answer, compared with its correctness. `verdict`: a judge's probability of its verdict, compared
#: with labels by people. `risk`: HRS (hallucination risk score), compared with labels true and false.
Kind = Literal["answer", "groundedness", "verdict", "risk"]


@dataclass(frozen=True, slots=True)
class Diagram(Record):
    """One reliability diagram.

    Attributes:
        kind: The probability and the fact with which it is compared; see `Kind`.
        who: Source of the probabilities: a model, a judge, or the terms of a grid.
        on: Dataset and setting of the cases.
        cell: Cell of the answers; None if the diagram is not about answers.
        task: Name of the task, or `average` for all tasks; None if the diagram is not about answers.
        n: Number of cases with a probability; 0 if there are none.
        ece: Expected calibration error over ten bins of equal width, in [0, 1]; None for n = 0.
        ece_by_chance: The error that exact probabilities exceed in 5 % of samples of this size. A smaller `ece` is no
            sign of miscalibration. None for n = 0.
        bins: The bins that contain cases.
    """

    kind: Kind
    who: str
    on: str
    cell: Cell | None
    task: str | None
    n: int
    ece: float | None
    ece_by_chance: float | None
    bins: tuple[Bin, ...]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one flat row per bin. Each row repeats the figures of the whole diagram."""
        run = {"run": self.cell.run if self.cell else None, "task": self.task}
        for one in self.bins:
            shape = {"bin_low" if name == "low" else "bin_high" if name == "high" else name: value
                     for name, value in one.to_dict().items()}  # fmt: skip
            yield {"kind": self.kind, "who": self.who, "on": self.on, **run, "ece": self.ece,
                   "ece_by_chance": self.ece_by_chance, "cases": self.n, **shape}  # fmt: skip


#: Columns of the CSV.
COLUMNS = (
    *("kind", "who", "on", "run", "task", "ece", "ece_by_chance", "cases"),
    *("bin_low", "bin_high", "n", "sure", "right", "right_low", "right_high"),
)


def diagrams(
    cells: Mapping[Cell, Sequence[Answer]],
    judges: Mapping[str, Mapping[str, Any] | None],
    grids: Iterable[GridSection] = (),
) -> tuple[Diagram, ...]:
    """Return all diagrams. A diagram without probabilities has no bins, and the report says that there are none.

    Args:
        cells: Answers by cell. Only cells of greedy answers are used.
        judges: Figures on labelled pairs by judge.
        grids: Grids of risks.
    """
    greedy = {cell: answers for cell, answers in cells.items() if cell.select == "greedy"}
    return (*_of_answers(greedy), *_of_groundedness(greedy), *_of_judges(judges), *map(_of_grid, grids))


def _of_answers(cells: Mapping[Cell, Sequence[Answer]]) -> Iterator[Diagram]:
    """Yield diagrams of the probabilities that models give their answers, compared with the correctness."""
    for cell, answers in cells.items():
        for task, members in _by_task(answers):
            said = [(one.chance, one.right) for one in members if one.chance is not None]
            if said or task == AVERAGE:
                yield _of_cell("answer", cell.model, cell, task, said)


def _of_groundedness(cells: Mapping[Cell, Sequence[Answer]]) -> Iterator[Diagram]:
    for cell, answers in cells.items():
        for judge in dict.fromkeys(judge for one in answers for judge in one.judges):
            for task, members in _by_task(answers):
                said = [
                    (share, one.right)
                    for one in members
                    if one.relation is not None and (share := one.groundedness(judge, "both")) is not None
                ]
                if said or task == AVERAGE:
                    yield _of_cell("groundedness", judge, cell, task, said)


def _by_task(answers: Sequence[Answer]) -> Iterator[tuple[str, Sequence[Answer]]]:
    yield AVERAGE, answers
    for task in dict.fromkeys(one.task for one in answers):
        yield task, [one for one in answers if one.task == task]


def _of_cell(kind: Kind, who: str, cell: Cell, task: str, said: Sequence[tuple[float, bool]]) -> Diagram:
    bins = reliability([chance for chance, _ in said], [right for _, right in said])
    answerer = f"{cell.model}, {cell.setting}" if kind == "groundedness" else cell.setting
    return _diagram(kind, who, f"{cell.dataset}, {answerer}", cell, task, bins)


def _of_judges(judges: Mapping[str, Mapping[str, Any] | None]) -> Iterator[Diagram]:
    """Yield a diagram for each judge and each dataset on which it was measured. Old figures may have no bins."""
    for judge, known in judges.items():
        for figures in () if known is None else (known, *known.get("beside", ())):
            bins = tuple(Bin(**each) for each in figures.get("bins", ()))
            yield _diagram("verdict", judge, figures["dataset"], None, None, bins)


def _of_grid(grid: GridSection) -> Diagram:
    """Return the diagram of a grid's risks for the terms that the grid's report chose for calibration."""
    terms = grid.found.terms
    who = f"{terms.form}, alpha {terms.alpha:g}, tau {terms.tau_min:g}, {terms.hops} hops, {terms.aggregate}"
    return _diagram("risk", who, f"{grid.name}: {grid.found.dataset}", None, None, grid.found.reliability)


def _diagram(kind: Kind, who: str, on: str, cell: Cell | None, task: str | None, bins: tuple[Bin, ...]) -> Diagram:
    n = sum(one.n for one in bins)
    error = calibration_error(bins)
    by_chance = _by_chance(bins, n) if n else None
    return Diagram(kind, who, on, cell, task, n, None if error is None else round(error, 6), by_chance, bins)


def _by_chance(bins: Sequence[Bin], n: int, seed: int = 0) -> float:
    """Simulate samples with exact probabilities and these bin sizes, and return the 95th percentile of their errors.

    All cases of a bin get the mean probability of the bin. This makes the result slightly too large.
    """
    counts, sure = np.array([one.n for one in bins]), np.array([one.sure for one in bins]).clip(0.0, 1.0)
    drawn = np.random.default_rng(seed).binomial(counts, sure, size=(RESAMPLES, len(bins)))
    errors = np.abs(drawn - counts * sure).sum(axis=1) / n
    return round(float(np.percentile(errors, 95)), 6)
