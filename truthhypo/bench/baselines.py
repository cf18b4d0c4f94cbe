"""Baselines: answerers that need no language model.

They learn from the gold labels of other instances: each tenth of a task's instances is answered by a model trained on
the other nine tenths. As in the leak probe (`hypotheses.leaks.probe`), all instances with the same first concept are in
the same tenth. Because of this training, the baselines know the shares of the labels, which a language model does not
know.
"""

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from groundwork.errors import InputError
from truthhypo.bench import traces
from truthhypo.bench.answering import Item
from truthhypo.bench.entries import Entry, Failure
from truthhypo.bench.knowledge import Library
from truthhypo.bench.sets import Case, Dataset
from truthhypo.bench.suite import Suite
from truthhypo.hypotheses.learners import check_installed, learner
from truthhypo.world import World

PREFIX = "baseline:"
#: Maximum number of folds.
FOLDS = 10

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Baseline:
    """The knowledge, features and learner of a baseline.

    Attributes:
        setting: The knowledge that the baseline uses: `none`, `kg` or `lit`.
        features: Function that computes the features of a dataset; None if only labels are used.
        boosted: Whether the learner is gradient boosting instead of logistic regression.
    """

    setting: str
    features: traces.Features | None = None
    boosted: bool = False


@dataclass(frozen=True, slots=True)
class BaselineAnswer:
    """An answer of a baseline. The label is None if there was nothing to learn from."""

    label: str | None
    rationale: str
    chances: Mapping[str, float]


BASELINES: Mapping[str, Baseline] = {
    "most_frequent": Baseline("none"),
    "trivial_features": Baseline("none", traces.trivial, boosted=True),
    "degree_product": Baseline("kg", traces.degree_product),
    "dwpc": Baseline("kg", traces.dwpc),
    "cooccurrence": Baseline("lit", traces.cooccurrence),
}


def check(name: str) -> None:
    """Check that a baseline exists and that the packages it needs are installed.

    Raises:
        InputError: The baseline does not exist, or scikit-learn is not installed.
    """
    if name.removeprefix(PREFIX) not in BASELINES:
        raise InputError(
            f"there is no baseline {name!r}",
            f"one of {', '.join(PREFIX + each for each in BASELINES)}",
            "correct the name",
        )
    check_installed("a baseline")


def setting_of(name: str) -> str:
    """Return the knowledge that a baseline uses: `none`, `kg` or `lit`."""
    return _baseline_named(name).setting


def answers(name: str, items: Sequence[Item], world: World, suite: Suite) -> Iterator[list[Entry]]:
    """Yield the records of the items, one dataset at a time, because a baseline learns from the whole dataset."""
    datasets = {item.dataset.name: item.dataset for item in items}.values()
    baseline = _baseline_named(name)
    library = Library(world, suite.context, sum(len(dataset.cases) for dataset in datasets))
    for dataset in datasets:
        began = monotonic()
        told = _learned(baseline, dataset, world, library, suite.samples.seed)
        each = (monotonic() - began) / len(told)
        wanted = [item for item in items if item.dataset is dataset]
        yield [_entry(name, item, told[item.case.id], suite.samples.seed, each) for item in wanted]


def _baseline_named(name: str) -> Baseline:
    return BASELINES[name.removeprefix(PREFIX)]


def _learned(
    baseline: Baseline, dataset: Dataset, world: World, library: Library, seed: int
) -> dict[str, BaselineAnswer]:
    gold = dataset.gold()
    columns = baseline.features(dataset, world, library) if baseline.features else None
    found: dict[str, BaselineAnswer] = {}
    for task in sorted({case.rel_type for case in dataset.cases}):
        places = [place for place, case in enumerate(dataset.cases) if case.rel_type == task]
        cases = [dataset.cases[place] for place in places]
        labels = np.array([gold[case.id].relation for case in cases])
        matrix = columns.values[places] if columns else None
        groups = np.unique([case.x_id for case in cases], return_inverse=True)[1]
        chances = held_out(matrix, labels, groups, seed, boosted=baseline.boosted)
        for row, case in enumerate(cases):
            seen = columns.said(places[row]) if columns else "none of the pair itself"
            found[case.id] = _most_probable(chances[row], case, seen)
    return found


def held_out(
    matrix: Matrix | None, labels: NDArray[np.str_], groups: NDArray[Any], seed: int, *, boosted: bool = False
) -> list[dict[str, float]]:
    """Return for each row the probability of each label, learned from the folds without this row.

    If fewer than two folds can be made, the result has an empty mapping for each row.

    Args:
        matrix: Features, one row per instance. With None, the probabilities are the shares of the labels.
        labels: The gold labels.
        groups: Group number of each row. Rows of one group are in the same fold.
        seed: Random seed of folds and models.
        boosted: Use gradient boosting instead of logistic regression.
    """
    folds = min(FOLDS, len(np.unique(groups)), max(Counter(labels.tolist()).values()))
    found: list[dict[str, float]] = [{} for _ in labels]
    if folds < 2:
        return found
    from sklearn.model_selection import StratifiedGroupKFold
    from threadpoolctl import threadpool_limits

    split = StratifiedGroupKFold(folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        for train, test in split.split(np.zeros((len(labels), 1)), labels, groups):
            if matrix is None or len(set(labels[train])) == 1:
                shares = {label: count / len(train) for label, count in Counter(labels[train].tolist()).items()}
                rows = [shares] * len(test)
            else:
                model = learner(boosted, seed, len(train)).fit(matrix[train], labels[train])
                chances = model.predict_proba(matrix[test])
                rows = [dict(zip(map(str, model.classes_), map(float, row), strict=True)) for row in chances]
            for place, row in zip(test, rows, strict=True):
                found[place] = row
    return found


def _most_probable(chances: Mapping[str, float], case: Case, seen: str) -> BaselineAnswer:
    """Return the answer with the most probable label; of equally probable labels, the first in `case.task.labels`."""
    if not chances:
        return BaselineAnswer(None, "there is no other instance of the task to learn from", {})
    known = {label: round(chances.get(label, 0.0), 6) for label in case.task.labels}
    best = max(case.task.labels, key=lambda label: known[label])
    return BaselineAnswer(best, f"Features: {seen}; weights learned from other instances of {case.rel_type}.", known)


def _entry(name: str, item: Item, told: BaselineAnswer, seed: int, seconds: float) -> Entry:
    return Entry(
        dataset=item.dataset.name,
        instance=item.case.id,
        model=name,
        setting=item.setting,
        sample=item.sample,
        seed=seed,
        answer=told.label,
        rationale=told.rationale if told.label else "",
        failure=None if told.label else Failure("data", told.rationale),
        candidates=told.chances,
        seconds=round(seconds, 6),
    )
