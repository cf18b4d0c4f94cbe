"""The state of an embedded index that a reader sees: the segments of one commit."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from literature import bm25, stored
from literature.arrays import Floats, Ints
from literature.manifest import Manifest
from literature.ranking import Postings, Query, Ranker
from literature.segment import UNDATED, Segment, hashes
from literature.store import RankedHit, rank
from literature.wording import Wording, factors

#: Number of PMIDs that are converted at a time.
PAGE = 100_000


class Place(NamedTuple):
    """The place of a document: its segment, and its number in the segment."""

    segment: Segment
    number: int

    @property
    def retracted(self) -> bool:
        """Whether the document is a retracted article."""
        return bool(self.segment.retracted[self.number])

    def title(self) -> str:
        """Return the document's title."""
        return self.segment.title(self.number)

    def fields(self) -> dict[str, Any]:
        """Return the document's stored fields."""
        return self.segment.source(self.number)


class View:
    """One committed state of an index. Later commits do not change it.

    Args:
        segments: The segments that the manifest lists.
        known: The manifest.
        k1: See `bm25.saturation`.
        b: See `bm25.saturation`.
        ranker: Scores the documents.

    Attributes:
        documents: The number of documents.
    """

    def __init__(self, segments: Sequence[Segment], known: Manifest, k1: float, b: float, ranker: Ranker) -> None:
        self.documents = known.documents
        self._segments = segments
        self._worded = sum(one.worded for one in known.segments)
        self._average = sum(one.tokens for one in known.segments) / max(1, self._worded)
        self._k1, self._b = k1, b
        self._ranker = ranker

    def best(self, wording: Wording, k: int, before: int | None, exclude_retracted: bool) -> list[RankedHit]:
        """Return the k best documents for a query, and all documents that tie with the last of them, in any order.

        Args:
            wording: The query.
            k: The number of documents wanted.
            before: The largest PMID to include; None for no limit.
            exclude_retracted: Leave out retracted articles.
        """
        if not wording or not self._worded:
            return []
        query, rows = self._query(wording)
        newest = stored.LARGEST_PMID if before is None else max(-1, min(before, stored.LARGEST_PMID))
        found = self._ranker.best(self._postings, rows, query, newest, k, unretracted=exclude_retracted)
        return [hit for each in found for hit in _found(*each)]

    def places(self, pmids: Iterable[int]) -> Iterator[tuple[int, Place]]:
        """Yield the PMID and the place of each document that has one of these PMIDs and is in the index."""
        known = {pmid for pmid in pmids if 0 <= pmid <= stored.LARGEST_PMID}
        wanted = np.array(sorted(known), dtype=np.int64)
        for segment in self._segments:
            for number in segment.places(wanted).tolist():
                yield int(segment.pmids[number]), Place(segment, number)

    def pmids(self) -> Iterator[int]:
        """Yield all PMIDs, ascending."""
        every = np.sort(np.concatenate([np.empty(0, dtype=np.int64), *(one.pmids for one in self._segments)]))
        for start in range(0, len(every), PAGE):
            yield from every[start : start + PAGE].tolist()

    def pmid_by_year(self, share: float) -> dict[int, int]:
        """See `LiteratureReader.pmid_by_year`."""
        empty = np.empty(0, dtype=np.int64)
        years = np.concatenate([empty, *(one.published() for one in self._segments)])
        pmids = np.concatenate([empty, *(one.pmids for one in self._segments)])[years != UNDATED]
        years = years[years != UNDATED]
        pmids = pmids[np.lexsort((pmids, years))]
        held, counts = np.unique(years, return_counts=True)
        first = np.cumsum(counts) - counts
        places = first + [rank(share, count) - 1 for count in counts.tolist()]
        return dict(zip(held.tolist(), pmids[places.astype(np.int64)].tolist(), strict=True))

    @cached_property
    def _postings(self) -> list[Postings]:
        return [Postings(segment, self._average, self._k1, self._b) for segment in self._segments]

    def _query(self, wording: Wording) -> tuple[Query, list[Ints]]:
        """Return the query with its weights, and the rows of its terms in each segment (see `Segment.rows`)."""
        names = [name for thing in wording.things for name in thing]
        tokens = [*(token for name in names for token in name), *wording.terms]
        terms = hashes(tokens)
        rows = [segment.rows(terms) for segment in self._segments]
        holding = np.sum([segment.holding(row) for segment, row in zip(self._segments, rows, strict=True)], axis=0)
        idf = [bm25.idf(self._worded, count) if count else 0.0 for count in holding.tolist()]
        weight = dict(zip(tokens, idf, strict=True)).__getitem__
        scaled = [factor for thing in wording.things for factor in factors(thing, weight)]
        named = [
            factor * n * weight(token) for factor, name in zip(scaled, names, strict=True) for token, n in name.items()
        ]
        text = np.array([times * weight(token) for token, times in wording.terms.items()])
        order = np.argsort(-text, kind="stable")
        order = order[text[order] > 0.0]
        kept = np.concatenate([np.arange(len(named)), len(named) + order])
        query = Query(
            np.concatenate([named, text[order]]),
            np.cumsum([0, *map(len, names)]),
            np.cumsum([0, *map(len, wording.things)]),
        )
        return query, [row[kept] for row in rows]


def _found(segment: Segment, places: Ints, scores: Floats) -> Iterator[RankedHit]:
    """Yield the documents found in a segment."""
    columns = scores, segment.pmids[places], segment.retracted[places], places
    for score, pmid, retracted, number in zip(*(column.tolist() for column in columns), strict=True):
        yield RankedHit(score, pmid, retracted, Place(segment, number))
