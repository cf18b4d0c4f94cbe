"""Choose unrelated pairs: at random as in paper A, or such that they resemble the related pairs (mode `sound`).

Uniform pairs are drawn from all pairs of a task's concepts that have no edge. In the mode `sound`, each unrelated pair
is modelled on a related pair, its template. A concept in several related pairs is in half as many
unrelated pairs, so that its presence does not show the label. Of the concepts in only one related pair, about half are
replaced by twins, and the others are left out. A twin is a concept from outside the benchmark set. It has the same type
and the same kind (the first `leaks.KINDS` features) as the concept that it replaces, and its other features
(`leaks.TRAITS`) are similar. Then heads and tails are joined to pairs. The partner of each concept is as similar as
possible to the partner in the concept's template. No joined pair has an edge in the release.
"""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truthhypo.hypotheses.leaks import KINDS, Matrix
from truthhypo.hypotheses.release import Edges, Numbers, Part

#: If there are at most this many possible pairs, all of them are listed. Otherwise random pairs are tried until enough
#: of them have no edge.
_LISTED = 2_000_000
_ROUNDS = 200
#: A twin is chosen at random from this number of most similar concepts outside the set.
_NEAR = 32
#: Standard deviation of the noise on the logarithm of the joining costs. Without noise the set would leak: an unrelated
#: pair would be a copy of a related pair in the training data (AUROC .27 to .42 by gradient boosting, on a generated
#: release).
_BLUR = 1.0
#: Number of pairs joined at once. The time for joining grows with the cube of this number.
_AT_ONCE = 1500
#: Cost of a forbidden pair. All distances are small compared with this cost.
_FORBIDDEN = 1e9
_TURNS = 20


def uniform(edges: Edges, part: Part, wanted: int, rng: Generator) -> tuple[Numbers, Numbers]:
    """Return distinct unrelated pairs in random order. There are fewer than `wanted` if no more are found.

    Args:
        edges: The edges of the release. Pairs with an edge of any relation are not chosen.
        part: The task. The concepts are chosen from its `heads` and `tails`.
        wanted: Number of pairs.
        rng: Random generator.
    """
    if len(part.heads) * len(part.tails) <= _LISTED:
        heads, tails = np.repeat(part.heads, len(part.tails)), np.tile(part.tails, len(part.heads))
        order = rng.permutation(np.flatnonzero(unrelated(edges, heads, tails)))
        return _distinct(edges, heads[order], tails[order], wanted)
    heads = tails = np.empty(0, np.int64)
    for _ in range(_ROUNDS):
        heads = np.concatenate([heads, rng.choice(part.heads, 2 * wanted)])
        tails = np.concatenate([tails, rng.choice(part.tails, 2 * wanted)])
        free = unrelated(edges, heads, tails)
        heads, tails = _distinct(edges, heads[free], tails[free], wanted)
        if len(heads) == wanted:
            break
    return heads, tails


def unrelated(edges: Edges, heads: Numbers, tails: Numbers) -> NDArray[np.bool_]:
    """Return for each pair whether it has two different concepts without an edge between them."""
    free: NDArray[np.bool_] = (heads != tails) & ~np.isin(edges.pairs(heads, tails), edges.related)
    return free


def _distinct(edges: Edges, heads: Numbers, tails: Numbers, most: int) -> tuple[Numbers, Numbers]:
    """Return the first `most` distinct pairs. The order of the concepts in a pair is ignored in the comparison."""
    first = np.sort(np.unique(edges.pairs(heads, tails), return_index=True)[1])[:most]
    return heads[first], tails[first]


@dataclass(frozen=True, slots=True)
class Place:
    """One end of an unrelated pair.

    Attributes:
        template: Number of the related pair on which the unrelated pair is modelled.
        end: 0 for the head, 1 for the tail.
        concept: The concept at this end; -1 if a twin must still be chosen.
    """

    template: int
    end: int
    concept: int


def matched(edges: Edges, part: Part, wanted: int, traits: Matrix, rng: Generator) -> tuple[Numbers, Numbers]:
    """Return the heads and the tails of at most `wanted` unrelated pairs that resemble related pairs.

    Args:
        edges: The edges of the release.
        part: The task with its related pairs. If both concepts of a pair have the same type, their order must already
            be random.
        wanted: Number of pairs.
        traits: A row with the columns `leaks.TRAITS` for each concept of the release. Only the rows of the concepts
            in `part.heads` and `part.tails` are used.
        rng: Random generator.
    """
    ends = np.stack([part.head, part.tail])
    pool = np.union1d(part.heads, part.tails)
    kinds, scaled = traits[:, :KINDS], _scaled(traits[:, KINDS:], pool)
    places = _places(ends, rng)
    twins = _Twins(edges, np.setdiff1d(pool, ends), kinds, scaled)
    heads, tails = (
        _filled([place for place in places if place.end == end], ends[end], wanted, twins, rng) for end in (0, 1)
    )
    size = min(len(heads), len(tails))
    often = np.log(np.maximum(1, np.bincount(ends.ravel(), minlength=len(scaled))))  # related pairs with each concept
    look = np.hstack([3.0 * kinds, scaled, often[:, None]])
    joined = [
        _joined(edges, ends, heads[start:stop], tails[start:stop], look, rng)
        for start, stop in ((s, min(s + _AT_ONCE, size)) for s in range(0, size, _AT_ONCE))
    ]
    pairs = np.concatenate(joined, axis=1) if joined else np.empty((2, 0), np.int64)
    _, first = np.unique(edges.pairs(pairs[0], pairs[1]), return_index=True)
    pairs = pairs[:, np.sort(first)]
    return pairs[0], pairs[1]


