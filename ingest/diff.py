"""What differs between two tables of edges, concepts or similarities that are sorted Parquet files."""

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
    """What leads from one table to another.

    Attributes:
        put: Rows that are new or other than before, as Parquet.
        drop: Keys that are gone, as Parquet.
        effect: How many.
    """

    put: Path
    drop: Path
    effect: Effect

    @classmethod
    def under(cls, folder: Path, effect: Effect) -> "Delta":
        """The delta whose files are in a folder."""
        return cls(folder / "put.parquet", folder / "drop.parquet", effect)


def difference(before: Path, after: Path, key: Sequence[str], engine: Engine, folder: Path) -> Delta:
    """Compare two tables with the same columns, row by row under a unique key.

    Args:
        before: The table as it was.
        after: The table as it should be.
        key: The columns that say which row it is; all others are compared.
        engine: Runs the comparison.
        folder: An empty folder, where the result goes.
    """
    found = Delta.under(folder, Effect(0, 0, 0, 0, 0))
    if not count(before):  # a first load: all of it, as it stands
        copy(after, found.put)
        copy(before, found.drop)
        return replace(found, effect=Effect.of(count(after), count(after), 0, 0))
    old, new = engine.table(before), engine.table(after)
    engine.write(new.anti_join(old, list(new.columns)).order_by(*key), found.put)
    engine.write(old.anti_join(new, key).select(*key).order_by(*key), found.drop)
    added = count(after) - (count(before) - count(found.drop))
    return replace(found, effect=Effect.of(count(after), added, count(found.put) - added, count(found.drop)))
