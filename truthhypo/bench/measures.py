"""Compute the measures of a run, and define the format of measures.json, which `bench rescore` writes.

    {"format": 2,
     "catalogue": [{"name", "range": [low, high], "better": "higher" | "lower", "meaning"}, ...],
     "cells": [{"dataset", "task", "model", "setting", "select", "judge",
                "n", "answered", "failed", "failed_share", "undecided",
                "measures": {NAME: {"value", "low", "high", "n"}},
                "groundedness": {JUDGE: {SOURCE: {"value", "low", "high", "n", "coverage"}}}}, ...],
     "spent": [{"model", "records", "answered", "failed", "undecided", "usage": {...}, "seconds",
                "judging_seconds"}, ...],
     "judges": {JUDGE: calibration on labelled pairs (knowhd.calibration) or null},
     "missing": {"records": n, "of": n},
     "warnings": ["...", ...]}

A cell is one line of a table: a task of a dataset (`average` for all tasks together), a model, a setting, and a way to
select one of the samples. The ways are `greedy`, `majority`, and `groundedness` with its `judge` (null for other ways).
In a cell, `n` is the number of instances asked: `answered`, `failed` (no usable reply) and `undecided` (no sign
prevails for the rules). `failed_share` is the share of the failed ones. Failed and undecided instances have no answer.
Of the measures, only relation_accuracy_of_asked counts them, and they lower it like wrong answers. In a measure,
`n` is the number of instances from which `value` is computed. `low` and `high` are the bounds of its 95 % interval
(percentile bootstrap over instances). `value`, `low` and `high` are null if there is nothing to measure. SOURCE is
`graph`, `literature` or `both`. Groundedness is measured on the selected answers, and `coverage` is the share of these
answers that could be judged.

In the cell `average`, the names `link_f1` and `relation_accuracy` have a suffix for the kind of average: `_micro` over
all answered instances, `_macro` for the mean of the tasks, `_weighted` for the mean weighted by the instances asked.
`link_accuracy` in `average` is over all answered instances.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from groundwork.errors import InputError
from groundwork.llm.usage import total
from groundwork.records import Record
from groundwork.statistics import Interval, bootstrap, f1_score, means, percentile_interval, resample_counts, share
from knowhd.calibration import calibration_of
from knowhd.judge import SOURCES
from knowhd.rules_judge import RuleJudge
from truthhypo.bench.runner import empty_stores, expected, leaking
from truthhypo.bench.runs import Entry, Manifest, Run
from truthhypo.bench.suite import DatasetAsked, load_dataset
from truthhypo.hypotheses.generate import choose
from truthhypo.hypotheses.hypothesis import Candidate
from truthhypo.hypotheses.options import NO_RELATION, Select
from truthhypo.json_files import write_json

FORMAT = 2
#: Name of the cells over all tasks.
AVERAGE = "average"
#: Kind of average over the tasks of a dataset.
Way = Literal["micro", "macro", "weighted"]
WAYS: tuple[Way, ...] = ("micro", "macro", "weighted")
Array = NDArray[np.float64]
#: Function from counts to values. The last three axes of the counts are: gold (0 unrelated, 1 related), answer (0
#: unrelated, 1 related, 2 none) and label (0 wrong, 1 correct).
Formula = Callable[[Array], Array]
#: Share of failed answers above which there is a warning.
FAILED = 0.05
#: Maximum number of places that are named.
NAMED = 3


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
        asked, path = manifest.suite["datasets"][name], (paths or {}).get(name, str(held["path"]))
        again = DatasetAsked(path=path, before=asked["before"], limit=asked["limit"])
        dataset = load_dataset(name, again, manifest.suite["samples"]["seed"])
        if dataset.described["gold_sha256"] != held["gold_sha256"]:
            raise InputError(
                f"the gold labels of {name} in {Path(path)} are not those of the run",
                f"a file with SHA-256 {held['gold_sha256']}",
                "restore the file, or give the right one with --data",
            )
        gold[name] = {key: (each.rel_type, each.relation) for key, each in dataset.gold().items()}
        warned += [f"{name}: {warning}" for warning in dataset.warnings]
    entries = tuple(run.entries())
    return ScorableRun(manifest, entries, tuple(_groups(entries, gold, manifest)), tuple(warned))


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
    """Return the selected record of an instance, or None. The greedy one is sample 0, even if it failed."""
    ordered = sorted(samples, key=lambda entry: entry.sample)
    if select == "greedy":
        return next((entry for entry in ordered if entry.sample == 0), None)
    if not ordered:
        return None
    candidates = []
    for entry in ordered:
        held = entry.groundedness.get(judge) if judge else None
        judged = (held.both, held.contradicted, held.judged("both")) if held else ()
        candidates.append(Candidate(entry.answer, entry.rationale, *judged))
    best = choose(tuple(candidates), select)
    return next(entry for entry, each in zip(ordered, candidates, strict=True) if each is best)


@dataclass(frozen=True, slots=True)
class Measure(Record):
    """Definition of a measure.

    Attributes:
        name: Name in measures.json.
        range: The lowest and the highest possible value.
        better: Whether higher or lower values are better.
        meaning: Description of the measure.
        formula: Function of the counts; not part of the JSON.
        average: How the value for `average` is computed from the tasks. None for a measure that is computed for single
            tasks. If such a measure also has a value in the cell `average`, this value is the micro average.
    """

    name: str
    range: tuple[float, float]
    better: Literal["higher", "lower"]
    meaning: str
    formula: Formula = field(metadata={"private": True})
    average: Way | None = None


@dataclass(frozen=True, slots=True)
class Figure(Record):
    """A value with its 95 % interval and the number of instances from which it is computed."""

    value: float | None
    low: float | None
    high: float | None
    n: int


def _pairs(counts: Array) -> tuple[Array, Array, Array, Array]:
    """Return the numbers of true positives, false positives, false negatives and true negatives of links.

    An answer with the wrong kind of relation counts as a link.
    """
    by_link = counts.sum(axis=-1)
    return by_link[..., 1, 1], by_link[..., 0, 1], by_link[..., 1, 0], by_link[..., 0, 0]


def precision(counts: Array) -> Array:
    """Return TP / (TP + FP)."""
    tp, fp, _, _ = _pairs(counts)
    return share(tp, tp + fp)


def recall(counts: Array) -> Array:
    """Return TP / (TP + FN)."""
    tp, _, fn, _ = _pairs(counts)
    return share(tp, tp + fn)


def f1(counts: Array) -> Array:
    """Return 2 TP / (2 TP + FP + FN)."""
    tp, fp, fn, _ = _pairs(counts)
    return f1_score(tp, tp + fp, tp + fn)


def link_accuracy(counts: Array) -> Array:
    """Return (TP + TN) / (TP + FP + FN + TN)."""
    tp, fp, fn, tn = _pairs(counts)
    return share(tp + tn, tp + fp + fn + tn)


def relation_accuracy(counts: Array) -> Array:
    """Return the number of correct labels divided by the number of answers."""
    answered = counts[..., :2, :]
    return share(answered[..., 1].sum(axis=(-2, -1)), answered.sum(axis=(-3, -2, -1)))


def right_of_asked(counts: Array) -> Array:
    """Return the number of correct labels divided by the number of questions, answered or not."""
    return share(counts[..., 1].sum(axis=(-2, -1)), counts.sum(axis=(-3, -2, -1)))


_F1 = "F1 of related against unrelated"
_LABEL = "share of the answers with the correct label of three"
_OVER: Mapping[Way, str] = {
    "micro": "over all answered instances",
    "macro": "mean of the tasks",
    "weighted": "mean of the tasks, weighted by their numbers of instances, answered or not",
}
_UNIT = (0.0, 1.0)
#: All measures of links and relations. Groundedness is the mean share of supported claims; higher is better.
CATALOGUE: tuple[Measure, ...] = (
    Measure("link_precision", _UNIT, "higher", "share of the pairs answered as related that are related", precision),
    Measure("link_recall", _UNIT, "higher", "share of the related pairs that were answered as related", recall),
    Measure("link_f1", _UNIT, "higher", f"{_F1}, in one task", f1),
    Measure(
        "link_accuracy",
        _UNIT,
        "higher",
        "share of pairs rightly called related or unrelated (micro-F1 of both classes)",
        link_accuracy,
    ),
    Measure("relation_accuracy", _UNIT, "higher", f"{_LABEL}, in one task", relation_accuracy),
    Measure(
        "relation_accuracy_of_asked",
        _UNIT,
        "higher",
        "correct labels divided by all instances asked; no answer counts as a wrong one",
        right_of_asked,
    ),
    *(Measure(f"link_f1_{way}", _UNIT, "higher", f"{_F1}, {_OVER[way]}", f1, way) for way in WAYS),
    *(
        Measure(f"relation_accuracy_{way}", _UNIT, "higher", f"{_LABEL}, {_OVER[way]}", relation_accuracy, way)
        for way in WAYS
    ),
)
#: Measures that have one name for a task, but three names for `average`: one per kind of average.
_NAMED_BY_AVERAGE = ("link_f1", "relation_accuracy")


def measured(outcomes: Sequence[Outcome], *, average: bool) -> dict[str, Figure]:
    """Compute all measures of some outcomes, each with its bootstrap interval over instances.

    Args:
        outcomes: Outcomes of one task, or of all tasks if `average` is true.
        average: Whether to average over tasks.
    """
    counts = _counts(outcomes)
    n = int(counts.sum())
    if not n:
        return {}
    drawn = resample_counts(counts)
    answered = int(counts[..., :2, :].sum())
    found = {}
    for measure in CATALOGUE:
        if (measure.average is not None) != average and (measure.average or measure.name in _NAMED_BY_AVERAGE):
            continue
        value = _averaged(measure, counts[None], counts)[0]
        rests = n if measure.name == "relation_accuracy_of_asked" else answered
        found[measure.name] = _figure(float(value), percentile_interval(_averaged(measure, drawn, counts)), rests)
    return found


def grounded(values: Sequence[float | None]) -> Figure:
    """Return the mean groundedness over the judged answers. The value of an answer that was not judged is None."""
    known = np.array([value for value in values if value is not None], dtype=np.float64)
    if not len(known):
        return Figure(None, None, None, 0)
    return _figure(float(known.mean()), bootstrap(means, known), len(known))


def _counts(outcomes: Sequence[Outcome]) -> Array:
    """Return the number of instances by task, gold, answer and correctness."""
    tasks = {task: place for place, task in enumerate(sorted({each.task for each in outcomes}))}
    counts = np.zeros((len(tasks), 2, 3, 2))
    for each in outcomes:
        said = 2 if each.said is None else int(each.said)
        counts[tasks[each.task], int(each.related), said, int(each.right)] += 1
    return counts


def _averaged(measure: Measure, counts: Array, real: Array) -> Array:
    """Return the measure for several tables of counts. The first axis is the table, and the second is the task.

    A weighted mean takes the weights of the tasks from `real`, the observed counts. If the value of a task is
    undefined, the mean over tasks is undefined too.
    """
    if measure.average in {None, "micro"}:
        return measure.formula(counts.sum(axis=1))
    by_task = measure.formula(counts)
    asked = real.sum(axis=(1, 2, 3))
    weights = asked / asked.sum() if measure.average == "weighted" else np.full(len(asked), 1 / len(asked))
    found: Array = by_task @ weights
    return found


def _figure(value: float, interval: Interval | None, n: int) -> Figure:
    """Return a rounded value with its interval. There is no interval if there are fewer than two instances."""
    if np.isnan(value):
        return Figure(None, None, None, n)
    if n < 2 or interval is None:
        return Figure(round(value, 6), None, None, n)
    low, high = interval
    return Figure(round(value, 6), round(low, 6), round(high, 6), n)


def rescore(run: Run, home: Path | None = None, paths: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Compute the measures of a run, and write measures.json.

    Args:
        run: The run. If it is unfinished, the existing records are measured and a warning is added.
        home: HOME, which may contain calibrations of judges that the user measured.
        paths: New paths of datasets that were moved, by the name of the dataset.

    Returns:
        The content of measures.json.

    Raises:
        InputError: There is no readable run, or the gold labels were changed.
    """
    found = gather(run, paths)
    cells = [cell for group in found.groups for cell in _cells(group)]
    wanted = expected(found.manifest)
    judges = sorted({judge for entry in found.entries for judge in entry.groundedness})
    known = {judge: calibration_of(RuleJudge().name if judge == "rules" else judge, home) for judge in judges}
    calibrated = {judge: held.to_dict() if held else None for judge, held in known.items()}
    shape = {
        "format": FORMAT,
        "catalogue": [measure.to_dict() for measure in CATALOGUE],
        "cells": cells,
        "spent": _usage_by_model(found.entries),
        "judges": calibrated,
        "missing": {"records": max(0, wanted - len(found.entries)), "of": wanted},
        "warnings": list(_warnings(found, cells, calibrated, wanted)),
    }
    write_json(run.folder / "measures.json", shape)
    return shape


