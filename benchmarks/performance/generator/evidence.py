"""Generate the content of a release: edges, each with its articles, and the changes of a successor."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from benchmarks.performance.generator import edges as drawn
from benchmarks.performance.generator import keys as named
from benchmarks.performance.generator.edges import Edges
from benchmarks.performance.generator.keys import Keys
from benchmarks.performance.generator.mix import LAST_PMID, ROWS_PER_ARTICLE

_BLOCK = 1_000_000  # edges drawn at a time; another number gives another release for the same seed


@dataclass(frozen=True)
class Recipe:
    """All parameters that determine a release.

    Attributes:
        evidence: Number of distinct (edge, PMID) in the first release.
        concepts: Approximate number of concepts that may be related.
        seed: Seed of all random generators.
        changed: Share of the edges that get other PMIDs in the successor. None for the first release.
        removed: Share of the edges that the successor lacks.
        added: Number of new edges in the successor, as a share of the edges of the first release.
    """

    evidence: int
    concepts: int
    seed: int
    changed: float | None = None
    removed: float = 0.0
    added: float = 0.0

    def rng(self, part: int) -> Generator:
        """Return the random generator of a part. A change of one part does not change the others."""
        return default_rng([self.seed, part])


@dataclass(frozen=True)
class Block:
    """Some edges with their articles.

    Attributes:
        start: Number of the first edge.
        lengths: Number of articles of each edge, 0 if the release lacks the edge.
        articles: Numbers of these articles, edge after edge, ascending within each edge.
    """

    start: int
    lengths: NDArray[np.int64]
    articles: NDArray[np.int64]


@dataclass(frozen=True)
class Change:
    """The changes of a successor, as masks over the first release's edges. At most one is set for an edge."""

    removed: NDArray[np.bool_]
    shortened: NDArray[np.bool_]
    grown: NDArray[np.bool_]


class World:
    """A release made by its recipe. Memory: about 60 bytes for each edge and 8 for each article."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.keys: Keys = named.make(recipe.concepts, recipe.rng(0))
        # No edge holds more than a two-hundredth of a small release. Otherwise one edge could dominate the mix.
        self._most = max(1, recipe.evidence // 200)
        self._counts = drawn.counts_for(recipe.evidence, self._most, recipe.rng(1))
        self.first: Edges = drawn.draw(self.keys, len(self._counts), recipe.rng(2))
        self._old_articles = max(int(recipe.evidence / ROWS_PER_ARTICLE), int(self._counts.max()))

    @cached_property
    def change(self) -> Change | None:
        """The changes of the first release's edges; None if this is the first release."""
        recipe = self.recipe
        if recipe.changed is None:
            return None
        order = recipe.rng(3).permutation(len(self.first))
        ends = np.cumsum([round(len(order) * share) for share in (recipe.removed, recipe.changed)])
        removed, changed = np.zeros((2, len(order)), bool)
        removed[order[: ends[0]]] = True
        changed[order[ends[0] : ends[1]]] = True
        # Changed edges with several articles and an even number lose one article. All other changed edges gain one.
        shortened = changed & (self._counts > 1) & (np.arange(len(order)) % 2 == 0)
        return Change(removed, shortened, changed & ~shortened)

    @cached_property
    def edges(self) -> Edges:
        """All edges, also those that a successor removed. These have no articles in their blocks."""
        new = self._new_counts
        if not len(new):
            return self.first
        taken = np.sort(self.first.codes(len(self.keys.keys)))
        return self.first + drawn.draw(self.keys, len(new), self.recipe.rng(5), taken)

    @cached_property
    def pmids(self) -> NDArray[np.int64]:
        """PMID of each article, ascending. Articles published after the first release come last."""
        count = self._old_articles + self._fresh
        gap = max(1, LAST_PMID // self._old_articles)
        return np.arange(count) * gap + 1 + self.recipe.rng(6).integers(0, gap, count)

    @cached_property
    def evidence(self) -> int:
        """Number of distinct (edge, PMID) in this release."""
        return sum(int(block.lengths.sum()) for block in self.blocks())

    def blocks(self) -> Iterator[Block]:
        """Yield all edges with their articles, in order."""
        rng, fresh = self.recipe.rng(7), self.recipe.rng(8)
        for start in range(0, len(self.first), _BLOCK):
            counts = self._counts[start : start + _BLOCK]
            block = Block(start, counts, _spread(counts, self._old_articles, rng))
            yield block if self.change is None else self._changed(block, self.change, fresh)
        later = self.recipe.rng(9)
        for start in range(0, len(self._new_counts), _BLOCK):
            counts = self._new_counts[start : start + _BLOCK]
            articles = _spread(counts, self._old_articles + self._fresh, later)
            yield Block(len(self.first) + start, counts, articles)

    @cached_property
    def _new_counts(self) -> NDArray[np.int64]:
        count = round(len(self.first) * self.recipe.added)
        return drawn.evidence_counts(count, self._most, self.recipe.rng(4))

    @cached_property
    def _fresh(self) -> int:
        """Number of articles published since the first release."""
        if self.change is None:
            return 0
        return max(1, int((self.change.grown.sum() + self._new_counts.sum()) / ROWS_PER_ARTICLE))

    def _changed(self, block: Block, change: Change, rng: Generator) -> Block:
        span = slice(block.start, block.start + len(block.lengths))
        removed, shortened, grown = change.removed[span], change.shortened[span], change.grown[span]
        ends = np.cumsum(block.lengths)
        kept = np.repeat(~removed, block.lengths)
        kept[ends[shortened] - 1] = False
        new = self._old_articles + rng.integers(0, self._fresh, int(grown.sum()))
        # New articles are inserted before others are removed, because `ends` are places in the complete array.
        articles = np.insert(block.articles, ends[grown], new)
        kept = np.insert(kept, ends[grown], True)
        return Block(block.start, np.where(removed, 0, block.lengths - shortened + grown), articles[kept])


def _spread(counts: NDArray[np.int64], articles: int, rng: Generator) -> NDArray[np.int64]:
    """Return ascending articles for each edge: with n articles, one from each of n ranges of equal width."""
    starts = np.cumsum(counts) - counts
    width = np.repeat(articles // counts, counts)
    place = np.arange(int(counts.sum())) - np.repeat(starts, counts)
    return place * width + (rng.random(len(width)) * width).astype(np.int64)
