"""The leak probe: tests whether features without any biology predict the labels of a benchmark set.

Logistic regression and gradient boosting use all features at once: those of each concept (`traits`), and those of the
pair (`features`), such as the order of its two ids. In cross-validation, instances with the same first concept are all
in the training data or all in the test data. The probe needs scikit-learn (extra `bench`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from groundwork.records import Record, split_key
from groundwork.statistics import auroc, bootstrap
from truthhypo.hypotheses.dataset import Instance
from truthhypo.hypotheses.learners import check_installed, learner
from truthhypo.hypotheses.traits import COLUMNS, SPECIES, Known, Matrix

#: A set of mode `sound` fails if the lower bound of an AUROC is above this value.
LIMIT = 0.55

#: Number of folds of the cross-validation, and minimum number of instances of each class (related and unrelated).
FOLDS = 10
LEAST = 20

#: An AUROC interval at least this wide could hide a leak. A narrower interval needs about 130 instances.
WIDE = 0.2

#: "leaks": the lower bound of the AUROC interval is above LIMIT. "none found": this bound is not above LIMIT, and the
#: interval is narrower than WIDE. "too small": the interval is not narrower than WIDE, or there are too few instances
#: for an AUROC.
Verdict = Literal["leaks", "none found", "too small"]
#: The results, worst first.
WORST: tuple[Verdict, ...] = ("leaks", "too small", "none found")

#: Name of the probe of all tasks together.
ALL = "all"

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Figure(Record):
    """A measured value in [0, 1] with its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def verdict(self) -> Verdict:
        """The result of the probe if this figure is an AUROC. It is "too small" if the interval could hide a leak."""
        if self.low > LIMIT:
            return "leaks"
        return "none found" if self.high - self.low < WIDE else "too small"


@dataclass(frozen=True, slots=True)
class Probe(Record):
    """The result of the leak probe for one task: how well the features predict the labels.

    Attributes:
        task: Name of the task, or `all`.
        n: Number of instances.
        majority: Share of the larger class (related or not), as a baseline for the accuracy.
        auroc: AUROC of related against no_relation, by model (`logistic`, `gradient_boosting`); empty if there are too
            few instances.
        accuracy: Share of instances predicted correctly as related or not, by model.
        relation_accuracy: Share of instances with correctly predicted label (one of three), by model.
    """

    task: str
    n: int
    majority: float
    auroc: Mapping[str, Figure]
    accuracy: Mapping[str, Figure]
    relation_accuracy: Mapping[str, Figure]

    @property
    def leaks(self) -> bool:
        """Whether a model predicts related pairs better than `LIMIT` allows."""
        return self.verdict == "leaks"

    @property
    def verdict(self) -> Verdict:
        """The worst result over the models, or "too small" if the task was not probed."""
        told = {figure.verdict for figure in self.auroc.values()}
        return next((verdict for verdict in WORST if verdict in told), "too small")

    def to_dict(self) -> dict[str, Any]:
        """Return the fields and the verdict."""
        return {**Record.to_dict(self), "verdict": self.verdict}


@dataclass(frozen=True, slots=True)
class Rules(Record):
    """How well single features alone reveal the labels of a set.

    Attributes:
        same_type_pairs: Number of pairs whose two concepts have the same type, by class (`related`, `no_relation`).
        in_order: Number of these pairs in which the first id comes before the second in string order, by class.
        no_human_gene: Accuracy of the rule "a pair is related if it has a human gene, and unrelated otherwise"; None
            without a list of species.
    """

    same_type_pairs: Mapping[str, int]
    in_order: Mapping[str, int]
    no_human_gene: float | None


def rules(instances: Sequence[Instance], known: Known) -> Rules:
    """Measure how well a set's labels can be guessed from those single features that reveal the published labels.

    The published labels are those of the set of paper A.
    """
    alike = [each for each in instances if each.x_type == each.y_type]
    ordered = [each for each in alike if split_key(each.x_id)[1] < split_key(each.y_id)[1]]
    human = [SPECIES["human"] in (known.taxon(each.x_id), known.taxon(each.y_id)) for each in instances]
    right = [seen == each.related for seen, each in zip(human, instances, strict=True)]
    share = sum(right) / len(right) if known.species and right else None
    return Rules(_by_class(alike), _by_class(ordered), share)


def probe(instances: Sequence[Instance], known: Known, seed: int = 0) -> tuple[Probe, ...]:
    """Probe each task and all tasks together. For a task with too few instances, no model is trained.

    A task has too few instances if one class (related or unrelated) has fewer than `LEAST` instances, or if the pairs
    have fewer than `FOLDS` distinct first concepts.

    Args:
        instances: All instances of the set.
        known: Names, counts and species of the concepts in the set.
        seed: Random seed of the folds, the models and the bootstrap.

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


def features(instances: Sequence[Instance], known: Known) -> Matrix:
    """Return the features of the instances, one row per instance: traits of both concepts, then features of the pair.

    Features of the pair: the number of instances with each concept, the order of the two ids as strings and by
    magnitude, whether both concepts have the same known species, and the differences of their traits.
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
    """Return the class probabilities of each instance.

    They come from a model that was trained without the instances that have the same first concept.
    """
    check_installed("the leak probe")
    from sklearn.model_selection import StratifiedGroupKFold, cross_val_predict
    from threadpoolctl import threadpool_limits

    rows = len(labels) - len(labels) // FOLDS
    model = learner(name == "gradient_boosting", seed, rows)
    folds = StratifiedGroupKFold(FOLDS, shuffle=True, random_state=seed)
    with threadpool_limits(1):  # one thread adds numbers in a fixed order, so results are reproducible
        found: Matrix = cross_val_predict(model, matrix, labels, groups=groups, cv=folds, method="predict_proba")
    return found


def _interval(related: Flags, told: NDArray[Any], seed: int, figure: Any) -> Figure:
    """Return the value of the function `figure`, with its percentile bootstrap interval over instances."""
    low, high = bootstrap(figure, related, told, seed=[seed, len(told)]) or (float("nan"), float("nan"))
    return Figure(*(round(float(each), 6) for each in (figure(related, told), low, high)))


def _mean(_: Flags, right: Flags) -> Matrix:
    found: Matrix = right.mean(axis=-1)
    return found


#: Area under the ROC curve, computed over the last axis.
_auroc = np.vectorize(auroc, signature="(n),(n)->()")


def _by_class(instances: Sequence[Instance]) -> dict[str, int]:
    related = sum(each.related for each in instances)
    return {"related": related, "no_relation": len(instances) - related}
