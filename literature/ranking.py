"""Score the documents of a segment for a query: with NumPy at first, with compiled code once a process searches much.

Importing numba takes half a second, which a single command should not wait for. NumPy adds a posting in about 6 ns,
whatever the others are. The compiled kernel (`max_score`) takes 1.5 ns and skips most postings of frequent terms.
"""

from collections.abc import Sequence
from functools import cached_property, partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from literature import bm25
from literature.arrays import Array, Bools, Floats, Ints
from literature.max_score import rank
from literature.segment import LARGEST, Segment

#: Postings after which compiled code is worth its start.
MANY = 10_000_000

#: Scores that differ by less, relative to their size, may be ties; a little more than `bm25.PRECISION`.
_TIED = 2.0 * bm25.PRECISION

#: So many documents of the first segment are scored in full, for a first floor.
_FEW = 2_048


class Query(NamedTuple):
    """What is added up for a document: the text's terms, and of each thing the name that gives most.

    Attributes:
        weights: What the saturation of each term is multiplied by: first the terms of names, then those of the text,
            these by falling weight.
        names: Where the terms of each name begin, and where those of the text do.
        things: Where the names of each thing begin, and where they end.
    """

    weights: Floats
    names: Ints
    things: Ints


class Cut(NamedTuple):
    """Which documents of a segment may be found.

    Attributes:
        limit: Those before this place.
        without_retracted: Retracted articles may not.
        floor: Those with a score above this one, which is at least 0.
        wanted: As many as this, the best ones, and their ties; others may be left out.
    """

    limit: int
    without_retracted: bool
    floor: float
    wanted: int


class Postings:
    """The postings of a segment, ready to be scored.

    Args:
        segment: The segment.
        average: Mean length of the documents of the whole index.
        k1: See `bm25.saturation`.
        b: See `bm25.saturation`.

    Attributes:
        segment: The segment.
        saturation: Of each kind of posting.
    """

    def __init__(self, segment: Segment, average: float, k1: float, b: float) -> None:
        kinds = zip(segment.frequencies.tolist(), segment.lengths.tolist(), strict=True)
        parts = [bm25.saturation(frequency, length, average, k1, b) for frequency, length in kinds]
        self.segment = segment
        self.saturation: Floats = np.array(parts, dtype=np.float64)

    @cached_property
    def tops(self) -> Floats:
        """The largest saturation of each term.

        They are found once it is known that compiled code, which does not look where it writes, can go through the
        postings.

        Raises:
            ValueError: The postings point beyond the segment: its file was changed from outside.
        """
        first, documents, kinds = self.segment.first, self.segment.documents, self.segment.kinds
        ordered = first[0] == 0 and first[-1] == len(documents) == len(kinds) and bool((np.diff(first) >= 0).all())
        inside = documents.max(initial=0) < len(self.segment) and kinds.max(initial=0) < len(self.saturation)
        if not ordered or (len(documents) and not inside):
            raise ValueError("the postings of a segment point beyond it")
        tops: Floats = np.maximum.reduceat(self.saturation[kinds], first[:-1]) if len(kinds) else np.empty(0)
        return tops


class Scratch:
    """Room for the numbers of one segment.

    Attributes:
        scores: Of each document, 0 but while it is used.
        parts: Of each document, what the terms of one name add up to; 0 but while it is used.
        best: Of each document, the most that a name gives; 0 but while it is used.
        touched: The documents whose scores are not 0.
        places: Of the documents found.
        found: Their scores.
        nothing: False for each document.
    """

    def __init__(self) -> None:
        room = LARGEST + 1
        self.scores: Floats = np.zeros(room)
        self.parts: Floats = np.zeros(room)
        self.best: Floats = np.zeros(room)
        self.touched: Array = np.zeros(room, dtype=np.uint16)
        self.places: Array = np.zeros(room, dtype=np.uint16)
        self.found: Floats = np.zeros(room)
        self.nothing: Bools = np.zeros(room, dtype=bool)


