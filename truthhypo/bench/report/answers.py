"""The answers of runs as the report compares them: one an instance, chosen among the samples, by cell."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from groundwork.records import Record
from truthhypo.bench.entries import Grounding
from truthhypo.bench.outcomes import Outcome
from truthhypo.bench.report.runs import ReportedRun

Source = Literal["graph", "literature", "both"]
SOURCES: tuple[Source, ...] = ("graph", "literature", "both")
BASELINE = "baseline:"


@dataclass(frozen=True, slots=True)
class Cell(Record):
    """What one set of answers came from.

    Attributes:
        run: The report's name of the run.
        dataset: The report's name of the dataset.
        model: Who answered.
        setting: Which knowledge was given.
        select: How one answer was chosen among samples.
        judge: Whose groundedness chose; None with other ways to select.
    """

    run: str
    dataset: str
    model: str
    setting: str
    select: str
    judge: str | None

    @property
    def baseline(self) -> bool:
        """Whether no language model answered."""
        return self.model.startswith(BASELINE)

    def apart(self, other: "Cell") -> tuple[str, ...]:
        """In what two cells differ: dataset, model, setting, select (with its judge); the run if nothing else."""
        found = [name for name in ("dataset", "model", "setting") if getattr(self, name) != getattr(other, name)]
        if (self.select, self.judge) != (other.select, other.judge):
            found.append("select")
        return tuple(found) or ("run",)


@dataclass(frozen=True, slots=True)
class Answer(Record):
    """One answer that was chosen.

    Attributes:
        instance: Id of the instance, the same in every run over the same dataset.
        task: Name of its task.
        gold: Its label.
        relation: The answer; None where every sample failed.
        judges: Judge -> what it said of it.
        chance: Its probability, in the answerer's own words; None where it gives none.
    """

    instance: str
    task: str
    gold: str
    relation: str | None
    judges: Mapping[str, Grounding]
    chance: float | None = None

    @property
    def right(self) -> bool:
        """Whether the answer is the gold."""
        return self.relation == self.gold

    def groundedness(self, judge: str, source: Source) -> float | None:
        """In [0, 1]; None where the judge judged no claim of it."""
        said = self.judges.get(judge)
        found: float | None = None if said is None else getattr(said, source)
        return found


def answers(runs: Iterable[ReportedRun]) -> dict[Cell, tuple[Answer, ...]]:
    """The answers that were chosen, by cell, in the order of the measures."""
    return {
        Cell(run.name, run.titles[group.dataset], group.model, group.setting, group.select, group.judge): tuple(
            _answer(one) for one in group.outcomes
        )
        for run in runs
        for group in run.gathered.groups
    }


def _answer(one: Outcome) -> Answer:
    chosen = one.chosen
    chance = None if chosen.answer is None else chosen.candidates.get(chosen.answer)
    return Answer(one.instance, one.task, one.gold, chosen.answer, chosen.groundedness, chance)
