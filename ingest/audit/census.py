"""The content of one release of relations, counted: edges, their articles, and the concepts that they join.

The engine (DuckDB) counts. Python receives one row per kind of edge and number of articles, and one row per entity type
and degree.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import ibis
from ibis.expr.types import BooleanValue, NumericValue, Table

from groundwork.records import Record
from groundwork.tables import rows_of
from groundwork.vocabulary import order
from ingest import identifiers, normalise
from ingest.diff import EDGE_KEY, difference
from ingest.engine import Engine, read
from ingest.receipt import Effect

_ROWS = 20_000  # rows read at a time

#: Relation names of documents that may occur with any pair of entity types. Any other name determines both types.
_NAMES = (identifiers.PLAIN.keys() - identifiers.COLUMN_TYPES.keys()) | identifiers.UNPAIRED.keys()


class Cell(NamedTuple):
    """A kind of edge: the entity types of its two concepts in canonical order, and its relation.

    The order does not depend on which concept is the head of the edge.
    """

    head: str
    relation: str
    tail: str

    @classmethod
    def of(cls, a: str, relation: str, b: str) -> "Cell":
        """Return the cell of an edge between types a and b. If both are variant types, they are ordered by name."""
        head, tail = sorted((a, b), key=lambda kind: order(f"{kind}|"))
        return cls(head, relation, tail)

    @property
    def expected(self) -> bool:
        """Whether the rules that name relations by the types of the two concepts (`predicates`) can give this cell."""
        return self.relation in {identifiers.rewritten_relation(name, self.head, self.tail) for name in _NAMES}


@dataclass(frozen=True, slots=True)
class Distribution(Record):
    """The distribution of a count, such as the number of edges per concept; all 0 if there is nothing to count.

    Each counted item has a count of at least 1. `p99` and `max` are the 99th percentile and the largest count. The
    percentile p is the smallest occurring count that at least p % of the items do not exceed.
    """

    mean: float
    median: int
    p99: int
    max: int

    @classmethod
    def of(cls, counts: Mapping[int, int]) -> "Distribution":
        """Return the distribution, given the number of items with each count."""
        n = sum(counts.values())
        mean = sum(value * things for value, things in counts.items()) / n if n else 0.0
        return cls(mean, *(_quantile(counts, percent) for percent in (50, 99, 100)))


@dataclass(frozen=True, slots=True)
class Span(Record):
    """The lowest and the highest PMID."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Census:
    """The content of a release of relations.

    Attributes:
        edges: The Parquet table that was counted.
        cells: Number of edges by cell; cells with 0 edges are left out.
        articles: For each number of PMIDs, the number of edges that have so many PMIDs.
        selves: Number of self-relations.
        pmids: Range of the PMIDs.
        types: For each entity type, the number of concepts with each degree. The degree is the number of edges at the
            concept; a self-relation counts once.
        degrees: A Parquet file with (key, degree) of all concepts.
    """

    edges: Path
    cells: Mapping[Cell, int]
    articles: Mapping[int, int]
    selves: int
    pmids: Span
    types: Mapping[str, Mapping[int, int]]
    degrees: Path

    @property
    def total(self) -> int:
        """Number of edges."""
        return sum(self.cells.values())

    @property
    def concepts(self) -> Mapping[int, int]:
        """For each degree, the number of concepts of all types that have this degree."""
        return sum((Counter(degrees) for degrees in self.types.values()), Counter())

    def relations(self) -> Mapping[str, int]:
        """Return the number of edges by relation, largest first."""
        found: Counter[str] = Counter()
        for cell, edges in self.cells.items():
            found[cell.relation] += edges
        return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def take(table: Path, engine: Engine, folder: Path) -> Census:
    """Count the content of a release.

    Args:
        table: The edges of the release (`tables.EDGES`), as Parquet.
        engine: Runs the counting.
        folder: An empty folder for intermediate files. Keep it while the census is used: `degrees` is a file in it.
    """
    edges = engine.table(table)
    cells: Counter[Cell] = Counter()
    articles: Counter[int] = Counter()
    selves, first, last = 0, [], []
    for row in collect(_kinds(edges), engine, folder / "kinds.parquet"):
        cells[Cell.of(row["head_type"], row["relation"], row["tail_type"])] += row["edges"]
        articles[row["articles"]] += row["edges"]
        selves += row["edges"] if row["loop"] else 0
        first.append(row["first"])
        last.append(row["last"])
    degrees = engine.write(_degrees(edges), folder / "degrees.parquet")
    types: dict[str, dict[int, int]] = {}
    for row in collect(_spread(engine.table(degrees)), engine, folder / "spread.parquet"):
        types.setdefault(row["type"], {})[row["degree"]] = row["concepts"]
    span = Span(min(first, default=0), max(last, default=0))
    return Census(table, cells, articles, selves, span, types, degrees)


