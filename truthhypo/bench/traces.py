"""Compute features of pairs for baselines: form and order of ids and names, degrees, weighted paths, co-occurrence.

Only articles up to the dataset's PMID limit are used.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from math import log1p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truthhypo.bench.knowledge import Library
from truthhypo.bench.sets import Case, Dataset, names_of
from truthhypo.hypotheses import leaks, release
from truthhypo.hypotheses.rules import cooccurring
from truthhypo.hypotheses.traits import Known
from truthhypo.world import World

#: Maximum number of paths per pair. The paths with the largest weights are used.
PATHS = 1000
HOPS = 2


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
    edges = release.read(world.graph_store, release.Cuts(dataset.before, dataset.before + 1))
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
