"""Write a file that lists how two releases of relations differ, for people and for other programs."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
from ibis.expr.types import Table

from groundwork.errors import InputError
from groundwork.tables import EDGES
from ingest.diff import EDGE_KEY
from ingest.engine import read, write
from ingest.rejects import visible

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


def save(rows: Path, target: Path) -> None:
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
