"""A whole graph as arrays: its links with their PMIDs, arranged for traversal.

Concepts are numbered in the order of their keys. First come the links between different concepts, then the
self-relations. Both are sorted by the numbers of the two ends and of the kind. The PMIDs of each link are contiguous
and ascending. A look-up reads only the data near its concepts.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast, overload

import numpy as np
import pyarrow as pa

from cypher.network import Reach
from groundwork.network import ArticleMask, Bools, Floats, Ints, Marks, Network, Wiring
from groundwork.vocabulary import CONTRADICTS, SIMILAR_TO


class Keys(Sequence[str]):
    """Texts in ascending order, in an Arrow array that may be memory-mapped."""

    def __init__(self, texts: pa.Array) -> None:
        self.texts = texts

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...
    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        found: str | list[str] = self.texts[at].to_pylist() if isinstance(at, slice) else self.texts[at].as_py()
        return found

    def __len__(self) -> int:
        return len(self.texts)

    def __iter__(self) -> Iterator[str]:
        return iter(self.texts.to_pylist())


def ranges(begins: Ints, sizes: Ints) -> Ints:
    """Return the whole numbers of several ranges, one range after the other."""
    found: Ints = np.repeat(begins - np.cumsum(sizes) + sizes, sizes) + np.arange(int(sizes.sum()))
    return found


#: All PMIDs of the atlas are compared with the mask once, when look-ups have compared this part of them one by one.
_SHARE = 4


class Shade:
    """Counts the masked PMIDs in ranges of the PMIDs of an atlas.

    The first look-ups compare only the PMIDs of their own links with the mask, so that a single look-up does not read
    the whole atlas. After many look-ups, the places of all masked PMIDs are found once and kept.

    Args:
        pmids: All PMIDs of the atlas.
        mask: The articles that do not count.
    """

    def __init__(self, pmids: Ints, mask: ArticleMask) -> None:
        self.mask = mask
        self._pmids = pmids
        self._compared = 0
        self._places: Ints | None = None

    def hidden(self, begin: Ints, end: Ints) -> Ints:
        """Return the number of masked PMIDs in each range of the PMIDs, from `begin` up to but not including `end`."""
        sizes = end - begin
        self._compared += int(sizes.sum())
        if self._places is None and self._compared * _SHARE > len(self._pmids):
            self._places = self.mask.places(self._pmids)
        if self._places is not None:
            found: Ints = np.searchsorted(self._places, end) - np.searchsorted(self._places, begin)
            return found
        hidden = self.mask.hides(self._pmids[ranges(begin, sizes)])
        passed = np.concatenate([[0], np.cumsum(hidden)])
        last = np.cumsum(sizes)
        counts: Ints = passed[last] - passed[last - sizes]
        return counts


N = TypeVar("N", np.int32, np.int64)


#: The kinds of links that are no relations.
_BESIDE = frozenset({SIMILAR_TO, CONTRADICTS})


@dataclass(frozen=True, slots=True)
class Atlas:
    """The arrays of an atlas, which is a copy of a whole graph. Self-relations come after all other links.

    Attributes:
        keys: Keys of the concepts that have links, ascending.
        kinds: The kinds of links, ascending.
        a: Per link, the number of the end with the smaller key.
        b: Per link, the number of the other end.
        kind: Per link, the number of its kind.
        cosine: Per link, the largest cosine over the models; 0 for links of other kinds than similarity.
        row: Shape (links + 1): index in `pmids` of the first PMID of each link.
        pmids: All PMIDs.
        first: Index of the first arc of each concept, as in `network.Wiring`. Self-relations have no arcs.
        target: The concept that an arc leads to.
        link: Index of the link that the arc belongs to.
        shade: The PMIDs that do not count; None if all count.
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
    shade: Shade | None = None

    def without(self, mask: ArticleMask) -> "Atlas":
        """Return the same atlas, in which the articles of a mask do not count. It shares the arrays of this atlas."""
        return replace(self, shade=Shade(self.pmids, mask))

    @property
    def apart(self) -> int:
        """Number of links whose two ends are different concepts."""
        return len(self.target) // 2

    @property
    def relations(self) -> Bools:
        """A boolean per link: True for relations, False for similarity and contradiction links."""
        return np.array([kind not in _BESIDE for kind in self.kinds], dtype=bool)[self.kind]

    @property
    def edge_counts(self) -> dict[str, int]:
        """The number of links of each relation."""
        counted = np.bincount(self.kind, minlength=len(self.kinds)).tolist()
        return {kind: links for kind, links in zip(self.kinds, counted, strict=True) if kind not in _BESIDE}

    def number(self, key: str) -> int | None:
        """Return the number of the concept with this key, or None if the concept has no links."""
        number = bisect_left(self.keys, key)
        return number if number < len(self.keys) and self.keys[number] == key else None

    def articles(self, links: Ints | Marks, before: int | None) -> Ints:
        """Return, for each of the given links, the number of distinct PMIDs up to `before` that count."""
        begin = self.row[links]
        under = self._under(links, before)
        return under if self.shade is None else under - self.shade.hidden(begin, begin + under)

    def region(self, start: int, end: int, hops: int, reach: Reach) -> "Region":
        """Return all links on walks of at most `hops` links between two concepts, and perhaps other links near them.

        Args:
            start: Number of one concept.
            end: Number of the other concept.
            hops: 1 to 4.
            reach: The kinds of links to use, and the largest PMID to use.
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
        """Return all links except self-relations. Concepts and links keep their numbers."""
        links, apart = np.arange(self.apart, dtype=np.int32), slice(0, self.apart)
        rows = self.row[: self.apart + 1]
        articles: Ints = np.diff(rows)
        if reach.before is not None:
            under = np.concatenate([[0], np.cumsum(self.pmids <= reach.before, dtype=np.int64)])
            articles = np.diff(under[rows])
        if self.shade is not None:
            articles = articles - self.shade.hidden(rows[:-1], rows[:-1] + articles)
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
        """Return the number of arcs that `region` examines for these arguments."""
        sides = [self._size(np.array([node])) for node in (start, end)]
        if hops > 2:
            beyond = [self._size(_distinct(self.target[self._arcs(np.array([node]))])) for node in (start, end)]
            sides += beyond if hops == 4 else [min(beyond)]
        return sum(sides)

    def degrees(self, nodes: Marks, reach: Reach) -> Ints:
        """Return the number of neighbours of each concept by kind of link, as an array of shape (concepts, kinds)."""
        sizes = self.first[nodes + 1] - self.first[nodes]
        links = self.link[ranges(self.first[nodes], sizes)]
        owners = np.repeat(np.arange(len(nodes)), sizes)
        if self.shade is not None:
            there = (self.articles(links, reach.before) > 0) | (self.row[links] == self.row[links + 1])
            links, owners = links[there], owners[there]
        elif reach.before is not None and len(self.pmids):
            first_pmid = self.pmids[np.minimum(self.row[links], len(self.pmids) - 1)]
            there = (first_pmid <= reach.before) | (self.row[links] == self.row[links + 1])
            links, owners = links[there], owners[there]
        counted = np.bincount(owners * len(self.kinds) + self.kind[links], minlength=len(nodes) * len(self.kinds))
        return counted.reshape(len(nodes), len(self.kinds))

    def newest(self, link: int, articles: int, before: int | None, most: int) -> tuple[int, ...]:
        """Return the newest PMIDs of a link that count, newest first.

        Args:
            link: Index of the link.
            articles: Number of PMIDs of the link up to `before` that count (see `articles`).
            before: Largest PMID to return; None for no limit.
            most: Maximum number of PMIDs to return.
        """
        counted = self.pmids[int(self.row[link]) : int(self.row[link + 1])]
        if before is not None:
            counted = counted[: int(np.searchsorted(counted, before, "right"))]
        if self.shade is not None and articles < len(counted):
            counted = counted[~self.shade.mask.hides(counted)]
        return tuple(counted[max(articles - most, 0) :][::-1].tolist())

    def among(self, numbers: Ints) -> Ints:
        """Return the links with both ends among some concepts, including self-relations."""
        wanted = self._marked(numbers)
        arcs = self._arcs(numbers)
        links = _distinct(self.link[arcs[wanted[self.target[arcs]]]])
        first, stop = (
            np.searchsorted(self.a[self.apart :], numbers.astype(np.int32), side) for side in ("left", "right")
        )
        return np.concatenate([links, self.apart + ranges(first, stop - first)])

    def find(self, one: int, other: int, kind: str) -> int | None:
        """Return the index of the link of a kind between two concepts, given by numbers; None if there is none."""
        a, b = sorted((one, other))
        part = slice(self.apart, None) if a == b else slice(0, self.apart)
        begin = 0 if a != b else self.apart
        for column, value in ((self.a, a), (self.b, b), (self.kind, bisect_left(self.kinds, kind))):
            low, high = (int(np.searchsorted(column[part], value, side)) for side in ("left", "right"))
            begin, part = begin + low, slice(begin + low, begin + high)
        return begin if part.start < part.stop else None

    # -- private methods

    def _under(self, links: Ints | Marks, before: int | None) -> Ints:
        """Return, for each of the given links, the number of PMIDs up to `before`, whether they count or not.

        All PMIDs of a link are read only if some of them are at most `before` and others are greater.
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
        inside = self.pmids[ranges(begin[parted], sizes)] <= before
        counts[parted] = np.bincount(owners[inside], minlength=len(parted))
        return counts

    def _between(self, start: int, end: int, hops: int) -> Marks:
        """Return the indexes, in ascending order, of all links on walks of at most `hops` links between two concepts.

        Some links that are on no such walk may be included.
        """
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
        """Return the arcs that leave some concepts."""
        return ranges(self.first[nodes], self.first[nodes + 1] - self.first[nodes])

    def _size(self, nodes: Ints | Marks) -> int:
        """Return the number of arcs that leave some concepts."""
        return int((self.first[nodes + 1] - self.first[nodes]).sum())

    def _towards(self, arcs: Ints, marked: Bools) -> Ints:
        """Return the given arcs that lead to a marked concept."""
        return arcs[marked[self.target[arcs]]]

    def _marked(self, nodes: Ints | Marks) -> Bools:
        """Return a boolean per concept: True for the given ones."""
        marked = np.zeros(len(self.keys), dtype=bool)
        marked[nodes] = True
        return marked

    def _there(self, links: Marks, articles: Ints, reach: Reach) -> Bools:
        """Return a boolean per link: True for relations with articles, and for other kinds that `reach` includes."""
        others = {SIMILAR_TO: reach.similar, CONTRADICTS: reach.contradicts}
        relations, walked = (
            np.array(each, dtype=bool)[self.kind[links]]
            for each in ([kind not in others for kind in self.kinds], [others.get(kind, False) for kind in self.kinds])
        )
        there: Bools = (relations & (articles > 0)) | walked
        return there


@dataclass(frozen=True, slots=True)
class Region:
    """Some or all links of an atlas. If only links near two concepts are included, the concepts get new numbers.

    Attributes:
        nodes: For each concept of the network, its number in the atlas, ascending.
        links: For each link of the network, its index in the atlas, ascending.
        network: The links.
        there: A boolean per link: True if the look-up may use the link.
    """

    nodes: Marks
    links: Marks
    network: Network
    there: Bools


def _distinct(numbers: np.ndarray[Any, np.dtype[N]]) -> np.ndarray[Any, np.dtype[N]]:
    """Return the distinct numbers, ascending; several times faster than `np.unique`, which uses a hash table."""
    found = np.sort(numbers)
    return found[np.concatenate([[True], found[1:] != found[:-1]])] if len(found) else found
