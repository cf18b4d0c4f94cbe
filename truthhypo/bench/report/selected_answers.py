"""Collect the answers that a report compares: one selected answer per instance and cell (see `Cell`)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from groundwork.records import Record
from knowhd.judge import Source
from truthhypo.bench.entries import Grounding
from truthhypo.bench.outcomes import Outcome
from truthhypo.bench.report.reported_runs import ReportedRun

BASELINE = "baseline:"


@dataclass(frozen=True, slots=True)
class Cell(Record):
    """The origin of a set of answers. A report compares cells with each other.

    Attributes:
        run: Name of the run in the report.
        dataset: Name of the dataset in the report.
        model: Model that answered.
        setting: Kind of knowledge that the model was given, for instance `kg`.
        select: How one answer was selected among the samples of an instance, for instance `greedy`.
        judge: Judge whose groundedness selected the answers; None for other ways to select.
    """

    run: str
    dataset: str
    model: str
    setting: str
    select: str
    judge: str | None

    @property
    def baseline(self) -> bool:
        """Whether a baseline answered, and not a language model."""
        return self.model.startswith(BASELINE)

    def apart(self, other: "Cell") -> tuple[str, ...]:
        """Return the names of the fields in which two cells differ. A different `judge` counts as `select`.

        `run` is named only if no other field differs.
        """
        found = [name for name in ("dataset", "model", "setting") if getattr(self, name) != getattr(other, name)]
        if (self.select, self.judge) != (other.select, other.judge):
            found.append("select")
        return tuple(found) or ("run",)


@dataclass(frozen=True, slots=True)
class Answer(Record):
    """One selected answer.

    Attributes:
        instance: Id of the instance, which is the same in every run over the same dataset.
        task: Name of the task.
        gold: Gold label.
        relation: The label that was answered; None if there is no answer.
        judges: Grounding of the answer, by the name of the judge.
    """

    instance: str
    task: str
    gold: str
    relation: str | None
    judges: Mapping[str, Grounding]

    @property
    def right(self) -> bool:
        """Whether the answer is the gold label."""
        return self.relation == self.gold

    def groundedness(self, judge: str, source: Source) -> float | None:
        """Return the groundedness that a judge measured with a source, in [0, 1]; None if the judge judged no claim."""
        said = self.judges.get(judge)
        found: float | None = None if said is None else getattr(said, source)
        return found


def answers(runs: Iterable[ReportedRun]) -> dict[Cell, tuple[Answer, ...]]:
    """Return the selected answers of the runs by cell, in the order of `ReportedRun.gathered.groups`."""
    return {
        Cell(run.name, run.titles[group.dataset], group.model, group.setting, group.select, group.judge): tuple(
            _answer(one) for one in group.outcomes
        )
        for run in runs
        for group in run.gathered.groups
    }


def _answer(one: Outcome) -> Answer:
    chosen = one.chosen
    return Answer(one.instance, one.task, one.gold, chosen.answer, chosen.groundedness)
