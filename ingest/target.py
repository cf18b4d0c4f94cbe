"""What a graph should hold after a change: counts, and some of its edges. Small, so that it is kept with the change."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from ibis.expr.types import StringValue, Table

from groundwork.records import Counts
from groundwork.tables import EDGES, SIMILARITIES
from ingest import normalise
from ingest.engine import Engine, count, write
from ingest.sample import sample
from ingest.state import State

#: Edges that are kept to be looked at; and rows looked at of what a change puts and drops.
LOOKED_AT = 200


@dataclass(frozen=True, slots=True)
class Target:
    """What a graph should hold.

    Attributes:
        counts: Of concepts and edges.
        some: Some of all edges, as Parquet (`tables.EDGES`).
        alike: Some of all similarity edges, as Parquet (`tables.SIMILARITIES`).
    """

    counts: Counts
    some: Path
    alike: Path

    @classmethod
    def of(cls, wanted: State, seed: str, engine: Engine, folder: Path) -> "Target":
        """The target that is a state; some edges are drawn into a folder."""
        edges, concepts = engine.table(wanted.edges), engine.table(wanted.concepts)
        counts = Counts(
            _counted(concepts, normalise.kind(concepts["key"])),
            _counted(edges, edges["relation"]),
            count(wanted.similarities),
        )
        target = cls.under(folder, asdict(counts))
        for every, schema, some in (
            (wanted.edges, EDGES, target.some),
            (wanted.similarities, SIMILARITIES, target.alike),
        ):
            write([pa.RecordBatch.from_pylist(list(sample(every, seed, LOOKED_AT)), schema=schema)], schema, some)
        return target

    @classmethod
    def under(cls, folder: Path, shape: Mapping[str, Any]) -> "Target":
        """The target whose edges are in a folder."""
        return cls(Counts(**shape), folder / "some.parquet", folder / "alike.parquet")

    @property
    def shape(self) -> dict[str, Any]:
        """What JSON holds of it."""
        return asdict(self.counts)


def _counted(table: Table, kind: StringValue) -> dict[str, int]:
    """Rows by kind."""
    counted = table.group_by(kind=kind).agg(rows=table.count()).order_by("kind").to_pyarrow()
    return dict(zip(counted["kind"].to_pylist(), counted["rows"].to_pylist(), strict=True))
