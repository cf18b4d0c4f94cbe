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

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from groundwork.records import Record
from groundwork.statistics import Interval, bootstrap, f1_score, means, percentile_interval, resample_counts, share
from truthhypo.bench.outcomes import Outcome

FORMAT = 2
#: Kind of average over the tasks of a dataset.
Way = Literal["micro", "macro", "weighted"]
WAYS: tuple[Way, ...] = ("micro", "macro", "weighted")

Array = NDArray[np.float64]
#: Function from counts to values. The last three axes of the counts are: gold (0 unrelated, 1 related), answer (0
#: unrelated, 1 related, 2 none) and label (0 wrong, 1 correct).
Formula = Callable[[Array], Array]


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
