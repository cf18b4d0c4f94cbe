"""Compute the difference between two tables of edges, concepts or similarities in Parquet files."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from groundwork.tables import CONCEPT_KEYS, EDGE_KEYS, SIMILARITY_KEYS
from ingest.engine import Engine, copy, count
from ingest.receipt import Effect

EDGE_KEY = tuple(EDGE_KEYS.names)
CONCEPT_KEY = tuple(CONCEPT_KEYS.names)
SIMILARITY_KEY = tuple(SIMILARITY_KEYS.names)


@dataclass(frozen=True, slots=True)
class Delta:
    """The difference between two tables.

    Attributes:
        put: Rows that are new or changed, as Parquet.
        drop: Keys of the removed rows, as Parquet.
        effect: Numbers of rows added, changed, removed and unchanged.
    """

    put: Path
    drop: Path
    effect: Effect

    @classmethod
    def under(cls, folder: Path, effect: Effect) -> "Delta":
        """Return the delta whose files are in a folder."""
        return cls(folder / "put.parquet", folder / "drop.parquet", effect)


def difference(before: Path, after: Path, key: Sequence[str], engine: Engine, folder: Path) -> Delta:
    """Compare two tables with the same columns, key by key. Each key occurs at most once in a table.

    Args:
        before: The old table.
        after: The new table.
        key: The columns that identify a row; all other columns are compared.
        engine: Runs the comparison.
        folder: An empty folder for the result.
    """
    found = Delta.under(folder, Effect(0, 0, 0, 0, 0))
    if not count(before):  # a first load: everything is new
        copy(after, found.put)
        copy(before, found.drop)
        return replace(found, effect=Effect.of(count(after), count(after), 0, 0))
    old, new = engine.table(before), engine.table(after)
    engine.write(new.anti_join(old, list(new.columns)).order_by(*key), found.put)
    engine.write(old.anti_join(new, key).select(*key).order_by(*key), found.drop)
    added = count(after) - (count(before) - count(found.drop))
    return replace(found, effect=Effect.of(count(after), added, count(found.put) - added, count(found.drop)))
