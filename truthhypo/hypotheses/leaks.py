"""The leak probe: can the labels of a set be told from features that hold no biology?

Logistic regression and gradient boosting on all features at once (`traits`, the order of the pair, the degree within
the set), by cross-validation in which no concept named first stands on both sides. Needs scikit-learn (extra `bench`).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from groundwork.records import Record, split_key
from groundwork.statistics.classification import auroc
from groundwork.statistics.intervals import bootstrap
from truthhypo.hypotheses.dataset import Instance
from truthhypo.hypotheses.learners import Learners
from truthhypo.hypotheses.traits import COLUMNS, SPECIES, Known, Matrix

#: A sound set fails when the lower bound of an AUROC passes this.
LIMIT = 0.55

#: Folds; instances of each class that a probe needs.
FOLDS = 10
LEAST = 20

#: An interval of an AUROC as wide as this, or wider, could hide any leak: it takes some 130 instances to be narrower.
WIDE = 0.2

#: leaks: beyond chance. none found: and a leak worth the name would have been. too small: nothing can be said.
Verdict = Literal["leaks", "none found", "too small"]
#: From the worst on.
WORST: tuple[Verdict, ...] = ("leaks", "too small", "none found")

#: The name under which all tasks are probed together.
ALL = "all"

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Figure(Record):
    """A figure in [0, 1] with its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def verdict(self) -> Verdict:
        """What an AUROC says by itself; one too wide to show a leak is not said to show none."""
        if self.low > LIMIT:
            return "leaks"
        return "none found" if self.high - self.low < WIDE else "too small"


@dataclass(frozen=True, slots=True)
class Probe(Record):
    """What the features tell about one task's labels.

    Attributes:
        task: Its name, or `all`.
        n: Instances.
        majority: Share of the larger class, related or not: what an accuracy is to be held against.
        auroc: Model -> AUROC of related against no_relation; empty where there are too few instances to probe.
        accuracy: Model -> share of instances told right, related or not.
        relation_accuracy: Model -> share told right of the three labels.
    """

    task: str
    n: int
    majority: float
    auroc: Mapping[str, Figure]
    accuracy: Mapping[str, Figure]
    relation_accuracy: Mapping[str, Figure]

    @property
    def leaks(self) -> bool:
        """Whether some model tells related pairs better than the limit allows, beyond chance."""
        return self.verdict == "leaks"

    @property
    def verdict(self) -> Verdict:
        """The worst that a model's figure says; where nothing was probed, too small."""
        told = {figure.verdict for figure in self.auroc.values()}
        return next((verdict for verdict in WORST if verdict in told), "too small")

    def to_dict(self) -> dict[str, Any]:
        """The fields, and the verdict."""
        return {**Record.to_dict(self), "verdict": self.verdict}


@dataclass(frozen=True, slots=True)
class Rules(Record):
    """Single giveaways, counted.

    Attributes:
        same_type_pairs: Related and unrelated pairs whose concepts share a type.
        in_order: How many of each have the first id below the second as strings.
        no_human_gene: Accuracy of "a pair without a human gene is unrelated"; None without a list of species.
    """

    same_type_pairs: Mapping[str, int]
    in_order: Mapping[str, int]
    no_human_gene: float | None


def rules(instances: Sequence[Instance], known: Known) -> Rules:
    """Count the giveaways of the published set on any set."""
    alike = [each for each in instances if each.x_type == each.y_type]
    ordered = [each for each in alike if split_key(each.x_id)[1] < split_key(each.y_id)[1]]
    human = [SPECIES["human"] in (known.taxon(each.x_id), known.taxon(each.y_id)) for each in instances]
    right = [seen == each.related for seen, each in zip(human, instances, strict=True)]
    share = sum(right) / len(right) if known.species and right else None
    return Rules(_by_class(alike), _by_class(ordered), share)


def probe(instances: Sequence[Instance], known: Known, seed: int = 0) -> tuple[Probe, ...]:
    """Probe each task, and all together; a task with fewer than `LEAST` of a class is counted and not probed.

    Args:
        instances: The set.
        known: What is known of its concepts.
        seed: Of folds, models and resamples.

    Raises:
        InputError: scikit-learn is not installed.
    """
    matrix = features(instances, known)
    found = []
    for task in (*sorted({each.rel_type for each in instances}), ALL):
        chosen = np.array([task in (each.rel_type, ALL) for each in instances])
        part = [each for each, wanted in zip(instances, chosen, strict=True) if wanted]
        found.append(_probe(task, part, matrix[chosen], seed))
    return tuple(found)


