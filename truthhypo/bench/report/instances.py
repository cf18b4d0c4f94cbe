"""Select single instances to show in detail: all answers with rationale, claims and the evidence for the verdicts."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from groundwork.records import Record
from truthhypo.bench.entries import Entry
from truthhypo.bench.report.reported_runs import ReportedRun
from truthhypo.hypotheses.dataset import Instance


@dataclass(frozen=True, slots=True)
class InstanceAnswers(Record):
    """An instance and all answers to it.

    Attributes:
        dataset: Name of the dataset in the report.
        instance: Id of the instance.
        gold: The instance with its gold label.
        answers: All samples of all models and settings, each with the name of its run.
        wrong: Share of the samples whose answer is not the gold label, in [0, 1]; samples without an answer count as
            wrong.
    """

    dataset: str
    instance: str
    gold: Instance
    answers: tuple[tuple[str, Entry], ...]
    wrong: float


def looked(runs: Iterable[ReportedRun], limit: int) -> tuple[tuple[InstanceAnswers, ...], int]:
    """Return the instances to show.

    Instances with the largest share of wrong answers come first. If shares are equal, the order is by dataset and id.

    Args:
        runs: The runs.
        limit: Maximum number of instances to return, >= 0.

    Returns:
        The instances, and the number of all instances.
    """
    held: dict[tuple[str, str], list[tuple[str, Entry]]] = {}
    golds: dict[tuple[str, str], Instance] = {}
    for place, name, entry, gold in _answered(runs):
        held.setdefault(place, []).append((name, entry))
        golds[place] = gold
    shares = {
        place: sum(entry.answer != golds[place].relation for _, entry in answers) / len(answers)
        for place, answers in held.items()
    }
    first = sorted(held, key=lambda place: (-shares[place], place))[:limit]
    return tuple(InstanceAnswers(*place, golds[place], tuple(held[place]), shares[place]) for place in first), len(held)


def _answered(runs: Iterable[ReportedRun]) -> Iterator[tuple[tuple[str, str], str, Entry, Instance]]:
    for run in runs:
        for entry in run.gathered.entries:
            dataset = run.titles[entry.dataset]
            gold = run.gold[dataset].get(entry.instance)
            if gold is not None:
                yield (dataset, entry.instance), run.name, entry, gold
