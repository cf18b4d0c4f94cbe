"""The scores of a segment's documents for a query: added up by NumPy at first, by compiled code where there is much.

Importing numba takes half a second, which one command shall not wait for. NumPy adds a posting in some 6 ns, whatever
the others are. Compiled code takes 1.5 ns, and leaves out most postings of frequent terms: a document that lacks the
rare terms of the query cannot reach the scores found so far (Turtle and Flood, Query evaluation, 1995: max-score).
"""

from collections.abc import Sequence
from functools import cached_property, partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from groundwork.compiled import compiled
from literature import bm25
from literature.arrays import Array, Bools, Floats, Ints
from literature.segment import LARGEST, Segment

#: Postings after which compiled code is worth its start.
MANY = 10_000_000

#: Scores that differ by less, relative to their size, may be ties; a little more than `bm25.PRECISION`.
_TIED = 2.0 * bm25.PRECISION

#: Looking for one document among the postings of a term costs as much as adding so many of them: it misses the cache.
_APART = 128

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
            rank = partial(rank_compiled, scratch) if scratch else rank_plain
            places, scores = rank(postings, row, query, cut)
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
        return _rank.fast(
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


def _touch(place: int, part: float, scores: Floats, touched: Array, count: int) -> int:
    """Add a part to the score of a document; how many documents have scores then."""
    touched[count] = place
    count += (scores[place] == 0.0) & (part > 0.0)  # a branch would cost more than all else: no processor can guess it
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
    """Add to the scores what the best name of a thing gives; how many documents have scores then."""
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
    """The first of the postings from `low` to `stop` whose document is not before the wanted one."""
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
    """Add a term to the scores of some documents, at least."""
    if stop - low < _APART * len(places):
        for at in range(low, stop):
            scores[documents[at]] += weight * saturation[kinds[at]] * (scores[documents[at]] > 0.0)
        return
    for place in places:
        at = _within(documents, low, stop, place)
        if at < stop and documents[at] == place:
            scores[place] += weight * saturation[kinds[at]]


def _keep(places: Array, scores: Floats, hidden: Bools, least: float, kept: Array) -> int:
    """Note those of some places that are not hidden and have a score above the least; how many they are."""
    count = 0
    for place in places:
        kept[count] = place
        count += (scores[place] > least) & (not hidden[place])
    return count


@compiled(_touch, _add_thing, _within, _complete, _keep)
def _rank(
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
    """Find the documents before `limit` with a score above the floor: how many; `places` and `found` begin with them.

    Terms of the text are added as long as those that are left could lift a document above the floor that was not met
    before. Then a document is given up as soon as those that are left do not lift it above the floor.
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
