"""The answers of runs as the report compares them: one an instance, chosen among the samples, by cell."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from groundwork.records import Record
from truthhypo.bench.entries import Entry, Grounding
from truthhypo.bench.report_runs import Reported
from truthhypo.hypotheses.hypothesis import Candidate
from truthhypo.hypotheses.select import Select, choose

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
    """

    instance: str
    task: str
    gold: str
    relation: str | None
    judges: Mapping[str, Grounding]

    @property
    def right(self) -> bool:
        """Whether the answer is the gold."""
        return self.relation == self.gold

    def groundedness(self, judge: str, source: Source) -> float | None:
        """In [0, 1]; None where the judge judged no claim of it."""
        said = self.judges.get(judge)
        found: float | None = None if said is None else getattr(said, source)
        return found


def answers(runs: Iterable[Reported]) -> dict[Cell, tuple[Answer, ...]]:
    """The chosen answers of every cell that the runs' measures name, in the measures' order."""
    found: dict[Cell, tuple[Answer, ...]] = {}
    for run in runs:
        asked = _asked(run.entries)
        for held in run.measures["cells"]:
            ways = held["dataset"], held["model"], held["setting"]
            cell = Cell(run.name, run.titles[held["dataset"]], *ways[1:], held["select"], held["judge"])
            if cell not in found:
                gold = run.gold[cell.dataset]
                chosen = {name: _chosen(samples, cell) for name, samples in asked.get(ways, {}).items() if name in gold}
                found[cell] = tuple(
                    Answer(name, gold[name].rel_type, gold[name].relation, one.answer, one.groundedness)
                    for name, one in chosen.items()
                )
    return found


def _asked(entries: Iterable[Entry]) -> dict[tuple[str, str, str], dict[str, list[Entry]]]:
    """Dataset, model, setting -> instance -> its samples in order."""
    found: dict[tuple[str, str, str], dict[str, list[Entry]]] = {}
    for entry in entries:
        found.setdefault((entry.dataset, entry.model, entry.setting), {}).setdefault(entry.instance, []).append(entry)
    for samples in (each for by in found.values() for each in by.values()):
        samples.sort(key=lambda entry: entry.sample)
    return found


def _chosen(samples: Sequence[Entry], cell: Cell) -> Entry:
    """The sample that was chosen, by the rule that `hypothesize` chooses by."""
    way: Select = "majority" if cell.select == "majority" else "groundedness" if cell.judge is not None else "greedy"
    if way == "greedy":
        return samples[0]
    candidates = tuple(_candidate(entry, cell.judge) for entry in samples)
    best = choose(candidates, way)
    return samples[next(n for n, one in enumerate(candidates) if one is best)]


def _candidate(entry: Entry, judge: str | None) -> Candidate:
    said = None if judge is None else entry.groundedness.get(judge)
    if said is None:
        return Candidate(entry.answer, entry.rationale)
    return Candidate(entry.answer, entry.rationale, said.both, said.contradicted, said.judged("both"))
