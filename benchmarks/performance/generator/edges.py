"""Generate edges: distinct (relation, pair) by the mix and the power law, and the number of PMIDs of each."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks.performance.generator.keys import Keys
from benchmarks.performance.generator.mix import MOST_PMIDS, RELATIONS, ROWS, TAIL

_ROUNDS = 60  # how often a class of pairs is drawn again before it counts as exhausted
_SELF = 16  # a pair of a concept with itself is kept for every sixteenth concept


@dataclass(frozen=True)
class Edges:
    """Edges as columns.

    Attributes:
        head: Number of the canonical first concept.
        tail: Number of the other.
        relation: Place in `mix.RELATIONS`.
    """

    head: NDArray[np.int32]
    tail: NDArray[np.int32]
    relation: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.head)

    def codes(self, concepts: int) -> NDArray[np.int64]:
        """Return one number per edge, from its relation, head and tail."""
        return (self.relation.astype(np.int64) * concepts + self.head) * concepts + self.tail

    def __add__(self, other: "Edges") -> "Edges":
        return Edges(
            np.concatenate([self.head, other.head]),
            np.concatenate([self.tail, other.tail]),
            np.concatenate([self.relation, other.relation]),
        )


def draw(keys: Keys, count: int, rng: Generator, taken: NDArray[np.int64] | None = None) -> Edges:
    """Return distinct edges in random order.

    Args:
        keys: The concepts.
        count: Number of edges.
        rng: Random generator.
        taken: Codes of edges that are not to be drawn.

    Raises:
        ValueError: There are not enough concepts for this many distinct edges.
    """
    size = len(keys.keys)
    shares = np.array(list(ROWS.values()), float)
    parts = []
    for (relation, first, second), wanted in zip(ROWS, rng.multinomial(count, shares / shares.sum()), strict=True):
        place = RELATIONS.index(relation)
        parts.append(_distinct(keys, place, (first, second), int(wanted), rng, taken))
    codes = rng.permutation(np.concatenate(parts))
    pairs = codes % (size * size)
    return Edges(
        (pairs // size).astype(np.int32), (pairs % size).astype(np.int32), (codes // (size * size)).astype(np.int8)
    )


def _distinct(
    keys: Keys, relation: int, families: tuple[str, str], count: int, rng: Generator, taken: NDArray[np.int64] | None
) -> NDArray[np.int64]:
    size = len(keys.keys)
    found = np.empty(0, np.int64)
    for _ in range(_ROUNDS):
        if len(found) >= count:
            return rng.permutation(found)[:count]
        ends = [keys.draw(family, count - len(found) + 100, rng) for family in families]
        low, high = np.minimum(*ends), np.maximum(*ends)
        fit = (low != high) | (low % _SELF == 0)
        codes = (relation * size + low[fit]) * size + high[fit]
        if taken is not None:
            codes = codes[~np.isin(codes, taken)]
        found = np.union1d(found, codes)
    raise ValueError(
        f"{count} distinct edges {RELATIONS[relation]} between {families[0]} and {families[1]} are not to be had "
        f"from {size} concepts; ask for more concepts or fewer rows"
    )


def evidence_counts(edges: int, most: int, rng: Generator) -> NDArray[np.int64]:
    """Return a number of PMIDs for each of so many edges, with a heavy tail."""
    drawn = np.floor((1.0 - rng.random(edges)) ** (-1.0 / TAIL))
    return np.minimum(drawn, max(1, min(most, MOST_PMIDS))).astype(np.int64)


def counts_for(rows: int, most: int, rng: Generator) -> NDArray[np.int64]:
    """Return numbers of PMIDs (at least 1) that add up to exactly `rows`."""
    counts = np.empty(0, np.int64)
    while counts.sum() < rows:
        counts = np.concatenate([counts, evidence_counts(1 + rows // 4, most, rng)])
    ends = np.cumsum(counts)
    last = int(np.searchsorted(ends, rows))
    counts = counts[: last + 1].copy()
    counts[-1] -= ends[last] - rows
    return counts
