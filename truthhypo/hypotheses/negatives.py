"""Choose unrelated pairs as in paper A: uniformly at random from all pairs of a task's concepts that have no edge."""

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truthhypo.hypotheses.partition import Part
from truthhypo.hypotheses.release import Edges, Numbers

#: If there are at most this many possible pairs, all of them are listed. Otherwise random pairs are tried until enough
#: of them have no edge.
_LISTED = 2_000_000
_ROUNDS = 200


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
