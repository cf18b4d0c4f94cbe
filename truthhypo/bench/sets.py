"""Read the datasets of a suite: cases and gold labels.

Models are shown the cases only. The gold labels are used for scoring and for baselines that learn.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.random import default_rng

from groundwork.errors import InputError
from groundwork.files import loads
from groundwork.manifest import FileEntry
from groundwork.records import Record
from truthhypo.bench.suite import DatasetAsked
from truthhypo.hypotheses import dataset
from truthhypo.hypotheses.dataset import Instance
from truthhypo.hypotheses.partition import label_counts
from truthhypo.hypotheses.release import Cuts
from truthhypo.hypotheses.tasks import Task, task_of


@dataclass(frozen=True, slots=True)
class Case(Record):
    """One question without its gold label. The fields are those of cases.jsonl."""

    x_id: str
    y_id: str
    x_type: str
    y_type: str
    rel_type: str
    question: str

    @property
    def id(self) -> str:
        """The id of the question. It is the same in every run over the same dataset."""
        return f"{self.x_id}~{self.y_id}"

    @property
    def task(self) -> Task:
        """The task, with the pair in canonical order."""
        return task_of(self.x_id, self.y_id)

    @property
    def names(self) -> tuple[str, str]:
        """The names of the two concepts in the order of the question; their keys if the question has another form."""
        x, y = (key.partition("|")[2] for key in (self.x_id, self.y_id))
        _, began, rest = self.question.partition(f"between {self.x_type} ")
        rest, ended, _ = rest.rpartition(f" ({y})?")
        first, parted, second = rest.rpartition(f" ({x}) and {self.y_type} ")
        return (first, second) if began and ended and parted else (self.x_id, self.y_id)


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset that a run uses.

    Attributes:
        name: Name in the suite.
        cases: The questions, in the set's order.
        before: The last PMID that the knowledge may come from.
        gold_path: File with the gold labels.
        described: The entry of the dataset in manifest.json.
        warnings: Warnings from its data card.
    """

    name: str
    cases: tuple[Case, ...]
    before: int
    gold_path: Path
    described: Mapping[str, Any]
    warnings: tuple[str, ...]

    def gold(self) -> dict[str, Instance]:
        """Return the instances with their gold labels, by id, for scoring and for baselines that learn."""
        wanted = {case.id for case in self.cases}
        return {each.id: each for each in dataset.read(self.gold_path) if each.id in wanted}


def load(name: str, asked: DatasetAsked, seed: int) -> Dataset:
    """Read a dataset, and choose the instances to ask.

    Args:
        name: Name in the suite.
        asked: Path, PMID limit and number of instances.
        seed: Random seed of the choice, if the number is limited.

    Raises:
        InputError: Files are missing, do not belong together or do not match the card; a pair occurs twice; or a label
            of a task has no instance, so that no measure can be computed.
    """
    path = Path(asked.path)
    table, cases_path = (path / "instances.tsv", path / "cases.jsonl") if path.is_dir() else (path, None)
    card = _card(path / "card.json") if path.is_dir() else {}
    _check_hashes(path, card)
    instances = dataset.read(table)
    cases = _cases(cases_path, instances) if cases_path else tuple(Case(**each.case()) for each in instances)
    if twice := [key for key, count in Counter(case.id for case in cases).items() if count > 1]:
        raise InputError(f"{table}: {twice[0]} occurs twice", "each pair once", "build the set again")
    chosen = _chosen(instances, asked.limit, seed)
    tasks = label_counts(instances[place] for place in chosen)
    counts = {task: labels for task, labels in tasks.items() if any(labels.values())}
    _refuse_empty(name, counts, asked.limit)
    before = int(asked.before or card.get("seen_to", Cuts().seen_to))
    described = {
        "path": str(path.resolve()),
        "before": before,
        "instances": len(chosen),
        "tasks": counts,
        "cases_sha256": FileEntry.of(cases_path or table).sha256,
        "gold_sha256": FileEntry.of(table).sha256,
        "mode": card.get("mode"),
        "leaks": [probe["task"] for probe in card.get("probe", ()) if _leaks(probe)],
        "probed": [probe["task"] for probe in card.get("probe", ()) if _is_conclusive(probe)],
        **{name: card[name] for name in ("probe", "rules") if name in card},
    }
    kept = tuple(cases[place] for place in chosen)
    return Dataset(name, kept, before, table, described, tuple(card.get("warnings", ())))