def _places(ends: Numbers, rng: Generator) -> list[Place]:
    """Return the places in unrelated pairs, given the heads and tails of the related pairs.

    A concept in several related pairs gets half as many places; half a place is rounded up or down at random. A concept
    in only one related pair gets one place, which has the concept -1, because a twin is chosen for the place later.
    """
    held: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for template, pair in enumerate(ends.T.tolist()):
        for end, concept in enumerate(pair):
            held[concept].append((template, end))
    found: list[Place] = []
    for concept in sorted(held):
        spots = held[concept]
        if len(spots) == 1:
            found.append(Place(spots[0][0], spots[0][1], -1))
            continue
        half = len(spots) // 2 + int(len(spots) % 2 and rng.random() < 0.5)
        found += [Place(spots[at][0], spots[at][1], concept) for at in rng.permutation(len(spots))[:half]]
    return found


def _filled(places: list[Place], ends: Numbers, wanted: int, twins: "_Twins", rng: Generator) -> list[Place]:
    """Return at most `wanted` places. Places with a concept are taken first, then places for which a twin is chosen."""
    several = [place for place in places if place.concept >= 0]
    single = [place for place in places if place.concept < 0]
    chosen = [several[at] for at in rng.permutation(len(several))[:wanted]]
    for at in rng.permutation(len(single)):
        if len(chosen) >= wanted:
            break
        place = single[at]
        chosen.append(Place(place.template, place.end, twins.of(int(ends[place.template]), rng)))
    if len(chosen) < wanted:  # too few places, so concepts in several related pairs get more than half as many
        taken = {(place.template, place.end) for place in chosen}
        end = places[0].end if places else 0
        free = [t for t in range(len(ends)) if (t, end) not in taken]
        chosen += [
            Place(free[at], end, int(ends[free[at]])) for at in rng.permutation(len(free))[: wanted - len(chosen)]
        ]
    return [chosen[at] for at in rng.permutation(len(chosen))]


class _Twins:
    """The concepts outside the benchmark set that can replace a concept. Each is used at most once."""

    def __init__(self, edges: Edges, outside: Numbers, kinds: Matrix, scaled: Matrix) -> None:
        self._scaled = scaled
        types = np.unique(edges.types, return_inverse=True)[1]
        self._kind = np.unique(np.column_stack([types, kinds]), axis=0, return_inverse=True)[1].ravel()
        self._outside = {int(kind): outside[self._kind[outside] == kind] for kind in np.unique(self._kind[outside])}
        self._taken: set[int] = set()

    def of(self, concept: int, rng: Generator) -> int:
        """Return a similar unused concept of the same type and kind, or the given concept if no such one is left."""
        outside = self._outside.get(int(self._kind[concept]), np.empty(0, np.int64))
        apart = np.square(self._scaled[outside] - self._scaled[concept]).sum(axis=1)
        free = [twin for twin in outside[np.argsort(apart, kind="stable")].tolist() if twin not in self._taken][:_NEAR]
        if not free:
            return concept
        twin: int = free[int(rng.integers(len(free)))]
        self._taken.add(twin)
        return twin


def _joined(
    edges: Edges, ends: Numbers, heads: list[Place], tails: list[Place], look: Matrix, rng: Generator
) -> Numbers:
    """Join heads and tails to pairs. No pair has an edge in the release, and no pair is repeated.

    The partner of each concept resembles the partner in the concept's template. `look` has the features by which two
    concepts are compared, one row per concept.
    """
    from scipy.optimize import linear_sum_assignment

    head, tail = (np.array([place.concept for place in side], np.int64) for side in (heads, tails))
    of_head, of_tail = (np.array([place.template for place in side], np.int64) for side in (heads, tails))
    cost = _distances(look[ends[1][of_head]], look[tail]) + _distances(look[head], look[ends[0][of_tail]])
    cost *= np.exp(_BLUR * rng.standard_normal(cost.shape))
    every = np.repeat(head, len(tail)), np.tile(tail, len(head))
    cost[~unrelated(edges, *every).reshape(cost.shape)] = _FORBIDDEN
    for _ in range(_TURNS):
        row, column = linear_sum_assignment(cost)
        pairs = edges.pairs(head[row], tail[column])
        again = np.setdiff1d(np.arange(len(pairs)), np.unique(pairs, return_index=True)[1])
        again = again[cost[row[again], column[again]] < _FORBIDDEN]
        if not len(again):
            break
        cost[row[again], column[again]] = _FORBIDDEN
    fit = cost[row, column] < _FORBIDDEN
    return np.stack([head[row[fit]], tail[column[fit]]])


def _distances(a: Matrix, b: Matrix) -> Matrix:
    """Return the squared distance of each row of one matrix to each row of the other."""
    squares = np.square(a).sum(axis=1)[:, None] + np.square(b).sum(axis=1)[None, :]
    apart: Matrix = np.maximum(0.0, squares - 2.0 * a @ b.T)
    return apart


def _scaled(traits: Matrix, pool: Numbers) -> Matrix:
    """Scale each trait to mean 0 and standard deviation 1 over the concepts in `pool`."""
    deviation = traits[pool].std(axis=0)
    scaled: Matrix = (traits - traits[pool].mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
    return scaled
