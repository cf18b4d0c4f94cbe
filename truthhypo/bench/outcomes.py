"""Collect the outcomes of a run: the selected answer and the gold label of each instance."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from groundwork.errors import InputError
from groundwork.records import Record
from truthhypo.bench import sets
from truthhypo.bench.entries import Entry
from truthhypo.bench.runs import Manifest, Run
from truthhypo.bench.suite import DatasetAsked
from truthhypo.hypotheses.hypothesis import Candidate
from truthhypo.hypotheses.options import Select
from truthhypo.hypotheses.select import choose
from truthhypo.hypotheses.tasks import NO_RELATION


@dataclass(frozen=True, slots=True)
class Outcome(Record):
    """The outcome of one instance.

    Attributes:
        instance: Id of the instance.
        task: Task of the instance.
        gold: Gold label.
        chosen: The selected record. It has no answer if all samples failed, or if the rules are undecided.
    """

    instance: str
    task: str
    gold: str
    chosen: Entry

    @property
    def related(self) -> bool:
        """Whether the gold label is a relation."""
        return self.gold != NO_RELATION

    @property
    def said(self) -> bool | None:
        """Whether the answer is a relation, or None if there is no answer."""
        return None if self.chosen.answer is None else self.chosen.answer != NO_RELATION

    @property
    def right(self) -> bool:
        """Whether the answer is the gold label."""
        return self.chosen.answer == self.gold


@dataclass(frozen=True, slots=True)
class Group:
    """The outcomes of one dataset for one model, setting and way of selecting a sample.

    Attributes:
        dataset: Name of the dataset.
        model: Model that answered.
        setting: Kind of knowledge that the model was given.
        select: How one sample was selected.
        judge: Judge whose groundedness selected the sample; None for other ways of selecting.
        outcomes: Outcomes in the order of the dataset.
    """

    dataset: str
    model: str
    setting: str
    select: Select
    judge: str | None
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True)
class ScorableRun:
    """A run with its gold labels, ready to be scored.

    Attributes:
        manifest: Description of the run.
        entries: Records of the run.
        groups: Outcomes of the records.
        warnings: Warnings from the data cards, each with the name of the dataset.
    """

    manifest: Manifest
    entries: tuple[Entry, ...]
    groups: tuple[Group, ...]
    warnings: tuple[str, ...]


def gather(run: Run, paths: Mapping[str, str] | None = None) -> ScorableRun:
    """Join the records of a run with the gold labels.

    Args:
        run: The run.
        paths: New paths of datasets that were moved, by the name of the dataset.

    Raises:
        InputError: There is no run, a line is not a record, a dataset is missing, or its gold labels were changed.
    """
    manifest = run.manifest()
    if manifest is None:
        raise InputError(f"{run.folder} contains no run", "a folder written by bench run", "give another folder")
    gold: dict[str, dict[str, tuple[str, str]]] = {}
    warned: list[str] = []
    for name, held in manifest.datasets.items():
        dataset = _read_again(name, held, manifest, (paths or {}).get(name))
        gold[name] = {key: (each.rel_type, each.relation) for key, each in dataset.gold().items()}
        warned += [f"{name}: {warning}" for warning in dataset.warnings]
    entries = tuple(run.entries())
    return ScorableRun(manifest, entries, tuple(_groups(entries, gold, manifest)), tuple(warned))


def _read_again(name: str, held: Mapping[str, object], manifest: Manifest, path: str | None) -> sets.Dataset:
    """Read a dataset again, and check that its gold labels are the same as in the run."""
    asked = manifest.suite["datasets"][name]
    place = path or str(held["path"])
    dataset = sets.load(
        name, DatasetAsked(path=place, before=asked["before"], limit=asked["limit"]), manifest.suite["samples"]["seed"]
    )
    if dataset.described["gold_sha256"] != held["gold_sha256"]:
        raise InputError(
            f"the gold labels of {name} in {Path(place)} are not those of the run",
            f"a file with SHA-256 {held['gold_sha256']}",
            "restore the file, or give the right one with --data",
        )
    return dataset


def _groups(
    entries: Sequence[Entry], gold: Mapping[str, Mapping[str, tuple[str, str]]], manifest: Manifest
) -> Iterator[Group]:
    held: dict[tuple[str, str, str], dict[str, list[Entry]]] = defaultdict(lambda: defaultdict(list))
    for entry in entries:
        held[entry.dataset, entry.model, entry.setting][entry.instance].append(entry)
    places = {name: place for place, name in enumerate(each["name"] for each in manifest.suite["models"])}
    settings = {name: place for place, name in enumerate(manifest.suite["settings"])}
    ordered = sorted(held, key=lambda each: (each[0], places[each[1]], settings.get(each[2], -1)))
    for dataset, model, setting in ordered:
        instances = held[dataset, model, setting]
        judges = sorted({judge for samples in instances.values() for each in samples for judge in each.groundedness})
        many = any(len(samples) > 1 for samples in instances.values())
        for select in manifest.suite["select"]:
            if select != "greedy" and not many:
                continue  # with one sample there is nothing to select
            for judge in judges if select == "groundedness" else [None]:
                outcomes = tuple(
                    Outcome(instance, *label, chosen)
                    for instance, label in gold[dataset].items()
                    if (chosen := _chosen(instances.get(instance, []), select, judge)) is not None
                )
                if outcomes:
                    yield Group(dataset, model, setting, select, judge, outcomes)


def _chosen(samples: Sequence[Entry], select: Select, judge: str | None) -> Entry | None:
    """Select one record among the samples of an instance, and return it, or None if there is no record.

    The greedy record is sample 0, even if it failed.
    """
    ordered = sorted(samples, key=lambda entry: entry.sample)
    if select == "greedy":
        return next((entry for entry in ordered if entry.sample == 0), None)
    if not ordered:
        return None
    candidates = tuple(_candidate(entry, judge) for entry in ordered)
    best = choose(candidates, select)
    return next(entry for entry, each in zip(ordered, candidates, strict=True) if each is best)


def _candidate(entry: Entry, judge: str | None) -> Candidate:
    held = entry.groundedness.get(judge) if judge else None
    if held is None:
        return Candidate(entry.answer, entry.rationale)
    return Candidate(entry.answer, entry.rationale, held.both, held.contradicted, held.judged("both"))
