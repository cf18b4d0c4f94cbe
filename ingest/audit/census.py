"""The content of one release of relations, counted: edges, their articles, and the concepts that they join.

The engine (DuckDB) counts. Python receives one row per kind of edge and number of articles, and one row per entity type
and degree.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import ibis
from ibis.expr.types import Table

from groundwork.records import Record
from groundwork.tables import rows_of
from groundwork.vocabulary import order
from ingest import normalise, predicates
from ingest.engine import Engine, read

_ROWS = 20_000  # rows read at a time

#: Relation names of documents that may occur with any pair of entity types. Any other name determines both types.
_NAMES = (predicates.PLAIN.keys() - predicates.COLUMN_TYPES.keys()) | predicates.UNPAIRED.keys()


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
        return self.relation in {predicates.rewrite(name, self.head, self.tail) for name in _NAMES}


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