class Ranker:
    """Scores the documents of segments; one serves all searches of a store."""

    def __init__(self) -> None:
        self._added = 0
        self._spare: list[Scratch] = []

    def best(
        self, every: Sequence[Postings], rows: Sequence[Ints], query: Query, newest: int, k: int, *, unretracted: bool
    ) -> list[tuple[Segment, Ints, Floats]]:
        """The k best documents and all that tie with the last of them: for some segments their places and scores.

        Args:
            every: The postings of all segments.
            rows: In each segment the row of each term of the query, -1 where it has none.
            query: The query.
            newest: PMID cut, of 64 bits.
            k: How many are wanted.
            unretracted: Leave retracted articles out.

        Raises:
            ValueError: A segment was changed from outside.
            IndexError: The same.
        """
        if self._added < MANY:
            self._added += sum(int(each.segment.holding(row).sum()) for each, row in zip(every, rows, strict=True))
        scratch = self._borrowed() if self._added >= MANY else None
        found, best, floor = [], np.empty(0), 0.0
        for postings, row in zip(every, rows, strict=True):
            limit = int(np.searchsorted(postings.segment.pmids, newest, "right"))
            if not limit:
                continue
            cut = Cut(limit, unretracted, floor, k)
            ranking = partial(rank_compiled, scratch) if scratch else rank_plain
            places, scores = ranking(postings, row, query, cut)
            if len(places):
                found.append((postings.segment, places, scores))
                best = np.concatenate([best[best > floor], scores])
                floor = max(floor, tied(best, k))
        if scratch:
            self._spare.append(scratch)
        return [(segment, places[scores >= floor], scores[scores >= floor]) for segment, places, scores in found]

    def _borrowed(self) -> Scratch:
        try:  # not `if`: another thread may take the last one meanwhile
            return self._spare.pop()
        except IndexError:
            return Scratch()


def rank_plain(postings: Postings, rows: Ints, query: Query, cut: Cut) -> tuple[Ints, Floats]:
    """Return the places and scores of the documents of a segment that may be found: by NumPy, over all postings."""
    scores = _summed(postings, rows[query.names[-1] :], query.weights[query.names[-1] :])
    for begin, end in pairwise(query.things.tolist()):
        names = [slice(*query.names[name : name + 2].tolist()) for name in range(begin, end)]
        scores += np.maximum.reduce([_summed(postings, rows[name], query.weights[name]) for name in names])
    if cut.without_retracted:
        scores[postings.segment.retracted] = 0.0
    places = np.flatnonzero(scores[: cut.limit] > cut.floor)
    return places, scores[places]


def _summed(postings: Postings, rows: Ints, weights: Floats) -> Floats:
    """BM25 of every document of a segment for some terms, each with its weight."""
    segment = postings.segment
    spans = [slice(segment.first[row], segment.first[row + 1]) for row in rows.tolist() if row >= 0]
    if not spans:
        return np.zeros(len(segment))
    documents = np.concatenate([segment.documents[span] for span in spans])
    parts = postings.saturation[np.concatenate([segment.kinds[span] for span in spans])]
    parts *= np.repeat(weights, segment.holding(rows))
    scores: Floats = np.bincount(documents, parts, len(segment))  # type: ignore[assignment]  # weights are
    return scores


def rank_compiled(scratch: Scratch, postings: Postings, rows: Ints, query: Query, cut: Cut) -> tuple[Ints, Floats]:
    """The same by compiled code, which leaves out postings of documents that cannot be found, in any order."""
    segment = postings.segment
    held = segment.documents, segment.kinds, segment.first, postings.saturation, postings.tops
    hidden = segment.retracted if cut.without_retracted else scratch.nothing
    sums = scratch.scores, scratch.parts, scratch.best

    def found(limit: int, floor: float) -> int:
        return rank.fast(
            *held, rows, *query, hidden, limit, floor, *sums, scratch.touched, scratch.places, scratch.found
        )

    few = 0 if cut.floor else found(min(cut.limit, _FEW), 0.0)
    count = found(cut.limit, cut.floor or tied(scratch.found[:few], cut.wanted))
    return scratch.places[:count].astype(np.int64), scratch.found[:count].copy()


def tied(scores: Floats, k: int) -> float:
    """Return a floor that leaves the k best scores, and those that may be ties with them; 0 if fewer are positive."""
    scores = scores[scores > 0.0]
    if len(scores) < k:
        return 0.0
    return float(np.partition(scores, len(scores) - k)[-k]) * (1.0 - _TIED)
