"""The expected content of a graph after a change: counts, and a sample of edges, stored with the change."""

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

#: Maximum number of rows in a sample. Samples are drawn from all edges, from all similarity edges, and from the rows
#: that a change writes or deletes.
LOOKED_AT = 200


@dataclass(frozen=True, slots=True)
class Target:
    """The expected content of a graph.

    Attributes:
        counts: Numbers of concepts and edges.
        some: A sample of all edges, as Parquet (`tables.EDGES`).
        alike: A sample of all similarity edges, as Parquet (`tables.SIMILARITIES`).
    """

    counts: Counts
    some: Path
    alike: Path

    @classmethod
    def of(cls, wanted: State, seed: str, engine: Engine, folder: Path) -> "Target":
        """Return the target of a state, and write its samples into a folder."""
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
        """Return the target whose samples are in a folder."""
        return cls(Counts(**shape), folder / "some.parquet", folder / "alike.parquet")

    @property
    def shape(self) -> dict[str, Any]:
        """The part of the target that is stored as JSON."""
        return asdict(self.counts)


def _counted(table: Table, kind: StringValue) -> dict[str, int]:
    """Return the number of rows for each value of an expression."""
    counted = table.group_by(kind=kind).agg(rows=table.count()).order_by("kind").to_pyarrow()
    return dict(zip(counted["kind"].to_pylist(), counted["rows"].to_pylist(), strict=True))
