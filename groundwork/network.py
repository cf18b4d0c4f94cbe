"""The links of a graph, or of a part of it, as arrays. Look-ups and path probabilities are computed on them.

An `ArticleMask` is the set of articles that do not count as support of edges, such as notices. Edges keep the PMIDs of
such articles, because digest, counts and receipts of a graph follow from its releases alone. Each look-up gets the mask
of the literature instead. Marks in the graph would depend on the loads of two stores.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

import numpy as np
import pyarrow as pa

from groundwork.records import Link
from groundwork.vocabulary import CONTRADICTS, SIMILAR_TO, canonical

Ints = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float64]]
Marks = np.ndarray[Any, np.dtype[np.int32]]
Bools = np.ndarray[Any, np.dtype[np.bool_]]

#: Links as a store returns them: the concepts `a` and `b` of a link are in any order, and a link may be repeated.
LINKS = pa.schema(
    [
        pa.field("a", pa.string(), nullable=False),
        pa.field("b", pa.string(), nullable=False),
        pa.field("kind", pa.string(), nullable=False),
        pa.field("articles", pa.int64(), nullable=False),  # distinct PMIDs up to the PMID cut; 0 if not a relation
        pa.field("cosine", pa.float64(), nullable=False),  # only similar_to has one; 0 otherwise
    ]
)
#: Distance given to concepts that are too far away to be on a path.
FAR = 1_000_000


@dataclass(frozen=True, slots=True)
class Wiring:
    """Links as arcs, sorted by the concept where they start. Each link gives two arcs, one in each direction.

    Attributes:
        first: Shape (concepts + 1): index of the first arc of each concept; the last entry is the number of all arcs.
            The arcs of one concept are sorted by target, then by kind.
        target: Per arc, the number of the concept that the arc leads to.
        link: Per arc, the index of the link that the arc belongs to.
    """

    first: Ints
    target: Marks
    link: Marks

    @classmethod
    def of(cls, size: int, a: Ints, b: Ints) -> "Wiring":
        """Build the arcs of links between `size` concepts.

        Args:
            size: Number of concepts.
            a: Per link, the number of one of its concepts.
            b: Per link, the number of the other concept. Links between the same concepts must be sorted by kind.
        """
        source = np.concatenate([a, b]).astype(np.int64)
        target = np.concatenate([b, a])
        order = np.argsort(source * size + target, kind="stable")
        first = np.zeros(size + 1, dtype=np.int64)
        np.cumsum(np.bincount(source, minlength=size), out=first[1:])
        link = np.concatenate([np.arange(len(a)), np.arange(len(a))])[order]
        return cls(first, target[order].astype(np.int32), link.astype(np.int32))

    @classmethod
    def of_sorted(cls, size: int, a: Marks, b: Marks) -> "Wiring":
        """Build the same arcs as `of` for links that are sorted by (a, b, kind), where each a is smaller than its b.

        The arcs of a concept to smaller numbers come before those to greater ones, and both are already in order. So
        only one of the two directions is sorted, which needs a third of the time and of the memory.
        """
        order = np.argsort(b, kind="stable").astype(np.int32)
        back, forth = (np.bincount(ends, minlength=size) for ends in (b, a))
        first = np.zeros(size + 1, dtype=np.int64)
        np.cumsum(back + forth, out=first[1:])
        target, link = (np.empty(2 * len(a), dtype=np.int32) for _ in range(2))
        places = np.arange(len(a)) + (np.cumsum(forth) - forth)[b[order]]
        target[places], link[places] = a[order], order
        places = np.arange(len(a)) + np.cumsum(back)[a]
        target[places], link[places] = b, np.arange(len(a))
        return cls(first, target, link)


@dataclass(frozen=True, slots=True)
class Network:
    """Distinct links between numbered concepts, sorted by (a, b, kind), without links from a concept to itself.

    Attributes:
        keys: Keys of the concepts in ascending order of code points, so a smaller number means a smaller key.
        kinds: Kinds of links, also in ascending order.
        a: Per link, the number of the concept with the smaller key.
        b: Per link, the number of the other concept.
        kind: Per link, the number of its kind.
        articles: Per link, the number of distinct PMIDs up to the PMID cut (`before`, see `groundwork.ports`). A
            relation with 0 articles does not exist under the cut.
        cosine: Per similarity link, the largest cosine over the embedding models.
        wiring: The same links as arcs; None if they have not been computed.
        logits: Per similarity link, the largest k (cosine - s0) over the embedding models, where k and s0 belong to a
            model (see `records.SimilaritySet`). None if k and s0 are the same for all models.
        degree: Per concept, the number of its relation links with other concepts in the whole graph, under the same
            PMID cut and mask. None if it was not counted.
    """

    keys: Sequence[str]
    kinds: tuple[str, ...]
    a: Ints
    b: Ints
    kind: Ints
    articles: Ints
    cosine: Floats
    wiring: Wiring | None = None
    logits: Floats | None = None
    degree: Ints | None = None

    @classmethod
    def of(cls, tables: Sequence[pa.Table], ends: Iterable[str]) -> "Network":
        """Build a network: number the concepts and remove duplicate links.

        Args:
            tables: Tables with the schema `LINKS`.
            ends: Keys that get a number even if no link touches them.
        """
        links = pa.concat_tables([pa.Table.from_batches([], LINKS), *tables])
        size = links.num_rows
        columns = [*links["a"].chunks, *links["b"].chunks, pa.array(list(ends), pa.string())]
        keys, numbers = _numbered(pa.chunked_array(columns, pa.string()))
        kinds, kind = _numbered(links["kind"])
        one, other = numbers[:size], numbers[size : 2 * size]
        a, b = np.minimum(one, other), np.maximum(one, other)
        articles = links["articles"].to_numpy().astype(np.int64)
        cosine = links["cosine"].to_numpy().astype(np.float64)
        # Of the rows of one link, the one with the largest cosine (or most articles) is sorted first and kept.
        order = np.lexsort((-articles, -cosine, kind, b, a))
        first = np.ones(size, dtype=bool)
        for column in (a, b, kind):
            column[:] = column[order]
        first[1:] = (a[1:] != a[:-1]) | (b[1:] != b[:-1]) | (kind[1:] != kind[:-1])
        first &= a != b
        return cls(keys, kinds, a[first], b[first], kind[first], articles[order][first], cosine[order][first])

    def number(self, key: str) -> int:
        """Return the number of a key, which must exist."""
        return bisect_left(self.keys, key)

    def place(self, key: str) -> int | None:
        """Return the number of a key; None if the network does not contain the key."""
        number = bisect_left(self.keys, key)
        return number if number < len(self.keys) and self.keys[number] == key else None

    def wired(self) -> Wiring:
        """Return the links as arcs."""
        return self.wiring or Wiring.of(len(self.keys), self.a, self.b)

    def within(self, head: str, tail: str, hops: int) -> "Network":
        """Return the links on walks of at most `hops` links between two concepts.

        A link between a and b, in either order, is on such a walk if d(head, a) + 1 + d(b, tail) <= hops. d is the
        distance in links. The result is exact if the network contains every link of the concepts that are fewer than
        hops / 2 links from head or tail.
        """
        near, far = self._distances(self.number(head)), self._distances(self.number(tail))
        one_way, other_way = near[self.a] + far[self.b], near[self.b] + far[self.a]
        return self.chosen(np.minimum(one_way, other_way) + 1 <= hops)

    def chosen(self, kept: Bools) -> "Network":
        """Return a network of some of the links; concepts keep their numbers."""
        return replace(
            self,
            a=self.a[kept],
            b=self.b[kept],
            kind=self.kind[kept],
            articles=self.articles[kept],
            cosine=self.cosine[kept],
            wiring=None,
            logits=None if self.logits is None else self.logits[kept],
        )

    def trimmed(self, *ends: str) -> "Network":
        """Return the same links without the concepts that no link touches. `ends` are kept; concepts are renumbered."""
        asked = np.array([self.number(end) for end in ends], dtype=np.int64)
        used = np.unique(np.concatenate([self.a, self.b, asked])).astype(np.int64)
        a, b = (np.searchsorted(used, each) for each in (self.a, self.b))
        keys, degree = tuple(self.keys[number] for number in used.tolist()), self.degree
        return replace(self, keys=keys, a=a, b=b, wiring=None, degree=None if degree is None else degree[used])

    def of_kind(self, *kinds: str) -> Bools:
        """Return a boolean per link: True if it is of one of these kinds."""
        table = np.array([kind in kinds for kind in self.kinds], dtype=bool)
        found: Bools = table[self.kind] if len(self.kind) else np.zeros(0, dtype=bool)
        return found

    def relation_degrees(self, chosen: Bools) -> Ints:
        """Return the number of relation links of each concept among the chosen links (one boolean per link)."""
        used, size = chosen & ~self.of_kind(SIMILAR_TO, CONTRADICTS), len(self.keys)
        return np.bincount(self.a[used], minlength=size) + np.bincount(self.b[used], minlength=size)

    def there(self) -> Bools:
        """Return a boolean per link: True for relations with articles, and for similarities and contradictions."""
        there: Bools = (np.asarray(self.articles) > 0) | self.of_kind(SIMILAR_TO, CONTRADICTS)
        return there

    def links(self) -> tuple[Link, ...]:
        """Return the links as records, ordered by (head, tail, kind). `vocabulary.canonical` says which end is head."""
        found = []
        columns = (self.a, self.b, self.kind, self.articles, self.cosine)
        for a, b, kind, articles, cosine in zip(*(column.tolist() for column in columns), strict=True):
            head, tail = canonical(self.keys[a], self.keys[b])
            name = self.kinds[kind]
            found.append(Link(head, tail, name, articles, cosine if name == SIMILAR_TO else None))
        return tuple(sorted(found, key=lambda link: (link.head, link.tail, link.kind)))

    def _distances(self, start: int) -> Ints:
        """Return the length of the shortest path from a concept to each concept: 0 to 3, or FAR if it is longer.

        On a path of at most 4 links, no link is more than 3 links away from an end of the path.
        """
        distance = np.full(len(self.keys), FAR, dtype=np.int64)
        distance[start] = 0
        for step in range(3):
            for one, other in ((self.a, self.b), (self.b, self.a)):
                met = other[distance[one] == step]
                distance[met] = np.minimum(distance[met], step + 1)
        return distance


def _numbered(column: pa.ChunkedArray) -> tuple[tuple[str, ...], Ints]:
    """Return the distinct texts in ascending order, and for each row the index of its text among them."""
    encoded = column.combine_chunks().dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    texts = encoded.dictionary.to_pylist()
    order = sorted(range(len(texts)), key=texts.__getitem__)
    rank = np.empty(len(texts), dtype=np.int64)
    rank[order] = np.arange(len(texts))
    return tuple(texts[i] for i in order), rank[encoded.indices.to_numpy().astype(np.int64)]


#: Number of PMIDs that `ArticleMask.places` compares at a time; these PMIDs fit into the cache of a processor.
_PAGE = 1 << 18
#: Smallest and largest size of the table in `ArticleMask.places`, and its size per masked PMID. All are powers of two.
#: Every PMID of PubMed has a place of its own in the largest table.
_SMALLEST, _LARGEST, _SPARSE = 1 << 16, 1 << 26, 64


@dataclass(frozen=True, slots=True, eq=False)
class ArticleMask:
    """Articles that do not count as support of edges. Masks of the same articles are equal.

    Attributes:
        pmids: The PMIDs of the articles, distinct and ascending.
        digest: A hash of the PMIDs, so that results can be cached by mask.
    """

    pmids: Ints
    digest: bytes

    @classmethod
    def of(cls, pmids: Iterable[int]) -> "ArticleMask":
        """Return the mask of some PMIDs, given in any order."""
        given = pmids if isinstance(pmids, np.ndarray) else list(pmids)
        ordered = np.sort(np.asarray(given, dtype=np.int64))
        distinct = ordered[np.diff(ordered, prepend=-1) != 0]  # `np.unique` is several times slower
        return cls(distinct, blake2b(distinct.tobytes(), digest_size=16).digest())

    def __len__(self) -> int:
        return len(self.pmids)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ArticleMask) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def left(self, pmids: Sequence[int] | Ints) -> tuple[int, ...]:
        """Return the given PMIDs without those of the mask, in the same order."""
        given = np.asarray(pmids, dtype=np.int64)
        return tuple(given[~self.hides(given)].tolist())

    def hides(self, pmids: Ints) -> Bools:
        """Return a boolean per PMID: True if the mask contains it."""
        if not len(self):
            return np.zeros(len(pmids), dtype=bool)
        nearest = np.minimum(np.searchsorted(self.pmids, pmids), len(self) - 1)
        hidden: Bools = self.pmids[nearest] == pmids
        return hidden

    def places(self, pmids: Ints) -> Ints:
        """Return the indexes of those of the given PMIDs that the mask contains, ascending.

        For many PMIDs, this is faster than `hides`: a table of the last bits of the masked PMIDs rejects nearly all
        others.
        """
        size = min(max(_SMALLEST, 1 << (_SPARSE * len(self)).bit_length()), _LARGEST)
        table = np.zeros(size, dtype=bool)
        table[self.pmids & (size - 1)] = True
        found = [np.zeros(0, dtype=np.int64)]
        for start in range(0, len(pmids) if len(self) else 0, _PAGE):
            page = pmids[start : start + _PAGE]
            likely = np.flatnonzero(table[page & (size - 1)])
            found.append(start + likely[self.hides(page[likely])])
        return np.concatenate(found)
