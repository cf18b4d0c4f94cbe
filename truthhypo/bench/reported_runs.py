"""Read the runs for a report, and compare their answers: selected answers, accuracy by groundedness, paired tests.

A cell (`Cell`) is one run, dataset, model, setting and way to select one of the answers.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from groundwork.errors import InputError
from groundwork.files import loads
from groundwork.records import Record
from groundwork.statistics import Difference, SignificanceTest, difference, holm, mcnemar, reliability
from truthhypo.bench.baselines import PREFIX
from truthhypo.bench.measures import AVERAGE, FORMAT, Outcome, ScorableRun, gather
from truthhypo.bench.runs import Entry, Manifest, Run
from truthhypo.hypotheses.dataset import Instance, read

#: Minimum number of answers in a group for the picture, as in the paper.
DRAWN = 10


@dataclass(frozen=True, slots=True)
class ReportedRun:
    """A run in a report.

    Attributes:
        name: Name of the run in the report: the name of its folder, with the parent if two folders share the name.
        folder: Folder of the run.
        gathered: Manifest, records and outcomes of the run.
        measures: Content of measures.json.
        gold: For each dataset, by its name in the report, the instances by id.
        titles: Name of each dataset in the report, by its name in the suite. If two runs have different datasets with
            the same name, the start of the hash of the gold labels is added.
    """

    name: str
    folder: Path
    gathered: ScorableRun
    measures: Mapping[str, Any]
    gold: Mapping[str, Mapping[str, Instance]]
    titles: Mapping[str, str]

    @property
    def manifest(self) -> Manifest:
        """The manifest of the run."""
        return self.gathered.manifest


def read_runs(folders: Mapping[str, Path], paths: Mapping[str, str] | None = None) -> tuple[ReportedRun, ...]:
    """Read runs from their folders, in the given order.

    Args:
        folders: Folders of the runs, by the name of the run in the report; see `names`.
        paths: New paths of datasets that were moved, by the name of the dataset.

    Raises:
        InputError: A folder has no run, its measures do not cover all records, or the gold labels were changed.
    """
    held = [(folder, _scored(folder), gather(Run(folder), paths)) for folder in folders.values()]
    titles = _titles([gathered.manifest for _, _, gathered in held])
    found = []
    for name, (folder, scored, gathered) in zip(folders, held, strict=True):
        measured, there = sum(one["records"] for one in scored["spent"]), len(gathered.entries)
        if measured != there:
            seen = f"{folder} has {there} records, but measures of {measured}"
            raise InputError(seen, "measures of all records", f"run: truthhypo bench rescore {folder}")
        sets = gathered.manifest.datasets
        mine = {each: titles[each, of["gold_sha256"]] for each, of in sets.items()}
        gold = {}
        for each, of in sets.items():  # `gather` has checked the hash of the dataset
            place = Path((paths or {}).get(each, of["path"]))
            instances = read(place / "instances.tsv" if place.is_dir() else place)
            gold[mine[each]] = {one.id: one for one in instances}
        found.append(ReportedRun(name, folder, gathered, scored, gold, mine))
    return tuple(found)


def names(folders: Sequence[Path]) -> dict[str, Path]:
    """Return folders by a unique name: the name of the folder, the name with its parent, or the whole path.

    Raises:
        InputError: No folder is given, or a folder is given twice.
    """
    whole = [folder.resolve() for folder in folders]
    if not folders or len(set(whole)) < len(whole):
        seen = f"{len(folders)} folders: {', '.join(map(str, folders)) or 'none'}"
        raise InputError(seen, "one or more different folders", "name each once")
    options = [(path.name, f"{path.parent.name}/{path.name}", str(path)) for path in whole]
    taken = Counter(name for each in options for name in set(each))
    return {
        next(name for name in each if taken[name] == 1): folder for each, folder in zip(options, folders, strict=True)
    }


def _scored(folder: Path) -> Mapping[str, Any]:
    path = folder / "measures.json"
    if not path.exists() and Run(folder).manifest() is None:
        raise InputError(f"{folder} contains no run", "a folder of bench run or grid", "give another folder")
    try:
        shape: dict[str, Any] = loads(path.read_text("utf-8"))
        number = shape["format"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        seen = f"{path} cannot be read as measures: {error}"
        raise InputError(seen, "a scored run", f"run: truthhypo bench rescore {folder}") from None
    if number != FORMAT:
        seen = f"{path} has format {number!r}"
        raise InputError(seen, f"format {FORMAT}", f"run: truthhypo bench rescore {folder}")
    return shape


def _titles(manifests: Sequence[Manifest]) -> dict[tuple[str, str], str]:
    """Return the name of each dataset in the report, by (name in the suite, hash of the gold labels)."""
    hashes: dict[str, set[str]] = {}
    for manifest in manifests:
        for name, held in manifest.datasets.items():
            hashes.setdefault(name, set()).add(held["gold_sha256"])
    return {
        (name, each): name if len(different) == 1 else f"{name} ({each[:8]})"
        for name, different in hashes.items()
        for each in different
    }


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
        return self.model.startswith(PREFIX)

    def apart(self, other: "Cell") -> tuple[str, ...]:
        """Return the names of the fields in which two cells differ. A different `judge` counts as `select`.

        `run` is named only if no other field differs.
        """
        found = [name for name in ("dataset", "model", "setting") if getattr(self, name) != getattr(other, name)]
        if (self.select, self.judge) != (other.select, other.judge):
            found.append("select")
        return tuple(found) or ("run",)


def answers(runs: Iterable[ReportedRun]) -> dict[Cell, tuple[Outcome, ...]]:
    """Return the selected answers of the runs by cell, in the order of `ReportedRun.gathered.groups`."""
    return {
        Cell(run.name, run.titles[group.dataset], group.model, group.setting, group.select, group.judge): group.outcomes
        for run in runs
        for group in run.gathered.groups
    }


@dataclass(frozen=True, slots=True)
class GroundedGroup(Record):
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


def groups(cells: Mapping[Cell, Sequence[Outcome]]) -> tuple[GroundedGroup, ...]:
    """Return the non-empty groups of greedy answers, ordered by cell, judge and task."""
    found: list[GroundedGroup] = []
    for cell, answers in cells.items():
        if cell.select != "greedy":
            continue
        for judge in dict.fromkeys(judge for one in answers for judge in one.chosen.groundedness):
            held = [(one, one.chosen.groundedness[judge].both) for one in answers if judge in one.chosen.groundedness]
            judged = [(one, share) for one, share in held if one.said is not None and share is not None]
            for task in (AVERAGE, *dict.fromkeys(one.task for one, _ in judged)):
                of_task = [(share, one.right) for one, share in judged if task in {AVERAGE, one.task}]
                for b in reliability([share for share, _ in of_task], [right for _, right in of_task]):
                    spread = b.right, b.right_low, b.right_high
                    found.append(GroundedGroup(cell, judge, task, b.low, b.high, b.sure, *spread, b.n, b.n >= DRAWN))
    return tuple(found)


Cells = Mapping[Cell, Sequence[Outcome]]


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


def _accuracy(answers: Sequence[Outcome]) -> float:
    answered = [one.right for one in answers if one.said is not None]
    return sum(answered) / len(answered) if answered else -1.0


def compare(first: Cell, ours: Sequence[Outcome], second: Cell, theirs: Sequence[Outcome]) -> Comparison:
    """Compare one cell with another, without adjustment of the p-value."""
    asked = {one.instance: one for one in ours}, {one.instance: one for one in theirs}
    both = sorted(
        name for name in asked[0].keys() & asked[1].keys() if all(each[name].said is not None for each in asked)
    )
    pairs = [(asked[0][name], asked[1][name]) for name in both]
    right = [x.right for x, _ in pairs], [y.right for _, y in pairs]
    left_out = len(asked[0].keys() | asked[1].keys()) - len(both)
    accuracy = difference(*right) if both else None
    return Comparison(first, second, first.apart(second), len(both), left_out, accuracy, mcnemar(*right), None)


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


def hardest(runs: Iterable[ReportedRun], limit: int) -> tuple[tuple[InstanceAnswers, ...], int]:
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
    for run in runs:
        for entry in run.gathered.entries:
            place = run.titles[entry.dataset], entry.instance
            if gold := run.gold[place[0]].get(entry.instance):
                held.setdefault(place, []).append((run.name, entry))
                golds[place] = gold
    wrong = {
        place: sum(entry.answer != golds[place].relation for _, entry in answers) / len(answers)
        for place, answers in held.items()
    }
    first = sorted(held, key=lambda place: (-wrong[place], place))[:limit]
    return tuple(InstanceAnswers(*place, golds[place], tuple(held[place]), wrong[place]) for place in first), len(held)
