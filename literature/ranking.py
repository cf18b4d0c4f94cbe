"""Score the documents of a segment for a query: with NumPy at first, with compiled code once a process searches a lot.

Importing numba takes half a second, which a single command should not wait for. NumPy needs about 6 ns per posting and
reads every posting. The compiled kernel (`rank`) needs 1.5 ns and skips most postings of frequent terms by the
max-score method: a document that lacks the rare terms of a query cannot reach the best scores found so far (Turtle and
Flood, Query evaluation, 1995).
"""

from collections.abc import Sequence
from functools import cached_property, partial, reduce
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from groundwork.compiled import compiled
from literature import bm25
from literature.segment import LARGEST, Array, Bools, Floats, Ints, Segment

#: Finding one document among a term's postings costs as much as adding this many postings, because of cache misses.
_APART = 128


def _touch(place: int, part: float, scores: Floats, touched: Array, count: int) -> int:
    """Add `part` to the score of the document at `place`. Return how many documents have a score afterwards."""
    touched[count] = place
    count += (scores[place] == 0.0) & (part > 0.0)  # an `if` here would be slower: its result is hard to predict
    scores[place] += part
    return count


def _add_thing(
    documents: Array,
    kinds: Array,
    first: Ints,
    saturation: Floats,
    rows: Ints,
    weights: Floats,
    names: Ints,
    limit: int,
    scores: Floats,
    parts: Floats,
    best: Floats,
    touched: Array,
    count: int,
) -> int:
    """Add to each document's score the contribution of one thing (usually a concept; see `ranking.Query`).

    Each name of the thing has a score in the document; the contribution is the best of these scores. Documents with an
    index of `limit` or more are left out. Return how many documents have a score afterwards.
    """
    for name in range(len(names) - 1):
        for term in range(names[name], names[name + 1]):
            for at in range(first[rows[term]], first[rows[term] + 1]) if rows[term] >= 0 else range(0):
                parts[documents[at]] += weights[term] * saturation[kinds[at]]
        for term in range(names[name], names[name + 1]):
            for at in range(first[rows[term]], first[rows[term] + 1]) if rows[term] >= 0 else range(0):
                best[documents[at]] = max(best[documents[at]], parts[documents[at]])
                parts[documents[at]] = 0.0
    for term in range(names[0], names[-1]):
        for at in range(first[rows[term]], first[rows[term] + 1]) if rows[term] >= 0 else range(0):
            if documents[at] < limit:
                count = _touch(documents[at], best[documents[at]], scores, touched, count)
            best[documents[at]] = 0.0
    return count


def _within(documents: Array, low: int, stop: int, wanted: int) -> int:
    """Return the index in [low, stop) of the first posting with document `wanted` or a later one; `stop` if none."""
    while low < stop:
        middle = (low + stop) // 2
        if documents[middle] < wanted:
            low = middle + 1
        else:
            stop = middle
    return low


def _complete(
    documents: Array,
    kinds: Array,
    saturation: Floats,
    low: int,
    stop: int,
    weight: float,
    scores: Floats,
    places: Array,
) -> None:
    """Add a term's contribution to the scores of the documents at `places`, and possibly to other scores above 0."""
    if stop - low < _APART * len(places):
        for at in range(low, stop):
            scores[documents[at]] += weight * saturation[kinds[at]] * (scores[documents[at]] > 0.0)
        return
    for place in places:
        at = _within(documents, low, stop, place)
        if at < stop and documents[at] == place:
            scores[place] += weight * saturation[kinds[at]]


def _keep(places: Array, scores: Floats, hidden: Bools, least: float, kept: Array) -> int:
    """Store in `kept` the places of documents that are not hidden and score above `least`. Return their number."""
    count = 0
    for place in places:
        kept[count] = place
        count += (scores[place] > least) & (not hidden[place])
    return count


