"""The compiled kernel of searches: BM25 with the max-score method, which skips documents that cannot be among the best.

A document that lacks the rare terms of a query cannot reach the best scores found so far (Turtle and Flood, Query
evaluation, 1995). Most postings of frequent terms are therefore never added.
"""

import numpy as np

from groundwork.compiled import compiled
from literature.arrays import Array, Bools, Floats, Ints

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
