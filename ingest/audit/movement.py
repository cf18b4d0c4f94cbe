"""The differences between two releases of relations: edges, counts by cell (`expectation`), and concepts."""

from dataclasses import dataclass
from pathlib import Path

import ibis
from ibis.expr.types import BooleanValue, NumericValue

from groundwork.records import Record
from ingest import normalise
from ingest.audit.census import Census, Span, cell_counts, collect
from ingest.audit.expectation import Move, moves, summed, typical_growth
from ingest.diff import EDGE_KEY, difference
from ingest.engine import Engine
from ingest.receipt import Effect


@dataclass(frozen=True, slots=True)
class TypeMove(Record):
    """Numbers of concepts of one type before and after; after = before + new - lost."""

    type: str
    before: int
    after: int
    new: int
    lost: int


@dataclass(frozen=True, slots=True)
class Passage(Record):
    """A concept that is new, lost or changed: its degrees before and after, and the expected degree after."""

    key: str
    name: str | None
    before: int
    after: int
    expected: float


@dataclass(frozen=True, slots=True)
class Movement(Record):
    """The differences between two releases.

    Attributes:
        edges: The effect on edges, as `ingest diff` counts it.
        lost_edge_share: Share of the previous edges that are gone.
        growth: Number of edges after divided by the number before.
        typical_growth: The growth of the median cell, weighted by edges; expected counts are derived from it.
        dispersion: d in the variance d * expected, in [1, 10], from the cells by pair.
        relations: Changes by relation, summed over all types.
        pairs: Changes by the types of the pair and relation.
        types: Numbers of concepts by type.
        new_concepts: Number of concepts that did not exist before.
        lost_concepts: Number of concepts that are gone.
        lost_concept_share: Share of the previous concepts that are gone.
        new: New concepts with the highest degrees.
        lost: Lost concepts with the highest degrees.
        hubs: Concepts of both releases whose degrees differ most from the expected ones.
        pmids: Range of the PMIDs before.
    """

    edges: Effect
    lost_edge_share: float
    growth: float
    typical_growth: float
    dispersion: float
    relations: tuple[Move, ...]
    pairs: tuple[Move, ...]
    types: tuple[TypeMove, ...]
    new_concepts: int
    lost_concepts: int
    lost_concept_share: float
    new: tuple[Passage, ...]
    lost: tuple[Passage, ...]
    hubs: tuple[Passage, ...]
    pmids: Span


def measure(before: Census, after: Census, top: int, engine: Engine, folder: Path) -> Movement:
    """Compare two releases; the names of concepts are filled in later.

    Args:
        before: The release compared with.
        after: The audited release.
        top: Number of concepts in each list.
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
    pairs, dispersion = moves(before.cells, after.cells, flows, growth)
    relations, _ = moves(summed(before.cells), summed(after.cells), tuple(map(summed, flows)), growth)
    passages = _Passages(before, after, growth, engine, folder)
    types = passages.by_type()
    lost = sum(one.lost for one in types)
    return Movement(
        edges=delta.effect,
        lost_edge_share=delta.effect.removed / max(before.total, 1),
        growth=after.total / max(before.total, 1),
        typical_growth=growth,
        dispersion=dispersion,
        relations=relations,
        pairs=pairs,
        types=types,
        new_concepts=sum(one.new for one in types),
        lost_concepts=lost,
        lost_concept_share=lost / max(sum(one.before for one in types), 1),
        new=passages.new(top),
        lost=passages.lost(top),
        hubs=passages.moved(top),
        pmids=before.pmids,
    )


class _Passages:
    """The degrees of each concept in both releases, as (key, before, after); 0 if it is not in a release."""

    def __init__(self, before: Census, after: Census, growth: float, engine: Engine, folder: Path) -> None:
        self._growth, self._engine, self._folder = growth, engine, folder
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
        """Return the concepts that did not exist before, highest degree first."""
        return self._first(top, self._table.before == 0, self._table.after, "new")

    def lost(self, top: int) -> tuple[Passage, ...]:
        """Return the concepts that are gone, highest degree first."""
        return self._first(top, self._table.after == 0, self._table.before, "lost")

    def moved(self, top: int) -> tuple[Passage, ...]:
        """Return the concepts in both releases whose degrees differ most from the expected ones."""
        table = self._table
        distance = (table.after - table.before * self._growth).abs()
        return self._first(top, (table.before > 0) & (table.after > 0) & (distance > 0), distance, "moved")

    def _first(self, top: int, those: BooleanValue, by: NumericValue, name: str) -> tuple[Passage, ...]:
        chosen = self._table.mutate(by=by).filter(those).order_by(ibis.desc("by"), "key").limit(top).drop("by")
        return tuple(
            Passage(row["key"], None, row["before"], row["after"], row["before"] * self._growth)
            for row in collect(chosen, self._engine, self._folder / f"{name}.parquet")
        )