def relation_micro(probes: Iterable[Probe], model: str) -> float | None:
    """Share of all instances whose label a model tells right, task by task; None where a task was not probed so."""
    tasks = [probe for probe in probes if probe.task != ALL]
    if not tasks or any(model not in probe.relation_accuracy for probe in tasks):
        return None
    right = sum(probe.relation_accuracy[model].value * probe.n for probe in tasks)
    return right / sum(probe.n for probe in tasks)


def features(instances: Sequence[Instance], known: Known) -> Matrix:
    """All features of each instance, a row each: both concepts' traits, then what the pair gives.

    The pair gives: the degree within the set of either, the order of the ids as strings and by magnitude, whether both
    are of one known species, and the differences of the traits.
    """
    keys = sorted({key for each in instances for key in (each.x_id, each.y_id)})
    place = {key: number for number, key in enumerate(keys)}
    rows = known.rows(keys)
    degree = Counter(key for each in instances for key in (each.x_id, each.y_id))
    first, second = (rows[[place[getattr(each, end)] for each in instances]] for end in ("x_id", "y_id"))
    magnitude = COLUMNS.index("id_magnitude")
    pair = [
        [
            np.log1p(degree[each.x_id]),
            np.log1p(degree[each.y_id]),
            split_key(each.x_id)[1] < split_key(each.y_id)[1],
            known.taxon(each.x_id) is not None and known.taxon(each.x_id) == known.taxon(each.y_id),
        ]
        for each in instances
    ]
    order = (first[:, magnitude] < second[:, magnitude])[:, None]
    return np.hstack([first, second, np.array(pair, float).reshape(len(instances), 4), order, first - second])


def _probe(task: str, instances: Sequence[Instance], matrix: Matrix, seed: int) -> Probe:
    related = np.array([each.related for each in instances])
    labels = np.array([each.relation for each in instances])
    majority = float(max(related.mean(), 1.0 - related.mean()))
    counted = Counter(labels.tolist())
    groups = np.unique([each.x_id for each in instances], return_inverse=True)[1]
    if min(related.sum(), (~related).sum()) < LEAST or len(set(groups)) < FOLDS:
        return Probe(task, len(instances), majority, {}, {}, {})
    auroc, accuracy, relation = {}, {}, {}
    for name in ("logistic", "gradient_boosting"):
        chance = _held_out(name, matrix, related.astype(int), groups, seed)[:, 1]
        auroc[name] = _interval(related, chance, seed, _auroc)
        accuracy[name] = _interval(related, (chance >= 0.5) == related, seed, _mean)
        if task != ALL and len(counted) == 3 and min(counted.values()) >= FOLDS:
            named, coded = np.unique(labels, return_inverse=True)
            told = named[_held_out(name, matrix, coded, groups, seed).argmax(axis=1)]
            relation[name] = _interval(related, told == labels, seed, _mean)
    return Probe(task, len(instances), majority, auroc, accuracy, relation)


def _held_out(name: str, matrix: Matrix, labels: NDArray[Any], groups: NDArray[Any], seed: int) -> Matrix:
    """Probability of each class for each instance, from a model that saw neither it nor its first concept."""
    learners = Learners("the leak probe")
    rows = len(labels) - len(labels) // FOLDS
    model = learners.made(name == "gradient_boosting", seed, rows)
    folds = learners.StratifiedGroupKFold(FOLDS, shuffle=True, random_state=seed)
    with learners.threadpool_limits(1):  # sums come out in one order, too
        found: Matrix = learners.cross_val_predict(
            model, matrix, labels, groups=groups, cv=folds, method="predict_proba"
        )
    return found


def _interval(related: Flags, told: NDArray[Any], seed: int, figure: Any) -> Figure:
    """A figure and its percentile bootstrap interval over instances."""
    low, high = bootstrap(figure, related, told, seed=[seed, len(told)]) or (float("nan"), float("nan"))
    return Figure(*(round(float(each), 6) for each in (figure(related, told), low, high)))


def _mean(_: Flags, right: Flags) -> Matrix:
    found: Matrix = right.mean(axis=-1)
    return found


#: The area under the ROC curve over the last axis.
_auroc = np.vectorize(auroc, signature="(n),(n)->()")


def _by_class(instances: Sequence[Instance]) -> dict[str, int]:
    related = sum(each.related for each in instances)
    return {"related": related, "no_relation": len(instances) - related}