def collect(table: Table, engine: Engine, file: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of an expression. Write them to `file` first, because `Engine.write` reports a lack of memory."""
    yield from rows_of(read(engine.write(table, file), _ROWS))


def cell_counts(edges: Table, engine: Engine, file: Path) -> Counter[Cell]:
    """Return the number of edges by cell."""
    counted = _typed(edges).group_by("head_type", "relation", "tail_type").agg(edges=ibis._.count())
    found: Counter[Cell] = Counter()
    for row in collect(counted, engine, file):
        found[Cell.of(row["head_type"], row["relation"], row["tail_type"])] += row["edges"]
    return found


def _typed(edges: Table) -> Table:
    ends = {"head_type": normalise.kind(edges["head"]), "tail_type": normalise.kind(edges["tail"])}
    return edges.mutate(**ends)


def _kinds(edges: Table) -> Table:
    """Return the number of edges and their PMID range, grouped by kind of edge and number of articles.

    Self-relations are grouped apart from other edges.
    """
    typed = _typed(edges)
    narrow = typed.select(
        "head_type",
        "relation",
        "tail_type",
        articles=typed.pmids.length(),
        loop=typed["head"] == typed["tail"],
        first=typed.pmids[0],
        last=typed.pmids[typed.pmids.length() - 1],
    )
    by = ("head_type", "relation", "tail_type", "articles", "loop")
    return narrow.group_by(*by).agg(edges=ibis._.count(), first=ibis._["first"].min(), last=ibis._["last"].max())


def _degrees(edges: Table) -> Table:
    others = edges.filter(edges["head"] != edges["tail"])
    ends = edges.select(key=edges["head"]).union(others.select(key=others["tail"]))
    return ends.group_by("key").agg(degree=ibis._.count())


def _spread(degrees: Table) -> Table:
    typed = degrees.select("degree", type=normalise.kind(degrees.key))
    return typed.group_by("type", "degree").agg(concepts=ibis._.count()).order_by("type", "degree")


def _quantile(counts: Mapping[int, int], percent: int) -> int:
    """Return the smallest value that at least `percent` % of the items do not exceed; 0 if there are no items.

    `counts` gives the number of items with each value.
    """
    n, passed = sum(counts.values()), 0
    for value in sorted(counts):
        passed += counts[value]
        if passed * 100 >= percent * n:
            return value
    return 0


@dataclass(frozen=True, slots=True)
class Move(Record):
    """The change of the number of edges of one relation, or of one relation between two types.

    Attributes:
        head: Entity type of one concept; "" stands for any type.
        relation: The relation.
        tail: Entity type of the other concept; "" stands for any type.
        before: Number of edges in the reference release, with which the audited release is compared.
        after: Number of edges in the audited release.
        added: Number of edges only in the audited release.
        changed: Number of edges in both releases, but with different PMIDs.
        removed: Number of edges only in the reference release.
        expected: `before`, multiplied by the typical growth of all cells (see the module docstring).
        relative: (`after` - `expected`) / `expected`; the divisor is at least 1.
    """

    head: str
    relation: str
    tail: str
    before: int
    after: int
    added: int
    changed: int
    removed: int
    expected: float
    relative: float


@dataclass(frozen=True, slots=True)
class TypeMove(Record):
    """Numbers of concepts of one entity type in the reference release (`before`) and in the audited release (`after`).

    after = before + new - lost.
    """

    type: str
    before: int
    after: int
    new: int
    lost: int


@dataclass(frozen=True, slots=True)
class Passage(Record):
    """A concept that is new or lost, and its degree in the release that contains it."""

    key: str
    name: str | None
    degree: int


@dataclass(frozen=True, slots=True)
class Movement(Record):
    """The differences of the audited release from the reference release, with which it is compared.

    Attributes:
        edges: The effect on edges, as `ingest diff` counts it.
        lost_edge_share: Share of the edges of the reference release that are gone.
        growth: Number of edges of the audited release divided by that of the reference release.
        typical_growth: The median growth of the cells, weighted by edges. It determines the expected numbers of edges.
        relations: Changes by relation, summed over all types.
        pairs: Changes by relation and the types of the two concepts.
        types: Numbers of concepts by type.
        new_concepts: Number of concepts that are only in the audited release.
        lost_concepts: Number of concepts that are gone.
        lost_concept_share: Share of the concepts of the reference release that are gone.
        new: New concepts with the highest degrees.
        lost: Lost concepts with the highest degrees.
        pmids: Range of the PMIDs in the reference release.
    """

    edges: Effect
    lost_edge_share: float
    growth: float
    typical_growth: float
    relations: tuple[Move, ...]
    pairs: tuple[Move, ...]
    types: tuple[TypeMove, ...]
    new_concepts: int
    lost_concepts: int
    lost_concept_share: float
    new: tuple[Passage, ...]
    lost: tuple[Passage, ...]
    pmids: Span


def measure(before: Census, after: Census, top: int, engine: Engine, folder: Path) -> Movement:
    """Compare two releases; the names of concepts are filled in later.

    Args:
        before: The reference release, with which the audited release is compared.
        after: The audited release.
        top: Largest number of concepts in each of the lists `new` and `lost`.
        engine: Runs the counting.
        folder: An empty folder for intermediate files.
    """
    delta = difference(before.edges, after.edges, EDGE_KEY, engine, folder)
    old, put = engine.table(before.edges), engine.table(delta.put)
    written = cell_counts(put, engine, folder / "written.parquet")
    added = cell_counts(put.anti_join(old, EDGE_KEY), engine, folder / "added.parquet")
    removed = cell_counts(engine.table(delta.drop), engine, folder / "removed.parquet")
    flows = (added, written - added, removed)
    growth = typical_growth(before.cells, after.cells)
    pairs = moves(before.cells, after.cells, flows, growth)
    relations = moves(summed(before.cells), summed(after.cells), tuple(map(summed, flows)), growth)
    passages = _Passages(before, after, engine, folder)
    types = passages.by_type()
    lost = sum(one.lost for one in types)
    return Movement(
        edges=delta.effect,
        lost_edge_share=delta.effect.removed / max(before.total, 1),
        growth=after.total / max(before.total, 1),
        typical_growth=growth,
        relations=relations,
        pairs=pairs,
        types=types,
        new_concepts=sum(one.new for one in types),
        lost_concepts=lost,
        lost_concept_share=lost / max(sum(one.before for one in types), 1),
        new=passages.new(top),
        lost=passages.lost(top),
        pmids=before.pmids,
    )


def typical_growth(before: Mapping[Cell, int], after: Mapping[Cell, int]) -> float:
    """Return the median of after / before over the cells in `before`, weighted by their edges in `before`.

    Return 1 if `before` has no edges.
    """
    ratios = sorted((after.get(cell, 0) / edges, edges) for cell, edges in before.items() if edges)
    half, passed = sum(before.values()) / 2, 0
    for ratio, edges in ratios:
        passed += edges
        if passed >= half:
            return ratio
    return 1.0


def moves(
    before: Mapping[Cell, int], after: Mapping[Cell, int], flows: Sequence[Mapping[Cell, int]], growth: float
) -> tuple[Move, ...]:
    """Return how each cell of two releases changed, farthest from expectation first.

    Args:
        before: Number of edges by cell in the reference release.
        after: Number of edges by cell in the audited release.
        flows: Three mappings: the numbers of edges added, changed and removed, by cell.
        growth: The growth expected of every cell.
    """
    found = []
    for cell in before.keys() | after.keys():
        was, now = before.get(cell, 0), after.get(cell, 0)
        expected = was * growth
        added, changed, removed = (flow.get(cell, 0) for flow in flows)
        relative = (now - expected) / max(expected, 1.0)
        found.append(Move(*cell, was, now, added, changed, removed, expected, relative))
    return tuple(sorted(found, key=lambda m: (-abs(m.after - m.expected), m.head, m.relation, m.tail)))


def summed(cells: Mapping[Cell, int]) -> Mapping[Cell, int]:
    """Return the number of edges by relation only, summed over all types."""
    found: Counter[Cell] = Counter()
    for cell, edges in cells.items():
        found[Cell("", cell.relation, "")] += edges
    return found


class _Passages:
    """The degrees of each concept in both releases, as (key, before, after); 0 if a release lacks the concept."""

    def __init__(self, before: Census, after: Census, engine: Engine, folder: Path) -> None:
        self._engine, self._folder = engine, folder
        old, new = (engine.table(one.degrees).select("key", n=ibis._.degree) for one in (before, after))
        both = new.outer_join(old, "key")
        joined = both.select(
            key=ibis.coalesce(both.key, both.key_right), before=both.n_right.fill_null(0), after=both.n.fill_null(0)
        )
        self._table = engine.table(engine.write(joined, folder / "passages.parquet"))

    def by_type(self) -> tuple[TypeMove, ...]:
        """Return the numbers of concepts by type, ordered by type name."""
        table = self._table
        typed = table.select("before", "after", type=normalise.kind(table.key)).group_by("type")
        counted = typed.agg(
            before=ibis._.count(where=ibis._.before > 0),
            after=ibis._.count(where=ibis._.after > 0),
            new=ibis._.count(where=ibis._.before == 0),
            lost=ibis._.count(where=ibis._.after == 0),
        )
        found = collect(counted.order_by("type"), self._engine, self._folder / "types.parquet")
        return tuple(TypeMove(**row) for row in found)

    def new(self, top: int) -> tuple[Passage, ...]:
        """Return at most `top` concepts that did not exist before, highest degree first."""
        return self._first(top, self._table.before == 0, self._table.after, "new")

    def lost(self, top: int) -> tuple[Passage, ...]:
        """Return at most `top` concepts that are gone, highest degree first."""
        return self._first(top, self._table.after == 0, self._table.before, "lost")

    def _first(self, top: int, those: BooleanValue, degree: NumericValue, name: str) -> tuple[Passage, ...]:
        chosen = self._table.mutate(degree=degree).filter(those).order_by(ibis.desc("degree"), "key").limit(top)
        return tuple(
            Passage(row["key"], None, row["degree"])
            for row in collect(chosen, self._engine, self._folder / f"{name}.parquet")
        )
