"""A whole graph as arrays: its links with their evidence, laid out for walking.

Concepts are numbered by key. Links stand by (a, b, kind), first those between two concepts, then self-relations; the
PMIDs of each lie in a row, ascending. A look-up reads what lies around its concepts and nothing else.
"""

from bisect import bisect_left
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import numpy as np
import pyarrow as pa

from cypher.atlas.keys import Keys
from cypher.network import Reach
from groundwork.network import Bools, Floats, Ints, Marks, Network, Wiring
from groundwork.vocabulary import CONTRADICTS, SIMILAR_TO

N = TypeVar("N", np.int32, np.int64)


@dataclass(frozen=True, slots=True)
class Atlas:
    """The arrays.

    Attributes:
        keys: The concepts that have links, ascending.
        kinds: The kinds of link, ascending.
        a: Number of the end with the smaller key, one a link; self-relations come last.
        b: Number of the other end.
        kind: Number of the kind.
        cosine: The largest cosine over the models, for similarity links.
        row: (links + 1) where the PMIDs of each link begin.
        pmids: All PMIDs.
        first: See `network.Wiring`, as are target and link; without self-relations.
        target: The concept an arc leads to.
        link: The link it belongs to.
    """

    keys: Keys
    kinds: tuple[str, ...]
    a: Marks
    b: Marks
    kind: Marks
    cosine: Floats
    row: Ints
    pmids: Ints
    first: Ints
    target: Marks
    link: Marks

    @property
    def apart(self) -> int:
        """How many links are between two concepts."""
        return len(self.target) // 2

    def number(self, key: str) -> int | None:
        """Return the number of a key, None if it has no links."""
        number = bisect_left(self.keys, key)
        return number if number < len(self.keys) and self.keys[number] == key else None

    def articles(self, links: Ints | Marks, before: int | None) -> Ints:
        """Return the number of distinct PMIDs of some links under the cut.

        PMIDs are read only of links with PMIDs on both sides of the cut.
        """
        begin, end = self.row[links], self.row[links + 1]
        counts: Ints = end - begin
        if before is None or not len(self.pmids):
            return counts
        held = np.flatnonzero(counts)
        outside = self.pmids[begin[held]] > before
        counts[held[outside]] = 0
        parted = held[~outside & (self.pmids[end[held] - 1] > before)]
        sizes = counts[parted]
        owners = np.repeat(np.arange(len(parted)), sizes)
        inside = self.pmids[_ranges(begin[parted], sizes)] <= before
        counts[parted] = np.bincount(owners[inside], minlength=len(parted))
        return counts

    def region(self, start: int, end: int, hops: int, reach: Reach) -> "Region":
        """Return at least every link on a walk of at most `hops` links between two concepts.

        Args:
            start: Number of one concept.
            end: Number of the other concept.
            hops: 1 to 4.
            reach: Which links are walked.
        """
        links = self._between(start, end, hops)
        articles = self.articles(links, reach.before)
        there = self._there(links, articles, reach)
        links, articles = links[there], articles[there]
        a, b = self.a[links], self.b[links]
        nodes = _distinct(np.concatenate([a, b, np.array([start, end], dtype=np.int32)]))
        network = Network(
            Keys(self.keys.texts.take(pa.array(nodes))),
            self.kinds,
            np.searchsorted(nodes, a),
            np.searchsorted(nodes, b),
            self.kind[links].astype(np.int64),
            articles,
            self.cosine[links],
        )
        return Region(nodes, links, network, np.ones(len(links), dtype=bool))

    def whole(self, reach: Reach) -> "Region":
        """Return all links; concepts and links keep their numbers."""
        links, apart = np.arange(self.apart, dtype=np.int32), slice(0, self.apart)
        articles: Ints = np.diff(self.row[: self.apart + 1])
        if reach.before is not None:
            under = np.concatenate([[0], np.cumsum(self.pmids <= reach.before, dtype=np.int64)])
            articles = np.diff(under[self.row[: self.apart + 1]])
        network = Network(
            self.keys,
            self.kinds,
            cast("Ints", self.a[apart]),
            cast("Ints", self.b[apart]),
            cast("Ints", self.kind[apart]),
            articles,
            self.cosine[apart],
            Wiring(self.first, self.target, self.link),
        )
        nodes = np.arange(len(self.keys), dtype=np.int32)
        return Region(nodes, links, network, self._there(links, articles, reach))

    def steps(self, start: int, end: int, hops: int) -> int:
        """Return how many arcs are looked at to find a region."""
        sides = [self._size(np.array([node])) for node in (start, end)]
        if hops > 2:
            beyond = [self._size(_distinct(self.target[self._arcs(np.array([node]))])) for node in (start, end)]
            sides += beyond if hops == 4 else [min(beyond)]
        return sum(sides)

    def degrees(self, nodes: Marks, reach: Reach) -> Ints:
        """Return to how many other concepts each concept is linked by each kind, as an array (concepts, kinds)."""
        sizes = self.first[nodes + 1] - self.first[nodes]
        links = self.link[_ranges(self.first[nodes], sizes)]
        owners = np.repeat(np.arange(len(nodes)), sizes)
        if reach.before is not None and len(self.pmids):
            first_pmid = self.pmids[np.minimum(self.row[links], len(self.pmids) - 1)]
            there = (first_pmid <= reach.before) | (self.row[links] == self.row[links + 1])
            links, owners = links[there], owners[there]
        counted = np.bincount(owners * len(self.kinds) + self.kind[links], minlength=len(nodes) * len(self.kinds))
        return counted.reshape(len(nodes), len(self.kinds))

    def newest(self, link: int, articles: int, most: int) -> tuple[int, ...]:
        """The newest PMIDs of a link, newest first.

        Args:
            link: Which.
            articles: How many of its PMIDs are under the cut.
            most: How many to give.
        """
        begin = int(self.row[link])
        found: list[int] = self.pmids[begin + max(articles - most, 0) : begin + articles][::-1].tolist()
        return tuple(found)

    def among(self, numbers: Ints) -> Ints:
        """Return the links with both ends among some concepts, self-relations included."""
        wanted = self._marked(numbers)
        arcs = self._arcs(numbers)
        links = _distinct(self.link[arcs[wanted[self.target[arcs]]]])
        first, stop = (
            np.searchsorted(self.a[self.apart :], numbers.astype(np.int32), side) for side in ("left", "right")
        )
        return np.concatenate([links, self.apart + _ranges(first, stop - first)])

    # -- within

    def _between(self, start: int, end: int, hops: int) -> Marks:
        """The links on walks of at most `hops` links between two concepts, and some beside them; ascending."""
        ends = np.array([start]), np.array([end])
        arcs = [self._arcs(node) for node in ends]
        beside = [_distinct(self.target[found]) for found in arcs]
        if hops == 3:  # a middle link joins a neighbour of one end to a neighbour of the other
            near, far = sorted(beside, key=self._size)
            arcs.append(self._towards(self._arcs(near), self._marked(far)))
        elif hops == 4:
            beyond = [self._arcs(nodes) for nodes in beside]
            for one, other in ((0, 1), (1, 0)):
                within_two = self._marked(beside[other]) | self._marked(self.target[beyond[other]])
                arcs.append(self._towards(beyond[one], within_two))
        return _distinct(self.link[np.concatenate(arcs)])

    def _arcs(self, nodes: Ints | Marks) -> Ints:
        """The arcs that leave some concepts."""
        return _ranges(self.first[nodes], self.first[nodes + 1] - self.first[nodes])

    def _size(self, nodes: Ints | Marks) -> int:
        """How many arcs leave some concepts."""
        return int((self.first[nodes + 1] - self.first[nodes]).sum())

    def _towards(self, arcs: Ints, marked: Bools) -> Ints:
        """Those of some arcs that lead to a marked concept."""
        return arcs[marked[self.target[arcs]]]

    def _marked(self, nodes: Ints | Marks) -> Bools:
        """Which concepts are among some."""
        marked = np.zeros(len(self.keys), dtype=bool)
        marked[nodes] = True
        return marked

    def _there(self, links: Marks, articles: Ints, reach: Reach) -> Bools:
        """Which of some links are walked: relations with articles under the cut, and of other kinds those asked for."""
        others = {SIMILAR_TO: reach.similar, CONTRADICTS: reach.contradicts}
        relations, walked = (
            np.array(each, dtype=bool)[self.kind[links]]
            for each in ([kind not in others for kind in self.kinds], [others.get(kind, False) for kind in self.kinds])
        )
        there: Bools = (relations & (articles > 0)) | walked
        return there


@dataclass(frozen=True, slots=True)
class Region:
    """Links of an atlas: those between two concepts and around them, with the concepts numbered anew; or all.

    Attributes:
        nodes: The number in the atlas of each concept of the network, ascending.
        links: The number in the atlas of each link of the network, ascending.
        network: The links.
        there: Which of the links are walked.
    """

    nodes: Marks
    links: Marks
    network: Network
    there: Bools


def _distinct(numbers: np.ndarray[Any, np.dtype[N]]) -> np.ndarray[Any, np.dtype[N]]:
    """Different whole numbers, ascending. Several times as fast as `np.unique`, which looks them up in a hash table."""
    found = np.sort(numbers)
    return found[np.concatenate([[True], found[1:] != found[:-1]])] if len(found) else found


def _ranges(begins: Ints, sizes: Ints) -> Ints:
    """The whole numbers of several ranges, one range after the other."""
    found: Ints = np.repeat(begins - np.cumsum(sizes) + sizes, sizes) + np.arange(int(sizes.sum()))
    return found
