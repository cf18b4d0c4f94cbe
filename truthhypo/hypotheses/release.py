"""Read the relation edges of a release as columns, and find its unseen pairs by task (paper A, section 2.1).

For each edge, two numbers of articles are counted: those up to a first PMID limit, and those from a second PMID limit
on. The edges are read once, in batches. They take about 40 bytes per edge. An unseen pair has an edge in unseen
articles and no edge in seen articles. Dropped edges are counted by reason.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from groundwork.errors import InputError
from groundwork.ports import GraphReader
from groundwork.records import Record, split_key
from groundwork.vocabulary import RELATIONS
from truthhypo.hypotheses.dataset import Instance
from truthhypo.hypotheses.options import TASKS

Numbers = NDArray[np.int64]
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


@dataclass(frozen=True, slots=True)
class Cuts(Record):
    """The last PMID of the seen and the first PMID of the unseen articles. Articles in between are in neither group.

    Attributes:
        seen_to: PMID of the last seen article.
        unseen_from: PMID of the first unseen article, larger than `seen_to`.

    Raises:
        InputError: `seen_to` is less than 1, or `unseen_from` is not larger than `seen_to`.
    """

    seen_to: int = 36_600_000
    unseen_from: int = 38_200_000

    def __post_init__(self) -> None:
        if not 0 < self.seen_to < self.unseen_from:
            raise InputError(
                f"seen to PMID {self.seen_to}, unseen from PMID {self.unseen_from}",
                "0 < --seen-to < --unseen-from",
                "choose cut-offs that do not overlap",
            )


@dataclass(frozen=True)
class Edges:
    """Relation edges between different concepts, ordered by (head, tail, relation).

    Attributes:
        keys: Keys of all concepts with an edge, ascending. `head` and `tail` are positions in `keys`.
        head: First concept of each edge, in canonical order.
        tail: Second concept of each edge.
        relation: Relation of each edge, as a position in `vocabulary.RELATIONS`.
        articles: Number of distinct PMIDs of each edge.
        seen: Number of PMIDs of each edge up to `Cuts.seen_to`.
        unseen: Number of PMIDs of each edge from `Cuts.unseen_from` on.
        selves: Number of edges between a concept and itself, which are left out.
    """

    keys: tuple[str, ...]
    head: Numbers
    tail: Numbers
    relation: Numbers
    articles: Numbers
    seen: Numbers
    unseen: Numbers
    selves: int

    @cached_property
    def types(self) -> NDArray[np.str_]:
        """The type of each concept."""
        return np.array([split_key(key)[0] for key in self.keys], dtype=np.str_)

    @cached_property
    def pair(self) -> Numbers:
        """The number that `pairs` gives to the two concepts of each edge."""
        return self.pairs(self.head, self.tail)

    @cached_property
    def related(self) -> Numbers:
        """The numbers (see `pairs`) of all pairs that have an edge, in ascending order."""
        return np.unique(self.pair)

    @cached_property
    def seen_pairs(self) -> Numbers:
        """The numbers (see `pairs`) of all pairs that have an edge in a seen article, in ascending order."""
        return np.unique(self.pair[self.seen > 0])

    def pairs(self, a: Numbers, b: Numbers) -> Numbers:
        """Return a number for each pair of concepts. The number does not depend on the order of the two concepts."""
        return np.minimum(a, b) * len(self.keys) + np.maximum(a, b)

    def degree(self, chosen: NDArray[np.bool_] | None = None) -> Numbers:
        """Return the number of edges of each concept. With `chosen`, only the chosen edges are counted."""
        mask = slice(None) if chosen is None else chosen
        ends = np.concatenate([self.head[mask], self.tail[mask]])
        return np.bincount(ends, minlength=len(self.keys)).astype(np.int64)

    def cited(self) -> Numbers:
        """Return for each concept the sum of the numbers of articles of its edges."""
        ends, weights = np.concatenate([self.head, self.tail]), np.concatenate([self.articles, self.articles])
        return np.bincount(ends, weights, minlength=len(self.keys)).astype(np.int64)


def read_edges(graph: GraphReader, cuts: Cuts) -> Edges:
    """Return the relation edges of a graph. The order in which the graph returns them does not matter."""
    numbers: dict[str, int] = {}
    parts = [_columns(batch, cuts, numbers) for batch in graph.relations() if batch.num_rows]
    columns = np.concatenate(parts, axis=1) if parts else np.empty((6, 0), np.int64)
    keys = sorted(numbers)
    place = np.empty(len(keys), np.int64)
    place[[numbers[key] for key in keys]] = np.arange(len(keys))
    columns[0], columns[1] = place[columns[0]], place[columns[1]]
    apart = columns[0] != columns[1]
    kept = columns[:, apart]
    kept = kept[:, np.lexsort((kept[2], kept[1], kept[0]))]
    head, tail, relation, articles, seen, unseen = kept
    return Edges(tuple(keys), head, tail, relation, articles, seen, unseen, int((~apart).sum()))


def _columns(batch: pa.RecordBatch, cuts: Cuts, numbers: dict[str, int]) -> Numbers:
    """Return six rows with one column per edge: head, tail, relation, and articles (all, seen, unseen)."""
    lists = batch.column("pmids")
    ends = lists.offsets.to_numpy()
    values = lists.values.to_numpy(zero_copy_only=False)[ends[0] : ends[-1]]
    starts = (ends[:-1] - ends[0]).astype(np.int64)
    names = {name: place for place, name in enumerate(RELATIONS)}
    return np.stack(
        [
            _numbered(batch.column("head"), numbers),
            _numbered(batch.column("tail"), numbers),
            _numbered(batch.column("relation"), names),
            np.diff(ends).astype(np.int64),
            np.add.reduceat((values <= cuts.seen_to).astype(np.int64), starts),
            np.add.reduceat((values >= cuts.unseen_from).astype(np.int64), starts),
        ]
    )


def _numbered(column: pa.Array, numbers: dict[str, int]) -> Numbers:
    """Return the number of each string. A string without a number gets the next free one."""
    coded = column.dictionary_encode()
    known = [numbers.setdefault(text, len(numbers)) for text in coded.dictionary.to_pylist()]
    found: Numbers = np.array(known, np.int64)[coded.indices.to_numpy(zero_copy_only=False)]
    return found


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
    _, place, count = np.unique(edges.pair[found], return_inverse=True, return_counts=True)
    kept = found[count[place] == 1]
    dropped = Dropped(len(labelled) - len(fresh), len(fresh) - len(found), (len(found) - len(kept)) // 2)
    label = (edges.relation[kept] == coded[1]).astype(np.int64)
    return Part(name, labels, edges.head[kept], edges.tail[kept], label, heads, tails, len(labelled), dropped)
