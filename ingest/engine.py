"""What runs the Ibis expressions of `normalise`, `state` and `diff`: DuckDB, from Parquet to Parquet.

Everything between two steps lies on the disk, so memory is set by the setting `memory_limit`, not by the release.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from shutil import copyfile
from types import TracebackType
from typing import Any, Protocol, Self

import duckdb
import ibis
import pyarrow as pa
import pyarrow.parquet as pq

from groundwork.disk import full
from groundwork.errors import InputError
from groundwork.settings import Settings

_ROW_GROUP = 100_000


class Expressions(Protocol):
    """What runs Ibis expressions from Parquet to Parquet."""

    def table(self, file: Path) -> ibis.Table:
        """A Parquet file as a table."""

    def write(self, table: ibis.Table, file: Path) -> Path:
        """Run an expression and write its rows, in its order, to Parquet that `read` reads."""

    def remove(self, *files: Path) -> None:
        """Remove what `write` wrote."""


class Engine:
    """A private in-memory DuckDB that spills to a folder. A context manager.

    Args:
        settings: `memory_limit` and `threads` of the work.
        spill: A folder for what does not fit.

    Raises:
        InputError: `memory_limit` is no amount of memory.
    """

    def __init__(self, settings: Settings, spill: Path) -> None:
        self._memory = settings.memory_limit
        try:
            self._backend = ibis.duckdb.connect(
                memory_limit=settings.memory_limit, threads=settings.threads, temp_directory=str(spill)
            )
        except duckdb.Error as error:
            raise InputError(
                f"memory_limit {settings.memory_limit!r}: {error}", "an amount such as 2GB", "correct the setting"
            ) from error
        # The bar is drawn on stdout, into the JSON, wherever stdout leads.
        self._backend.raw_sql("SET enable_progress_bar = false")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._backend.disconnect()

    def table(self, file: Path) -> ibis.Table:
        """A Parquet file as a table."""
        return self._backend.read_parquet(file)

    def write(self, table: ibis.Table, file: Path) -> Path:
        """Run an expression and write its rows, in its order, to a Parquet file.

        Raises:
            InputError: `memory_limit` is too little, even with spilling.
            Refused: The disk of HOME is full, or cannot be written.
        """
        try:
            self._backend.to_parquet(table, file, compression="zstd", row_group_size=_ROW_GROUP)
        except duckdb.OutOfMemoryException as error:
            raise InputError(
                f"memory_limit {self._memory} is too little for this release",
                "enough memory to sort it with spilling to HOME",
                "raise the setting memory_limit, or lower threads",
            ) from error
        except duckdb.IOException as error:
            raise full("HOME", error) from error
        return file

    def remove(self, *files: Path) -> None:
        """Remove what `write` wrote."""
        for file in files:
            file.unlink()

    def values(self, column: ibis.Column) -> list[Any]:
        """The distinct values of a column, sorted; they have to fit into memory."""
        found: list[Any] = column.as_table().distinct().to_pyarrow().column(0).to_pylist()
        return sorted(found)


def write(batches: Iterable[pa.RecordBatch], schema: pa.Schema, file: Path) -> Path:
    """Write a stream of record batches to a Parquet file, one row group a batch.

    Numbers are written plainly: trying a dictionary on each costs more time than it saves room.
    """
    texts = [field.name for field in schema if pa.types.is_string(field.type)]
    with pq.ParquetWriter(file, schema, compression="zstd", use_dictionary=texts) as writer:
        for batch in batches:
            if batch.num_rows:
                writer.write_batch(batch)
    return file


def read(file: Path, rows: int, columns: list[str] | None = None) -> Iterator[pa.RecordBatch]:
    """The rows of a Parquet file, or of a folder of them by name, as a stream of batches of at most `rows` rows."""
    for part in sorted(file.glob("*.parquet")) if file.is_dir() else [file]:
        with pq.ParquetFile(part) as source:
            yield from source.iter_batches(batch_size=rows, columns=columns)


def copy(file: Path, target: Path) -> Path:
    """The same file under another name; its bytes are copied only where the file system has no links."""
    try:
        os.link(file, target)
    except FileExistsError:
        raise
    except OSError:
        copyfile(file, target)
    return target


def count(file: Path) -> int:
    """Rows of a Parquet file."""
    rows: int = pq.read_metadata(file).num_rows
    return rows
