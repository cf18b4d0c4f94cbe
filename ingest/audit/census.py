"""What one release of relations holds, counted: edges, their articles, and the concepts they join.

The engine counts; what comes into Python is one row a kind of edge and number of articles, and one a degree.
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

_ROWS = 20_000  # read at a time

#: Names of documents that a relation of any pair may come from; the others belong to the types of their columns.
_NAMES = (predicates.PLAIN.keys() - predicates.COLUMN_TYPES.keys()) | predicates.UNPAIRED.keys()


class Cell(NamedTuple):
    """A kind of edge: the types of its ends, in canonical order whichever end is the head, and its relation."""

    head: str
    relation: str
    tail: str

    @classmethod
    def of(cls, a: str, relation: str, b: str) -> "Cell":
        """The cell of an edge between types a and b. Of two variants the one first by name is the head."""
        head, tail = sorted((a, b), key=lambda kind: order(f"{kind}|"))
        return cls(head, relation, tail)

    @property
    def expected(self) -> bool:
        """Whether the rules that name relations by the types of a pair (`predicates`) ever give this one."""
        return self.relation in {predicates.rewrite(name, self.head, self.tail) for name in _NAMES}


@dataclass(frozen=True, slots=True)
class Step(Record):
    """How many things have at least that much, and which share of all that is."""

    at_least: int
    n: int
    share: float


@dataclass(frozen=True, slots=True)
class Distribution(Record):
    """How a count of at least 1 is spread over things; every field is 0 where there are none.

    Attributes:
        n: How many things.
        mean: Of the counts.
        median: The smallest count that at least half of the things do not pass; likewise the other quantiles.
        p95: Of 95 %.
        p99: Of 99 %.
        max: The largest count.
        tail: How many have at least 1, 2, 4, 8 ... up to the largest count.
    """

    n: int
    mean: float
    median: int
    p95: int
    p99: int
    max: int
    tail: tuple[Step, ...]

    @classmethod
    def of(cls, counts: Mapping[int, int]) -> "Distribution":
        """From how many things have which count."""
        n = sum(counts.values())
        values = sorted(value for value, things in counts.items() if things)
        largest = values[-1] if values else 0
        steps = []
        for exponent in range(largest.bit_length()):
            reached = sum(things for value, things in counts.items() if value >= 2**exponent)
            steps.append(Step(2**exponent, reached, reached / n))
        mean = sum(value * things for value, things in counts.items()) / n if n else 0.0
        median, p95, p99 = (_quantile(counts, values, n, percent) for percent in (50, 95, 99))
        return cls(n, mean, median, p95, p99, largest, tuple(steps))


@dataclass(frozen=True, slots=True)
class Span(Record):
    """The lowest and the highest PMID."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Census:
    """What a release of relations holds.

    Attributes:
        edges: The Parquet table that was counted.
        cells: Edges by cell; no cell is 0.
        articles: How many edges have which number of PMIDs.
        selves: Edges of a concept with itself.
        pmids: The range of the evidence.
        types: Concepts by type, by degree. A concept's degree is the number of edges that hold it, a self-relation
            once.
        degrees: (key, degree) of all concepts, as Parquet.
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
        """How many edges."""
        return sum(self.cells.values())

    @property
    def concepts(self) -> Mapping[int, int]:
        """How many concepts of any type have which degree."""
        return sum((Counter(degrees) for degrees in self.types.values()), Counter())

    def relations(self) -> Mapping[str, int]:
        """Edges by relation, most first."""
        found: Counter[str] = Counter()
        for cell, edges in self.cells.items():
            found[cell.relation] += edges
        return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def take(table: Path, engine: Engine, folder: Path) -> Census:
    """Count a release.

    Args:
        table: Its edges (`tables.EDGES`), as Parquet.
        engine: Does the counting.
        folder: An empty folder for what is written on the way; the census counts on it.
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
    """The rows of an expression, in its order, by way of a file: the engine says what goes wrong with large ones."""
    yield from rows_of(read(engine.write(table, file), _ROWS))


def cell_counts(edges: Table, engine: Engine, file: Path) -> Counter[Cell]:
    """Edges by cell."""
    counted = _typed(edges).group_by("head_type", "relation", "tail_type").agg(edges=ibis._.count())
    found: Counter[Cell] = Counter()
    for row in collect(counted, engine, file):
        found[Cell.of(row["head_type"], row["relation"], row["tail_type"])] += row["edges"]
    return found


def _typed(edges: Table) -> Table:
    ends = {"head_type": normalise.kind(edges["head"]), "tail_type": normalise.kind(edges["tail"])}
    return edges.mutate(**ends)


def _kinds(edges: Table) -> Table:
    """Edges by types, relation, number of articles, and whether they lead back, with their range of PMIDs."""
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


def _quantile(counts: Mapping[int, int], values: list[int], n: int, percent: int) -> int:
    """The smallest value that at least `percent` of the things do not pass, in whole numbers; 0 of nothing."""
    passed = 0
    for value in values:
        passed += counts[value]
        if passed * 100 >= percent * n:
            return value
    return 0