@compiled(_touch, _add_thing, _within, _complete, _keep)
def rank(
    documents: Array,
    kinds: Array,
    first: Ints,
    saturation: Floats,
    tops: Floats,
    rows: Ints,
    weights: Floats,
    names: Ints,
    things: Ints,
    hidden: Bools,
    limit: int,
    floor: float,
    scores: Floats,
    parts: Floats,
    best: Floats,
    touched: Array,
    places: Array,
    found: Floats,
) -> int:
    """Find the documents that are not hidden and have an index below `limit` and a score above `floor`.

    First, the contributions of the things (usually concepts; see `ranking.Query`) are added for all documents. Then the
    contributions of the text's terms are added, term by term: for all documents as long as the remaining terms alone
    could lift a document above the floor, and afterwards only for documents that can still exceed the floor.

    Returns:
        The number of documents found. Their indexes are at the start of `places`, their scores at the start of `found`.
    """
    count = 0
    for thing in range(len(things) - 1):
        of = names[things[thing] : things[thing + 1] + 1]
        count = _add_thing(
            documents, kinds, first, saturation, rows, weights, of, limit, scores, parts, best, touched, count
        )
    left = np.zeros(len(weights) + 1)
    for term in range(len(weights) - 1, names[-1] - 1, -1):
        left[term] = left[term + 1] + (weights[term] * tops[rows[term]] if rows[term] >= 0 else 0.0)
    term = names[-1]
    while left[term] > floor:
        for at in range(first[rows[term]], first[rows[term] + 1]) if rows[term] >= 0 else range(0):
            if documents[at] >= limit:
                break
            count = _touch(documents[at], weights[term] * saturation[kinds[at]], scores, touched, count)
        term += 1
    kept = _keep(touched[:count], scores, hidden, max(0.0, floor - left[term]), places)
    for later in range(term, len(weights)):
        if rows[later] >= 0:
            low, stop = first[rows[later]], first[rows[later] + 1]
            _complete(documents, kinds, saturation, low, stop, weights[later], scores, places[:kept])
            kept = _keep(places[:kept], scores, hidden, max(0.0, floor - left[later + 1]), places)
    for at in range(kept):
        found[at] = scores[places[at]]
    for place in touched[:count]:
        scores[place] = 0.0
    return kept


#: Number of postings after which loading the compiled code pays off.
MANY = 10_000_000

#: Scores that differ by less than this, relative to their size, may be ties. The limit is twice `bm25.PRECISION`.
_TIED = 2.0 * bm25.PRECISION

#: Number of documents of the first segment that are scored in full, to obtain a first lower limit of scores.
_FEW = 2_048


class Query(NamedTuple):
    """The terms of a query. A query consists of a text and of things (usually concepts) with alternative names.

    The score of a document is the sum of the scores of the text's terms and, for each thing, of its best-scoring name.

    Attributes:
        weights: The factor for the saturation of each term: first the terms of names, then the terms of the text. The
            terms of the text are in descending order of weight.
        names: For each name, the index in `weights` of its first term. The last entry is the index of the text's first
            term.
        things: For each thing, the index in `names` of its first name. The last entry is the number of all names.
    """

    weights: Floats
    names: Ints
    things: Ints


class Cut(NamedTuple):
    """The conditions under which documents of a segment are found.

    Attributes:
        limit: Only documents with an index in `Segment.pmids` below this number are found.
        hidden: Which documents of the segment are left out; None to leave out none.
        floor: Only documents with a score above this value, which is at least 0, are found.
        wanted: The number of best documents that must be found, together with all that tie with the last of them.
            Other documents may be left out.
    """

    limit: int
    hidden: Bools | None
    floor: float
    wanted: int


