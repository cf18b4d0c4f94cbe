"""Generate the content of a release: concepts, edges, each with its articles, and the changes of a successor.

The generator uses no code of the rooms, so its account of a file can test them. The mix is that of the real bulk file:
which relations, between which types, with how much evidence. The number of rows of each relation is NCBI's (39.2-40.4
million rows). The split of a relation over pairs of types follows the rule by which PubTator names relations (a
chemical with a negative correlation to a disease treats it). If this rule leaves a choice, the split is our own. Rows
with a variant are 2.8 %, as in the file.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

#: Entity types in canonical order, with their share of the concepts (our choice).
TYPE_SHARES = {"Chemical": 0.25, "Disease": 0.15, "Gene": 0.45, "Variant": 0.15}
#: (relation, type, type) -> rows, in thousands.
ROWS = {
    ("associate", "Chemical", "Chemical"): 500,
    ("associate", "Chemical", "Disease"): 4400,
    ("associate", "Chemical", "Gene"): 3500,
    ("associate", "Chemical", "Variant"): 50,
    ("associate", "Disease", "Gene"): 6500,
    ("associate", "Disease", "Variant"): 750,
    ("associate", "Gene", "Gene"): 3000,
    ("associate", "Variant", "Variant"): 100,
    ("treat", "Chemical", "Disease"): 7400,
    ("negative_correlate", "Chemical", "Chemical"): 900,
    ("negative_correlate", "Chemical", "Gene"): 2200,
    ("negative_correlate", "Gene", "Gene"): 995,
    ("negative_correlate", "Variant", "Variant"): 5,
    ("cause", "Chemical", "Disease"): 3650,
    ("cause", "Disease", "Variant"): 150,
    ("positive_correlate", "Chemical", "Chemical"): 500,
    ("positive_correlate", "Chemical", "Gene"): 1500,
    ("positive_correlate", "Gene", "Gene"): 1495,
    ("positive_correlate", "Variant", "Variant"): 5,
    ("stimulate", "Disease", "Gene"): 770,
    ("stimulate", "Chemical", "Variant"): 20,
    ("inhibit", "Disease", "Gene"): 610,
    ("inhibit", "Chemical", "Variant"): 20,
    ("cotreat", "Chemical", "Chemical"): 570,
    ("compare", "Chemical", "Chemical"): 540,
    ("interact", "Chemical", "Gene"): 70,
    ("interact", "Gene", "Gene"): 200,
    ("prevent", "Disease", "Variant"): 34,
    ("drug_interact", "Chemical", "Chemical"): 8,
}
RELATIONS = tuple(sorted({relation for relation, _, _ in ROWS}))
#: Mean number of rows of an article (40 million rows over 9.9 million PMIDs), and the largest PMID of a release.
ROWS_PER_ARTICLE = 4.05
LAST_PMID = 40_000_000
#: The number of PMIDs of an edge is floor(U^(-1/TAIL)), with mean 3.3 and median 1, and at most MOST_PMIDS.
TAIL = 1.36
MOST_PMIDS = 27_255
#: The concept at rank r of its type is drawn with weight (r + HEAD)^-SLOPE. The largest degree is in the thousands.
SLOPE = 0.7
HEAD = 5
#: Ids that the real file has under two types.
_TWO_TYPES = (562477, 564403, 536778)
_VARIANT_FORMS = (
    ("SNP", "RS#:{n}"),
    ("ProteinMutation", "RS#:{n};HGVS:p.R{s}H;CorrespondingGene:{g}"),
    ("DNAMutation", "RS#:{n};HGVS:c.{s}G>A;CorrespondingGene:{g}"),
    ("DNAMutation", "HGVS:c.{n}A>G;CorrespondingGene:{g}"),
    ("DNAMutation", "HGVS:c.{n}_{n}+3delAC,TG-5;CorrespondingGene:{g}"),
    ("ProteinMutation", "HGVS:p.V{n}E"),
    ("SNP", "RS#:{n};CorrespondingGene:{g}"),
    ("Mutation", "Chr8:{n}-18804898del"),
)
_ROUNDS = 60  # how often a class of pairs is drawn again before it counts as exhausted
_SELF = 16  # a pair of a concept with itself is kept for every sixteenth concept
_BLOCK = 1_000_000  # edges drawn at a time; another number gives another release for the same seed


@dataclass(frozen=True)
class Keys:
    """Concepts by number. The numbers are in canonical order, so of two ends the one with the lower number comes first.

    Attributes:
        keys: `Type|ID`, unescaped.
        families: Family -> the numbers of its concepts, the most connected first.
    """

    keys: tuple[str, ...]
    families: dict[str, NDArray[np.int64]]

    @cached_property
    def written(self) -> tuple[str, ...]:
        """The keys as they stand in the file, with HTML entities."""
        return tuple(key.replace(">", "&gt;") for key in self.keys)

    @cached_property
    def string_order(self) -> NDArray[np.int64]:
        """Rank of each concept by the string of its written key."""
        place = np.empty(len(self.keys), np.int64)
        place[sorted(range(len(self.keys)), key=self.written.__getitem__)] = np.arange(len(self.keys))
        return place

    def draw(self, family: str, count: int, rng: Generator) -> NDArray[np.int64]:
        """Draw concepts of a family by the power law."""
        members = self.families[family]
        weights = np.cumsum((np.arange(len(members)) + float(HEAD)) ** -SLOPE)
        return members[np.searchsorted(weights, rng.random(count) * weights[-1], side="right")]


def make(count: int, rng: Generator) -> Keys:
    """Return about `count` concepts, at least ten of each family."""
    sizes = {family: max(10, round(count * share)) for family, share in TYPE_SHARES.items()}
    found = [(0, f"MESH:{_mesh(n)}", "Chemical") for n in _numbers(sizes["Chemical"], 1_000_000, rng)]
    found += [(1, _disease(n), "Disease") for n in _numbers(sizes["Disease"], 1_000_000, rng)]
    found += [(2, str(n), "Gene") for n in _distinct_keys(sizes["Gene"], 100_000_000, rng)]
    found += [(3, *_variant(n, rng)) for n in _distinct_keys(sizes["Variant"], 100_000_000, rng)]
    ranked = sorted(found)
    families = {
        family: rng.permutation([number for number, (rank, _, _) in enumerate(ranked) if rank == place])
        for place, family in enumerate(TYPE_SHARES)
    }
    return Keys(tuple(f"{kind}|{ident}" for _, ident, kind in ranked), families)


def _numbers(count: int, below: int, rng: Generator) -> list[int]:
    """Return distinct numbers, among them the ids that two types share."""
    others = [n for n in _distinct_keys(count, below, rng) if n not in _TWO_TYPES]
    return [*_TWO_TYPES, *others][:count]


def _distinct_keys(count: int, below: int, rng: Generator) -> list[int]:
    """Return distinct numbers from 1 to `below` - 1, in random order."""
    found = np.empty(0, np.int64)
    while len(found) < count:
        found = np.unique(np.concatenate([found, rng.integers(1, below, 2 * count)]))
    return rng.permutation(found)[:count].tolist()


def _mesh(n: int) -> str:
    return (f"C{n:06}", f"D{n:06}", f"D{n:09}")[0 if n in _TWO_TYPES else n % 3]


def _disease(n: int) -> str:
    return f"OMIM:{n:06}" if n % 4 == 0 and n not in _TWO_TYPES else f"MESH:{_mesh(n)}"


def _variant(n: int, rng: Generator) -> tuple[str, str]:
    kind, form = _VARIANT_FORMS[int(rng.integers(len(_VARIANT_FORMS)))]
    return form.format(n=n, s=int(rng.integers(1, 2000)), g=int(rng.integers(1, 30_000))), kind


@dataclass(frozen=True)
class Edges:
    """Edges as columns.

    Attributes:
        head: Number of the canonical first concept.
        tail: Number of the other.
        relation: Place in `RELATIONS`.
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
        parts.append(_distinct_edges(keys, place, (first, second), int(wanted), rng, taken))
    codes = rng.permutation(np.concatenate(parts))
    pairs = codes % (size * size)
    return Edges(
        (pairs // size).astype(np.int32), (pairs % size).astype(np.int32), (codes // (size * size)).astype(np.int8)
    )


def _distinct_edges(
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
        self.keys: Keys = make(recipe.concepts, recipe.rng(0))
        # No edge holds more than a two-hundredth of a small release. Otherwise one edge could dominate the mix.
        self._most = max(1, recipe.evidence // 200)
        self._counts = counts_for(recipe.evidence, self._most, recipe.rng(1))
        self.first: Edges = draw(self.keys, len(self._counts), recipe.rng(2))
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
        return self.first + draw(self.keys, len(new), self.recipe.rng(5), taken)

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
        return evidence_counts(count, self._most, self.recipe.rng(4))

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
