"""Simple paths between two concepts, with their probabilities and signs, in batches of numpy arrays.

Every pair of neighbouring concepts offers at most one *lane* a sign: the likeliest positive, negative and unsigned
edge between them. A path is a sequence of concepts with one lane chosen at each step, so a pair with several signs
makes several paths. Paths are never walked one by one: lanes from the head meet lanes to the tail by joins,

    1 hop  head-tail      2 hops  head-a-tail      3 hops  head-a-b-tail      4 hops  (head-a-b) joined (b-c-tail)

which costs by the number of paths, in blocks of bounded memory, also beside a hub of degree 7,000.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fuzzygraph.membership import Membership
from groundwork import chance
from groundwork.polarity import relation_sign
from groundwork.records import Link
from groundwork.vocabulary import CONTRADICTS, SIMILAR_TO

#: Rows of one block of joined paths, about 100 MB.
BLOCK = 1_000_000

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Signs = NDArray[np.int8]

#: Weaker than every lane.
_NO_LANE = (-1.0, False, "")


@dataclass(frozen=True, slots=True)
class Weights:
    """How likely an edge is.

    Attributes:
        membership: The form of mu.
        alpha: Scale of similarity edges and probability of `contradicts`, in (0, 1].
        tau_min: An edge is walked if its belief, or its mu before alpha, is at least this.
        syst: Systematic error in belief.
        rand: Random error in belief.
    """

    membership: Membership = field(default_factory=Membership)
    alpha: float = 0.9
    tau_min: float = 0.2
    syst: float = 0.05
    rand: float = 0.3

    def probability(self, link: Link) -> float | None:
        """Probability of an edge, None if it is too weak to be walked."""
        if link.kind == CONTRADICTS:
            return self.alpha
        if link.kind == SIMILAR_TO:
            mu = self.membership.mu(link.cosine or 0.0)
            return self.alpha * mu if mu >= self.tau_min else None
        belief = chance.belief(link.articles, self.syst, self.rand)
        return belief if belief >= self.tau_min else None


@dataclass(frozen=True, slots=True)
class Paths:
    """A block of paths of one length, one a row.

    Attributes:
        nodes: (rows, hops + 1) positions in the lanes' keys, from head to tail.
        edges: (rows, hops) edge probabilities.
        signs: (rows, hops) 1, -1, or 0 for an unsigned edge.
        similar: (rows, hops) whether the edge is a similarity edge.
    """

    nodes: Ints
    edges: Floats
    signs: Signs
    similar: Bools

    @classmethod
    def joined(cls, left: "Paths", right: "Paths", rows: Ints, columns: Ints) -> "Paths":
        """left[rows] continued by right[columns]; the shared concept stands once."""
        return cls(
            np.hstack([left.nodes[rows], right.nodes[columns, 1:]]),
            np.hstack([left.edges[rows], right.edges[columns]]),
            np.hstack([left.signs[rows], right.signs[columns]]),
            np.hstack([left.similar[rows], right.similar[columns]]),
        )

    @classmethod
    def stacked(cls, blocks: Iterable["Paths"], hops: int) -> "Paths":
        """Blocks of paths of that many hops as one."""
        parts = [cls.none(hops), *blocks]
        return cls(
            np.vstack([part.nodes for part in parts]),
            np.vstack([part.edges for part in parts]),
            np.vstack([part.signs for part in parts]),
            np.vstack([part.similar for part in parts]),
        )

    @classmethod
    def none(cls, hops: int) -> "Paths":
        """No paths of that many hops."""
        flat = np.zeros((0, hops))
        nodes = np.zeros((0, hops + 1), dtype=np.int64)
        return cls(nodes, flat, flat.astype(np.int8), flat.astype(np.bool_))

    def __getitem__(self, rows: Bools | Ints) -> "Paths":
        return Paths(self.nodes[rows], self.edges[rows], self.signs[rows], self.similar[rows])

    def __len__(self) -> int:
        return len(self.nodes)


@dataclass(frozen=True, slots=True)
class Lanes:
    """The lanes between concepts, both ways round.

    Attributes:
        keys: The concepts, ascending; positions elsewhere are into this.
        steps: Every lane as a path of one hop, by first concept, second concept, sign.
        kinds: The kind of link behind a lane, by (key, key, sign) with the keys ascending.
    """

    keys: tuple[str, ...]
    steps: Paths
    kinds: dict[tuple[str, str, int], str]


def lanes(links: Iterable[Link], weights: Weights) -> Lanes:
    """The likeliest edge of each sign between each two concepts, of those likely enough to be walked.

    Where a relation and a similarity edge of a pair are equally likely, the relation counts: it is evidence.
    Self-relations make no lane.
    """
    best: dict[tuple[str, str, int], tuple[float, bool, str]] = {}
    for link in links:
        probability = weights.probability(link)
        if probability is None or link.head == link.tail:
            continue
        similar = link.kind == SIMILAR_TO
        sign = 1 if similar else relation_sign(link.kind)
        lane = (min(link.head, link.tail), max(link.head, link.tail), sign)
        best[lane] = max(best.get(lane, _NO_LANE), (probability, not similar, link.kind))
    keys = tuple(sorted({key for head, tail, _ in best for key in (head, tail)}))
    place = {key: index for index, key in enumerate(keys)}
    rows = [(place[a], place[b], sign, p, relation) for (a, b, sign), (p, relation, _) in best.items()]
    rows += [(b, a, sign, p, relation) for a, b, sign, p, relation in rows]
    rows.sort()
    steps = Paths(
        np.array([row[:2] for row in rows], dtype=np.int64).reshape(-1, 2),
        np.array([row[3] for row in rows], dtype=np.float64).reshape(-1, 1),
        np.array([row[2] for row in rows], dtype=np.int8).reshape(-1, 1),
        np.array([not row[4] for row in rows], dtype=np.bool_).reshape(-1, 1),
    )
    return Lanes(keys, steps, {lane: kind for lane, (_, _, kind) in best.items()})


def simple_paths(lanes: Lanes, head: str, tail: str, hops: int) -> Iterator[Paths]:
    """Every simple path of 1 to `hops` hops from head to tail exactly once, in blocks.

    Shorter paths come first; paths of one length come in the order of their first lane (concept, then sign), then
    their second, and so on.

    Args:
        lanes: All lanes that can lie on such a path.
        head: Key to start from.
        tail: Key to end at; equal to head there is none.
        hops: 1 to 4.
    """
    place = {key: index for index, key in enumerate(lanes.keys)}
    if head == tail or head not in place or tail not in place:
        return
    start, end = place[head], place[tail]
    steps = lanes.steps
    first, second = steps.nodes[:, 0], steps.nodes[:, 1]
    yield steps[(first == start) & (second == end)]
    leaving = steps[(first == start) & (second != end)]
    arriving = steps[(second == end) & (first != start)]
    if hops >= 2:
        yield from _meet(leaving, arriving)
    if hops >= 3:
        between = steps[~np.isin(first, (start, end)) & ~np.isin(second, (start, end))]
        two_out = Paths.stacked(_meet(leaving, between), 2)
        yield from _meet(two_out, arriving)
        if hops >= 4:
            two_in = Paths.stacked(_meet(between, arriving), 2)
            for block in _meet(two_out, two_in):
                yield block[block.nodes[:, 1] != block.nodes[:, 3]]


def _meet(left: Paths, right: Paths) -> Iterator[Paths]:
    """Join paths where the left ones end and the right ones start; `right` in order of its first concept."""
    order = np.argsort(right.nodes[:, 0], kind="stable")
    starts = right.nodes[order, 0]
    low = np.searchsorted(starts, left.nodes[:, -1], side="left")
    counts = np.searchsorted(starts, left.nodes[:, -1], side="right") - low
    ends = np.cumsum(counts)
    done = 0
    while done < len(left):
        already = int(ends[done - 1]) if done else 0
        upto = max(done + 1, int(np.searchsorted(ends, already + BLOCK, side="right")))
        some = counts[done:upto]
        rows = np.repeat(np.arange(done, upto), some)
        within = np.arange(int(some.sum())) - np.repeat(np.cumsum(some) - some, some)
        columns = order[np.repeat(low[done:upto], some) + within]
        if len(rows):
            yield Paths.joined(left, right, rows, columns)
        done = upto