class Postings:
    """The postings of a segment, prepared for scoring.

    Args:
        segment: The segment.
        average: Mean length of the documents of the whole index.
        k1: See `bm25.saturation`.
        b: See `bm25.saturation`.

    Attributes:
        segment: The segment.
        saturation: The saturation of each kind of posting (see `Segment`).
    """

    def __init__(self, segment: Segment, average: float, k1: float, b: float) -> None:
        kinds = zip(segment.frequencies.tolist(), segment.lengths.tolist(), strict=True)
        parts = [bm25.saturation(frequency, length, average, k1, b) for frequency, length in kinds]
        self.segment = segment
        self.saturation: Floats = np.array(parts, dtype=np.float64)

    @cached_property
    def tops(self) -> Floats:
        """The largest saturation of each term.

        This property also checks the postings, because compiled code does not check the bounds of arrays.

        Raises:
            ValueError: The postings point beyond the segment, because its file was changed from outside.
        """
        first, documents, kinds = self.segment.first, self.segment.documents, self.segment.kinds
        ordered = first[0] == 0 and first[-1] == len(documents) == len(kinds) and bool((np.diff(first) >= 0).all())
        inside = documents.max(initial=0) < len(self.segment) and kinds.max(initial=0) < len(self.saturation)
        if not ordered or (len(documents) and not inside):
            raise ValueError("the postings of a segment refer to articles that it does not contain")
        tops: Floats = np.maximum.reduceat(self.saturation[kinds], first[:-1]) if len(kinds) else np.empty(0)
        return tops


