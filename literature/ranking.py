"""The scores of a segment's documents for a query: added up by NumPy at first, by compiled code where there is much.

Importing numba takes half a second, which one command shall not wait for. NumPy adds a posting in some 6 ns, whatever
the others are. Compiled code takes 1.5 ns, and leaves out most postings of frequent terms: a document that lacks the
rare terms of the query cannot reach the scores found so far (Turtle and Flood, Query evaluation, 1995: max-score).
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from groundwork.compiled import compiled
from literature import bm25
from literature.arrays import Array, Floats, Ints
from literature.segment import Segment

#: Postings after which compiled code is worth its start.
MANY = 10_000_000


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
    """

    limit: int
    without_retracted: bool
    floor: float


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
        retracted: The places of its retracted articles.
    """

    def __init__(self, segment: Segment, average: float, k1: float, b: float) -> None:
        kinds = zip(segment.frequencies.tolist(), segment.lengths.tolist(), strict=True)
        parts = [bm25.saturation(frequency, length, average, k1, b) for frequency, length in kinds]
        self.segment = segment
        self.saturation: Floats = np.array(parts, dtype=np.float64)
        self.retracted: Ints = np.flatnonzero(segment.retracted)
        self._checked = False

    def check(self) -> None:
        """Make sure that compiled code, which does not look where it writes, can go through them.

        Raises:
            ValueError: They point beyond the segment: its file was changed from outside.
        """
        if self._checked:
            return
        first, documents, kinds = self.segment.first, self.segment.documents, self.segment.kinds
        ordered = first[0] == 0 and first[-1] == len(documents) == len(kinds) and bool((np.diff(first) >= 0).all())
        inside = documents.max(initial=0) < len(self.segment) and kinds.max(initial=0) < len(self.saturation)
        if not ordered or (len(documents) and not inside):
            raise ValueError("the postings of a segment point beyond it")
        self._checked = True


class Ranker:
    """Scores the documents of segments; one serves all searches of a store."""

    def __init__(self) -> None:
        self._added = 0

    def rank(self, postings: Postings, spans: tuple[Ints, Ints], query: Query, cut: Cut) -> tuple[Ints, Floats]:
        """Return the places of the documents that may be found, ascending, and their scores.

        Args:
            postings: Of one segment.
            spans: Where the postings of each term of the query begin and end.
            query: The query.
            cut: Which documents may be found.

        Raises:
            ValueError: The segment was changed from outside.
            IndexError: The same.
        """
        self._added += int((spans[1] - spans[0]).sum())
        rank = rank_compiled if self._added >= MANY else rank_plain
        return rank(postings, spans, query, cut)


def rank_plain(postings: Postings, spans: tuple[Ints, Ints], query: Query, cut: Cut) -> tuple[Ints, Floats]:
    """See `Ranker.rank`: by NumPy, over all postings."""
    starts, stops = spans
    scores = _summed(postings, starts, stops, query.weights, slice(query.names[-1], None))
    for one, next_one in pairwise(query.things.tolist()):
        terms = [slice(*query.names[name : name + 2].tolist()) for name in range(one, next_one)]
        scores += np.maximum.reduce([_summed(postings, starts, stops, query.weights, each) for each in terms])
    if cut.without_retracted:
        scores[postings.retracted] = 0.0
    places = np.flatnonzero(scores[: cut.limit] > cut.floor)
    return places, scores[places]


def _summed(postings: Postings, starts: Ints, stops: Ints, weights: Floats, terms: slice) -> Floats:
    """BM25 of every document of a segment for some terms of a query."""
    ends = zip(starts[terms].tolist(), stops[terms].tolist(), strict=True)
    spans = [slice(start, stop) for start, stop in ends if start < stop]
    if not spans:
        return np.zeros(len(postings.segment))
    documents = np.concatenate([postings.segment.documents[span] for span in spans])
    parts = postings.saturation[np.concatenate([postings.segment.kinds[span] for span in spans])]
    parts *= np.repeat(weights[terms], stops[terms] - starts[terms])
    scores: Floats = np.bincount(documents, parts, len(postings.segment))  # type: ignore[assignment]  # weights are
    return scores


def rank_compiled(postings: Postings, spans: tuple[Ints, Ints], query: Query, cut: Cut) -> tuple[Ints, Floats]:
    """See `Ranker.rank`: by compiled code, which leaves out postings of documents that cannot be found."""
    postings.check()
    size = len(postings.segment)
    scores, places = np.zeros(size), np.empty(cut.limit, dtype=np.int64)
    parts, best = np.zeros((2, size if len(query.things) > 1 else 0))
    hidden = postings.retracted if cut.without_retracted else postings.retracted[:0]
    held = postings.segment.documents, postings.segment.kinds, postings.saturation, *spans
    _things.fast(*held, *query, scores, parts, best)
    found = _text.fast(*held, query.weights, int(query.names[-1]), hidden, cut.floor, scores, places)
    return places[:found], scores[places[:found]]


@compiled()
def _things(
    documents: Array,
    kinds: Array,
    saturation: Floats,
    starts: Ints,
    stops: Ints,
    weights: Floats,
    names: Ints,
    things: Ints,
    scores: Floats,
    parts: Floats,
    best: Floats,
) -> None:
    """Add what the best name of each thing gives to the scores; `parts` and `best` are 0 before and after."""
    for thing in range(len(things) - 1):
        for name in range(things[thing], things[thing + 1]):
            for term in range(names[name], names[name + 1]):
                for at in range(starts[term], stops[term]):
                    parts[documents[at]] += weights[term] * saturation[kinds[at]]
            for term in range(names[name], names[name + 1]):
                for at in range(starts[term], stops[term]):
                    best[documents[at]] = max(best[documents[at]], parts[documents[at]])
                    parts[documents[at]] = 0.0
        for term in range(names[things[thing]], names[things[thing + 1]]):
            for at in range(starts[term], stops[term]):
                scores[documents[at]] += best[documents[at]]
                best[documents[at]] = 0.0


def _within(documents: Array, low: int, stop: int, wanted: int) -> int:
    """The first of the postings from `low` to `stop` whose document is not before the wanted one."""
    step = 1
    while low + step < stop and documents[low + step] < wanted:
        low += step
        step *= 2
    high = min(low + step, stop)
    while low < high:
        middle = (low + high) // 2
        if documents[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@compiled(_within)
def _text(
    documents: Array,
    kinds: Array,
    saturation: Floats,
    starts: Ints,
    stops: Ints,
    weights: Floats,
    term: int,
    hidden: Ints,
    floor: float,
    scores: Floats,
    places: Ints,
) -> int:
    """Add the terms of the text to the scores, from number `term` on, and note the places of what may be found.

    A document is given up as soon as the terms that are left, each at the most that it can give, do not lift it above
    the floor. Its score is then not whole.
    """
    most = saturation.max() if len(saturation) else 0.0
    while term < len(weights) and most * weights[term:].sum() > floor:
        for at in range(starts[term], stops[term]):
            scores[documents[at]] += weights[term] * saturation[kinds[at]]
        term += 1
    for place in hidden:
        scores[place] = 0.0
    found, least = 0, max(0.0, floor - most * weights[term:].sum())
    for place in range(len(places)):
        if scores[place] > least:
            places[found] = place
            found += 1
    while term < len(weights):
        kept, least = 0, max(0.0, floor - most * weights[term + 1 :].sum())
        low = starts[term]
        for place in places[:found]:
            low = _within(documents, low, stops[term], place)
            if low < stops[term] and documents[low] == place:
                scores[place] += weights[term] * saturation[kinds[low]]
            if scores[place] > least:
                places[kept] = place
                kept += 1
        found = kept
        term += 1
    return found
