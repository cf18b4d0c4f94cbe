"""Find the unseen pairs of a release by task (paper A, section 2.1), and count the dropped edges by reason.

An unseen pair has an edge in unseen articles and no edge in seen articles (see `release.Cuts`).
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from groundwork.records import Record
from groundwork.vocabulary import RELATIONS
from truthhypo.hypotheses.dataset import Instance
from truthhypo.hypotheses.release import Edges, Numbers
from truthhypo.hypotheses.tasks import TASKS

#: Minimum number of unseen articles that must report an unseen edge. Edges with fewer articles are dropped.
LEAST_ARTICLES = 2

#: Table 1 of paper A: task -> label -> number of instances.
TABLE_1: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {
        "Chemical & Gene": {"positive_correlate": 328, "negative_correlate": 478, "no_relation": 403},
        "Disease & Gene": {"stimulate": 104, "inhibit": 75, "no_relation": 89},
        "Gene & Gene": {"positive_correlate": 247, "negative_correlate": 118, "no_relation": 182},
    }
)


def label_counts(instances: Iterable[Instance]) -> dict[str, dict[str, int]]:
    """Return the number of instances for each task and label of Table 1. It is 0 for a label without instances."""
    counted = Counter((each.rel_type, each.relation) for each in instances)
    return {task: {label: counted[task, label] for label in labels} for task, labels in TABLE_1.items()}


@dataclass(frozen=True, slots=True)
class Dropped(Record):
    """Numbers of edges and pairs that were dropped from a task, in the order of the checks.

    Attributes:
        seen_pair: Edges dropped because the pair has an edge of some relation in a seen article.
        one_article: Edges dropped because fewer than two unseen articles report them.
        two_labels: Pairs dropped because they have both labels.
    """

    seen_pair: int
    one_article: int
    two_labels: int


@dataclass(frozen=True)
class Part:
    """The unseen pairs of one task.

    Attributes:
        task: Name of the task.
        labels: The two relations of the task, the positive one first.
        head: First concept (in canonical order) of each pair, as a position in `Edges.keys`.
        tail: Second concept of each pair.
        label: Label of each pair, as a position in `labels`.
        heads: First concepts of all edges that join concepts of the task's types and are reported in unseen articles,
            ascending.
        tails: The second concepts of these edges, ascending. For Gene & Gene, `heads` and `tails` both have all
            genes of these edges.
        unseen: Number of edges that join concepts of the task's types, have one of the labels, and are reported in
            unseen articles.
        dropped: Numbers of dropped edges and pairs, by reason.
    """

    task: str
    labels: tuple[str, str]
    head: Numbers
    tail: Numbers
    label: Numbers
    heads: Numbers
    tails: Numbers
    unseen: int
    dropped: Dropped


def partition(edges: Edges) -> tuple[Part, ...]:
    """Return the unseen pairs of a release, one `Part` per task."""
    return tuple(
        _part(edges, types, name, (positive, negative)) for types, (name, positive, negative, _) in TASKS.items()
    )


def _part(edges: Edges, types: tuple[str, str], name: str, labels: tuple[str, str]) -> Part:
    between = (edges.types[edges.head] == types[0]) & (edges.types[edges.tail] == types[1]) & (edges.unseen > 0)
    heads, tails = np.unique(edges.head[between]), np.unique(edges.tail[between])
    if types[0] == types[1]:
        heads = tails = np.union1d(heads, tails)
    coded = [RELATIONS.index(label) for label in labels]
    labelled = np.flatnonzero(between & np.isin(edges.relation, coded))
    fresh = labelled[~np.isin(edges.pair[labelled], edges.seen_pairs)]
    found = fresh[edges.unseen[fresh] >= LEAST_ARTICLES]
    single = _occurs_once(edges.pair[found])
    kept = found[single]
    dropped = Dropped(len(labelled) - len(fresh), len(fresh) - len(found), (len(found) - len(kept)) // 2)
    label = (edges.relation[kept] == coded[1]).astype(np.int64)
    return Part(name, labels, edges.head[kept], edges.tail[kept], label, heads, tails, len(labelled), dropped)


def _occurs_once(pairs: Numbers) -> NDArray[np.bool_]:
    """Return for each pair whether it occurs only once."""
    _, place, count = np.unique(pairs, return_inverse=True, return_counts=True)
    once: NDArray[np.bool_] = count[place] == 1
    return once
