"""Compute the difference between two tables of edges, concepts or similarities in Parquet files.

The edges by which two releases of relations differ can be listed in a file, for people and for other programs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
from ibis.expr.types import Table

from groundwork.errors import InputError
from groundwork.tables import CONCEPT_KEYS, EDGE_KEYS, EDGES, SIMILARITY_KEYS
from ingest.engine import Engine, copy, count, read, write
from ingest.receipt import Effect
from ingest.rejects import visible

EDGE_KEY = tuple(EDGE_KEYS.names)
CONCEPT_KEY = tuple(CONCEPT_KEYS.names)
SIMILARITY_KEY = tuple(SIMILARITY_KEYS.names)
#: One row per edge that differs. `change` is added, changed or removed; both lists of PMIDs are ascending.
CHANGES = pa.schema(
    [
        pa.field("change", pa.string(), nullable=False),
        EDGES.field("head"),
        EDGES.field("relation"),
        EDGES.field("tail"),
        pa.field("pmids_added", pa.list_(pa.int64()), nullable=False),
        pa.field("pmids_removed", pa.list_(pa.int64()), nullable=False),
    ]
)
_ROWS = 20_000


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


def checked_target(file: Path) -> Path:
    """Return the absolute path of a file to write.

    Raises:
        InputError: If the name ends neither in .tsv nor in .parquet, or the folder does not exist.
    """
    if file.suffix not in {".tsv", ".parquet"} or not file.absolute().parent.is_dir():
        raise InputError(
            f"--out {file}", "a .tsv or .parquet file in an existing folder", "choose another name or folder"
        )
    return file.absolute()


def differing(before: Table, after: Table) -> Table:
    """Return the edges that differ between two tables.

    `before` and `after` are the PMIDs of an edge in the two tables; null if a table lacks the edge.
    """
    both = after.outer_join(before, EDGE_KEY)
    differ = both.filter(~both.pmids.identical_to(both.pmids_right))
    named = {name: differ[name].fill_null(differ[f"{name}_right"]) for name in EDGE_KEY}
    return differ.select(**named, before=differ.pmids_right, after=differ.pmids).order_by(*EDGE_KEY)


def save_changes(rows: Path, target: Path) -> None:
    """Write the rows of `differing` with the columns of `CHANGES`.

    The suffix of `target` decides whether TSV (with PMIDs joined by commas) or Parquet is written.
    """
    part = target.with_name(f".{target.name}.part")
    if target.suffix == ".parquet":
        write(_changes(rows), CHANGES, part)
    else:
        with part.open("w", encoding="utf-8", newline="\n") as out:
            out.write("\t".join(CHANGES.names) + "\n")
            for batch in _changes(rows):
                out.writelines("\t".join(map(_field, row.values())) + "\n" for row in batch.to_pylist())
    part.replace(target)


def _changes(rows: Path) -> Iterator[pa.RecordBatch]:
    for batch in read(rows, _ROWS):
        shown = []
        for row in batch.to_pylist():
            before, after = row.pop("before"), row.pop("after")
            row["change"] = "added" if before is None else "removed" if after is None else "changed"
            row["pmids_added"] = sorted(set(after or ()) - set(before or ()))
            row["pmids_removed"] = sorted(set(before or ()) - set(after or ()))
            shown.append(row)
        yield pa.RecordBatch.from_pylist(shown, schema=CHANGES)


def _field(value: str | list[int]) -> str:
    return visible(value) if isinstance(value, str) else ",".join(map(str, value))