class Scratch:
    """Working arrays for one segment, reused by later searches.

    Attributes:
        scores: The score of each document; 0 between searches.
        parts: For each document, the score of one name (a sum over its terms); 0 between uses.
        best: For each document, the largest score of all names of one thing (see `Query`); 0 between uses.
        touched: The documents whose scores are not 0.
        places: The places (indexes in `Segment.pmids`) of the documents found.
        found: The scores of the documents found.
        nothing: False for each document, as a mask that hides none.
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
    """Scores the documents of segments. All searches of a store share one ranker."""

    def __init__(self) -> None:
        self._added = 0
        self._spare: list[Scratch] = []

    def best(
        self,
        every: Sequence[Postings],
        rows: Sequence[Ints],
        query: Query,
        newest: int,
        k: int,
        hidden: Sequence[Bools | None],
    ) -> list[tuple[Segment, Ints, Floats]]:
        """Return the k best documents and all that tie with the last of them, as (segment, places, scores) per segment.

        Args:
            every: The postings of all segments.
            rows: For each segment, the row of each query term (see `Segment.rows`); -1 if the segment lacks the term.
            query: The query.
            newest: The largest PMID to include; it fits in 64 bits.
            k: The number of documents wanted.
            hidden: For each segment, which documents are left out; None to leave out none.

        Raises:
            ValueError: A segment was changed from outside.
            IndexError: A segment was changed from outside.
        """
        if self._added < MANY:
            self._added += sum(int(each.segment.holding(row).sum()) for each, row in zip(every, rows, strict=True))
        scratch = self._take_scratch() if self._added >= MANY else None
        found, best, floor = [], np.empty(0), 0.0
        for postings, row, masked in zip(every, rows, hidden, strict=True):
            limit = int(np.searchsorted(postings.segment.pmids, newest, "right"))
            if not limit:
                continue
            cut = Cut(limit, masked, floor, k)
            ranking = partial(rank_compiled, scratch) if scratch else rank_plain
            places, scores = ranking(postings, row, query, cut)
            if len(places):
                found.append((postings.segment, places, scores))
                best = np.concatenate([best[best > floor], scores])
                floor = max(floor, tied(best, k))
        if scratch:
            self._spare.append(scratch)
        return [(segment, places[scores >= floor], scores[scores >= floor]) for segment, places, scores in found]

    def _take_scratch(self) -> Scratch:
        try:  # `if` is not enough: another thread may take the last one
            return self._spare.pop()
        except IndexError:
            return Scratch()


def rank_plain(postings: Postings, rows: Ints, query: Query, cut: Cut) -> tuple[Ints, Floats]:
    """Score all postings of a segment with NumPy. Return the places and scores of documents that `cut` allows."""
    scores = _summed(postings, rows[query.names[-1] :], query.weights[query.names[-1] :])
    for begin, end in pairwise(query.things.tolist()):
        names = [slice(*query.names[name : name + 2].tolist()) for name in range(begin, end)]
        scores += np.maximum.reduce([_summed(postings, rows[name], query.weights[name]) for name in names])
    if cut.hidden is not None:
        scores[cut.hidden] = 0.0
    places = np.flatnonzero(scores[: cut.limit] > cut.floor)
    return places, scores[places]


def _summed(postings: Postings, rows: Ints, weights: Floats) -> Floats:
    """Return the BM25 score of every document of a segment for some terms with their weights."""
    segment = postings.segment
    spans = [slice(segment.first[row], segment.first[row + 1]) for row in rows.tolist() if row >= 0]
    if not spans:
        return np.zeros(len(segment))
    documents = np.concatenate([segment.documents[span] for span in spans])
    parts = postings.saturation[np.concatenate([segment.kinds[span] for span in spans])]
    parts *= np.repeat(weights, segment.holding(rows))
    scores: Floats = np.bincount(documents, parts, len(segment))  # type: ignore[assignment]  # float weights
    return scores


def rank_compiled(scratch: Scratch, postings: Postings, rows: Ints, query: Query, cut: Cut) -> tuple[Ints, Floats]:
    """Do the same as `rank_plain` with compiled code, and skip postings that cannot change the result.

    The documents are returned in no particular order.
    """
    segment = postings.segment
    held = segment.documents, segment.kinds, segment.first, postings.saturation, postings.tops
    hidden = scratch.nothing if cut.hidden is None else cut.hidden
    sums = scratch.scores, scratch.parts, scratch.best

    def found(limit: int, floor: float) -> int:
        return rank.fast(
            *held, rows, *query, hidden, limit, floor, *sums, scratch.touched, scratch.places, scratch.found
        )

    few = 0 if cut.floor else found(min(cut.limit, _FEW), 0.0)
    count = found(cut.limit, cut.floor or tied(scratch.found[:few], cut.wanted))
    return scratch.places[:count].astype(np.int64), scratch.found[:count].copy()


def tied(scores: Floats, k: int) -> float:
    """Return a lower limit of scores that keeps the k best and possible ties; 0 if fewer than k scores are positive."""
    scores = scores[scores > 0.0]
    if len(scores) < k:
        return 0.0
    return float(np.partition(scores, len(scores) - k)[-k]) * (1.0 - _TIED)


def holding_all(segment: Segment, things: Sequence[Sequence[Ints]]) -> Ints:
    """Return the places of the documents that hold, for each thing, all tokens of one of its names; ascending.

    Args:
        segment: The segment.
        things: For each thing and each of its names, the rows of the tokens; -1 if the segment lacks the token.
    """
    found = np.ones(len(segment), dtype=bool)
    for names in things:
        named = np.zeros(len(segment), dtype=bool)
        for rows in names:
            if (rows >= 0).all():
                spans = [_documents(segment, row) for row in sorted(rows.tolist(), key=segment.holding)]
                named[reduce(lambda kept, span: kept[_positions(span, kept)[1]], spans)] = True
        found &= named
    return np.flatnonzero(found)


def scores_at(postings: Postings, rows: Ints, weights: Floats, places: Ints) -> Floats:
    """Return the BM25 score of the documents at some places for the terms in some rows with their weights."""
    scores: Floats = np.zeros(len(places))
    for row, weight in zip(rows.tolist(), weights.tolist(), strict=True):
        if row >= 0:
            at, held = _positions(_documents(postings.segment, row), places.astype(np.uint16))
            kinds = postings.segment.kinds[postings.segment.first[row] + at[held]]
            scores[held] += weight * postings.saturation[kinds]
    return scores


def best_of(places: Ints, scores: Floats, k: int) -> tuple[Ints, Floats]:
    """Return the k best of some documents, given by ascending places, and all that may tie with the last of them.

    Of documents with the score 0 there are never more than k, those at the lowest places.
    """
    floor = tied(scores, k)
    kept = np.flatnonzero(scores >= floor) if floor else np.argsort(-scores, kind="stable")[:k]
    return places[kept], scores[kept]


def _documents(segment: Segment, row: int) -> Array:
    """Return the places of the documents that hold the term of a row, ascending (uint16)."""
    return segment.documents[segment.first[row] : segment.first[row + 1]]


def _positions(documents: Array, places: Array) -> tuple[Ints, Bools]:
    """Return the index of each place among documents, at least one in ascending order, and whether it is there."""
    at = np.minimum(np.searchsorted(documents, places), len(documents) - 1)
    return at, documents[at] == places