def _cells(group: Group) -> Iterator[dict[str, Any]]:
    """Yield one cell of measures.json for each task, and one for all tasks together."""
    for task in (*sorted({each.task for each in group.outcomes}), AVERAGE):
        outcomes = [each for each in group.outcomes if task in {each.task, AVERAGE}]
        answered = [each for each in outcomes if each.chosen.answer is not None]
        undecided = sum(each.chosen.undecided for each in outcomes)
        failed = len(outcomes) - len(answered) - undecided
        yield {
            "dataset": group.dataset,
            "task": task,
            "model": group.model,
            "setting": group.setting,
            "select": group.select,
            "judge": group.judge,
            "n": len(outcomes),
            "answered": len(answered),
            "failed": failed,
            "failed_share": round(failed / len(outcomes), 6),
            "undecided": undecided,
            "measures": {
                name: figure.to_dict() for name, figure in measured(outcomes, average=task == AVERAGE).items()
            },
            "groundedness": _grounded_by_judge(answered),
        }


def _grounded_by_judge(answered: Sequence[Outcome]) -> dict[str, dict[str, Any]]:
    """Return groundedness by judge and source. An answer without a judgement lowers only the coverage."""
    judges = sorted({judge for each in answered for judge in each.chosen.groundedness})
    found: dict[str, dict[str, Any]] = {}
    for judge in judges:
        held = [each.chosen.groundedness.get(judge) for each in answered]
        found[judge] = {}
        for source in SOURCES:
            figure = grounded([None if each is None else getattr(each, source) for each in held])
            found[judge][source] = {**figure.to_dict(), "coverage": round(figure.n / len(held), 6)}
    return found