def _cases(path: Path, instances: Sequence[Instance]) -> tuple[Case, ...]:
    """Read the cases from cases.jsonl. They must be the same instances as in the file of gold labels."""
    try:
        found = tuple(Case(**loads(line)) for line in path.read_text("utf-8").splitlines() if line)
    except (OSError, ValueError, TypeError) as error:
        raise InputError(f"{path}: {error}", "the cases that bench build wrote", "build the set again") from None
    if [case.to_dict() for case in found] != [each.case() for each in instances]:
        raise InputError(f"{path} and instances.tsv beside it differ", "one set", "build the set again")
    return found


def _card(path: Path) -> Mapping[str, Any]:
    """Return the card of a dataset, or {} if there is none. `load` then uses the published PMID limit by default."""
    try:
        held: Mapping[str, Any] = loads(path.read_text("utf-8")) if path.exists() else {}
        return held
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: {error}", "the card that bench build wrote", "build the set again") from None


def _check_hashes(folder: Path, card: Mapping[str, Any]) -> None:
    """Check that the files have the hashes on the card. If the card has no hashes, nothing is checked.

    Raises:
        InputError: A file is missing, or was changed since the set was built.
    """
    for name in ("instances.tsv", "cases.jsonl"):
        built = card.get("files", {}).get(name.partition(".")[0], {}).get("sha256")
        path = folder / name
        try:
            found = FileEntry.of(path).sha256 if built else None
        except OSError as error:
            raise InputError(
                f"{path}: {error.strerror}", "the file that card.json names", "build the set again"
            ) from None
        if found != built:
            raise InputError(
                f"{path} has SHA-256 {found}: it was changed since the set was built",
                f"SHA-256 {built}, as in card.json",
                "restore the file, or build the set again",
            )


def _leaks(probe: Mapping[str, Any]) -> bool:
    from truthhypo.hypotheses.leaks import LIMIT

    return any(figure["low"] > LIMIT for figure in probe["auroc"].values())


def _is_conclusive(probe: Mapping[str, Any]) -> bool:
    """Return whether a probe had enough instances to find a leak.

    A probe without a verdict, from an older card, is treated as one that had enough.
    """
    return bool(probe["auroc"]) and probe.get("verdict") != "too small"


def _chosen(instances: Sequence[Instance], limit: int | None, seed: int) -> list[int]:
    """Return the positions of the instances to ask. With a limit, they are spread evenly over tasks and labels."""
    if limit is None or limit >= len(instances):
        return list(range(len(instances)))
    rng = default_rng([seed, len(instances)])
    held = defaultdict(list)
    for place in rng.permutation(len(instances)):
        held[instances[place].rel_type, instances[place].relation].append(int(place))
    turns = sorted((turn, cell, place) for cell, places in held.items() for turn, place in enumerate(places))
    return sorted(place for _, _, place in turns[:limit])


def names_of(cases: Iterable[Case]) -> dict[str, str]:
    """Return the names of the concepts in the questions, by key."""
    return {key: name for case in cases for key, name in zip((case.x_id, case.y_id), case.names, strict=True)}


def _refuse_empty(name: str, counts: Mapping[str, Mapping[str, int]], limit: int | None) -> None:
    for task, labels in counts.items():
        if empty := [label for label, count in labels.items() if not count]:
            raise InputError(
                f"dataset {name}: no instance of {', '.join(empty)} in {task}" + (f" among {limit}" if limit else ""),
                "an instance of each label",
                "raise its limit" if limit else "build the set from a release that has them",
            )
