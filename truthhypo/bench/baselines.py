"""Baselines: answerers that need no language model.

They learn from the gold labels of other instances: each tenth of a task's instances is answered by a model trained on
the other nine tenths. As in the leak probe (`hypotheses.leaks.probe`), all instances with the same first concept are in
the same tenth. Because of this training, the baselines know the shares of the labels, which a language model does not
know.
"""

import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log1p
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from groundwork.errors import InputError
from truthhypo.bench.answering import Item, Library
from truthhypo.bench.runs import Entry, Failure
from truthhypo.bench.suite import Dataset, Suite
from truthhypo.hypotheses import leaks, release
from truthhypo.hypotheses.dataset import Case, names_of
from truthhypo.hypotheses.generate import cooccurring
from truthhypo.hypotheses.leaks import Known, check_installed, learner
from truthhypo.world import World

#: Maximum number of paths per pair. The paths with the largest weights are used.
PATHS = 1000
HOPS = 2
PREFIX = "baseline:"
#: Maximum number of folds.
FOLDS = 10
Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Columns:
    """A table of features with named columns and one row per instance."""

    names: tuple[str, ...]
    values: NDArray[np.float64]

    def said(self, place: int) -> str:
        """Describe a row as text. With more than six columns, only their number is given."""
        if len(self.names) > 6:
            return f"{len(self.names)} features of ids, names and the place in the set"
        told = zip(self.names, self.values[place], strict=True)
        return ", ".join(f"{name} {value:.6g}" for name, value in told)


Features = Callable[[Dataset, World, Library], Columns]


def trivial(dataset: Dataset, world: World, library: Library) -> Columns:
    """Return the features of the leak probe: ids, names, order of the ids, and degree within the dataset.

    The features are computed from the dataset alone.
    """
    del world, library
    gold = dataset.gold()  # only keys and types are used
    values = leaks.features([gold[case.id] for case in dataset.cases], Known(names_of(dataset.cases)))
    return Columns(tuple(f"feature {number}" for number in range(values.shape[1])), values)


def degree_product(dataset: Dataset, world: World, library: Library) -> Columns:
    """Return log(1 + d_head * d_tail), where d is the number of relation edges of a concept."""
    del library
    edges = release.read_edges(world.graph_store, release.Cuts(dataset.before, dataset.before + 1))
    degree = dict(zip(edges.keys, edges.degree(edges.seen > 0).tolist(), strict=True))
    rows = [[log1p(degree.get(case.x_id, 0) * degree.get(case.y_id, 0))] for case in dataset.cases]
    return Columns(("log degree product",), _matrix(rows))


def dwpc(dataset: Dataset, world: World, library: Library) -> Columns:
    """Return degree-weighted path counts (Himmelstein and Baranzini 2015; damping 0.5), summed by path sign."""
    del world
    return Columns(
        ("DWPC positive", "DWPC negative", "DWPC unsigned"),
        _matrix([_counts(case, dataset.before, library) for case in dataset.cases]),
    )


def cooccurrence(dataset: Dataset, world: World, library: Library) -> Columns:
    """Return log(1 + n). The search for both names finds abstracts, and n of these contain both names."""
    del world
    found = [len(cooccurring(library.context(dataset, case, "lit"))) for case in dataset.cases]
    return Columns(("log abstracts with both",), _matrix([[log1p(count)] for count in found]))


def _counts(case: Case, before: int, library: Library) -> list[float]:
    """Return sums of path weights by sign, scaled by asinh because the weights span orders of magnitude."""
    task, graph = case.task, library.graph
    if len(graph.concepts([task.head, task.tail])) < 2:
        return [0.0, 0.0, 0.0]
    asked: dict[str, Any] = {"hops": HOPS, "before": before, "limit": PATHS, "rank": "dwpc", "pmids": 0}
    weight: dict[int, float] = defaultdict(float)
    for chain in graph.chains(task.head, task.tail, without=library.uncounted, **asked).chains:
        weight[chain.sign] += chain.score
    return [float(np.arcsinh(weight[sign] * 100)) for sign in (1, -1, 0)]


def _matrix(rows: list[list[float]]) -> NDArray[np.float64]:
    return np.array(rows, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Baseline:
    """The knowledge, features and learner of a baseline.

    Attributes:
        setting: The knowledge that the baseline uses: `none`, `kg` or `lit`.
        features: Function that computes the features of a dataset; None if only labels are used.
        boosted: Whether the learner is gradient boosting instead of logistic regression.
    """

    setting: str
    features: Features | None = None
    boosted: bool = False


@dataclass(frozen=True, slots=True)
class BaselineAnswer:
    """An answer of a baseline. The label is None if there was nothing to learn from."""

    label: str | None
    rationale: str
    chances: Mapping[str, float]


BASELINES: Mapping[str, Baseline] = {
    "most_frequent": Baseline("none"),
    "trivial_features": Baseline("none", trivial, boosted=True),
    "degree_product": Baseline("kg", degree_product),
    "dwpc": Baseline("kg", dwpc),
    "cooccurrence": Baseline("lit", cooccurrence),
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