def _usage_by_model(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Return calls, tokens, cost and time of each model's answers, including the judging of these answers."""
    held: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        held[entry.model].append(entry)
    return [
        {
            "model": model,
            "records": len(mine),
            "answered": sum(each.answer is not None for each in mine),
            "failed": sum(each.failure is not None for each in mine),
            "undecided": sum(each.undecided for each in mine),
            "usage": total(each.usage for each in mine),
            "seconds": round(sum(each.seconds for each in mine), 3),
            "judging_seconds": round(sum(by.seconds for each in mine for by in each.groundedness.values()), 3),
        }
        for model, mine in held.items()
    ]


def _warnings(
    found: ScorableRun, cells: Sequence[Mapping[str, Any]], judges: Mapping[str, Any], wanted: int
) -> Iterator[str]:
    """Yield the caveats that a reader must know before trusting the measures."""
    if len(found.entries) < wanted:
        yield f"{wanted - len(found.entries)} of {wanted} answers are not recorded yet"
    yield from leaking(found.manifest)
    yield from empty_stores(found.manifest)
    yield from found.warnings
    whole = [cell for cell in cells if cell["task"] == AVERAGE]
    failing = [cell for cell in whole if cell["failed_share"] > FAILED]
    undecided = [cell for cell in whole if cell["undecided"]]
    for lacking, name, what in ((failing, "failed", "failed"), (undecided, "undecided", "are undecided")):
        if lacking:
            where = (" / ".join((cell["dataset"], cell["model"], cell["setting"], cell["select"])) for cell in lacking)
            lost, asked = (sum(cell[each] for cell in lacking) for each in (name, "n"))
            yield f"{named(where, 'cells')}: {lost} of {asked} answers {what}, and no measure counts them"
    for judge, figures in judges.items():
        if figures is None:
            yield f"judge {judge}: never measured on labelled pairs (bench calibrate)"


def named(places: Iterable[str], of: str) -> str:
    """Return the name of a single place. For several places, return their number and the first names.

    Args:
        places: Names of at least one place. Repeated names count once.
        of: Kind of the places as a plural noun, for instance `runs`.
    """
    held = tuple(dict.fromkeys(places))
    if len(held) == 1:
        return held[0]
    more = "; ..." if len(held) > NAMED else ""
    return f"{len(held)} {of} ({'; '.join(held[:NAMED])}{more})"
