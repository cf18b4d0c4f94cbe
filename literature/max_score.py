"""The compiled kernel of searches: BM25 with max-score, which skips documents that cannot be among the best.

A document that lacks the rare terms of a query cannot reach the scores found so far (Turtle and Flood, Query
evaluation, 1995), so most postings of frequent terms are never added.
"""

import numpy as np

from groundwork.compiled import compiled
from literature.arrays import Array, Bools, Floats, Ints

#: Finding one document among the postings of a term costs as much as adding this many of them: it misses the cache.
_APART = 128


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
