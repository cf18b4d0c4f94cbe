"""Generate the content of a release: edges, each with its articles, and the changes of a successor."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from tests.performance.generator import edges as drawn
from tests.performance.generator import keys as named
from tests.performance.generator.edges import Edges
from tests.performance.generator.keys import Keys
from tests.performance.generator.mix import LAST_PMID, ROWS_PER_ARTICLE

_BLOCK = 1_000_000  # edges at a time; part of what a seed means, since a block is drawn at once


@dataclass(frozen=True)
class Recipe:
    """All parameters that determine a release.

    Attributes:
        evidence: Distinct (edge, PMID) of the first release.
        concepts: About how many concepts there are to relate.
        seed: Chance.
        changed: Share of its edges that a successor gives other PMIDs; None for the first release.
        removed: Share that the successor lacks.
        added: New edges of the successor, as a share of the first's.
    """

    evidence: int
    concepts: int
    seed: int
    changed: float | None = None
    removed: float = 0.0
    added: float = 0.0

    def rng(self, part: int) -> Generator:
        """A separate random generator for each part, so that a change of one part does not change the others."""
        return default_rng([self.seed, part])


@dataclass(frozen=True)
class Block:
    """Some edges with their articles.

    Attributes:
        start: Number of the first edge.
        lengths: Articles of each edge; 0 where the release lacks the edge.
        articles: Their numbers, edge after edge, ascending within one.
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
    """A release by its recipe. Memory: about 60 bytes an edge and 8 an article."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.keys: Keys = named.make(recipe.concepts, recipe.rng(0))
        # No edge holds more than a two-hundredth of a small release, else it alone would make the mix.
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
        # Of those with several articles, every other edge loses one; all others gain one.
        shortened = changed & (self._counts > 1) & (np.arange(len(order)) % 2 == 0)
        return Change(removed, shortened, changed & ~shortened)

    @cached_property
    def edges(self) -> Edges:
        """All edges, those that a successor removed among them: their blocks say that they have no articles."""
        new = self._new_counts
        if not len(new):
            return self.first
        taken = np.sort(self.first.codes(len(self.keys.keys)))
        return self.first + drawn.draw(self.keys, len(new), self.recipe.rng(5), taken)

    @cached_property
    def pmids(self) -> NDArray[np.int64]:
        """PMID of each article, ascending; those published after the first release come last."""
        count = self._old_articles + self._fresh
        gap = max(1, LAST_PMID // self._old_articles)
        return np.arange(count) * gap + 1 + self.recipe.rng(6).integers(0, gap, count)

    @cached_property
    def evidence(self) -> int:
        """Distinct (edge, PMID) of this release."""
        return sum(int(block.lengths.sum()) for block in self.blocks())

    def blocks(self) -> Iterator[Block]:
        """All edges with their articles, in order."""
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
        """Articles published since the first release."""
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
        # Inserted before anything is taken away, so that the places are still those of `ends`.
        articles = np.insert(block.articles, ends[grown], new)
        kept = np.insert(kept, ends[grown], True)
        return Block(block.start, np.where(removed, 0, block.lengths - shortened + grown), articles[kept])


def _spread(counts: NDArray[np.int64], articles: int, rng: Generator) -> NDArray[np.int64]:
    """Distinct, ascending articles for each edge: one from each of `count` stretches of equal width."""
    starts = np.cumsum(counts) - counts
    width = np.repeat(articles // counts, counts)
    place = np.arange(int(counts.sum())) - np.repeat(starts, counts)
    return place * width + (rng.random(len(width)) * width).astype(np.int64)
