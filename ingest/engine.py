"""Run the Ibis expressions of `normalise`, `state` and `diff` with DuckDB, from Parquet to Parquet.

All results between two steps are on disk, so the setting `memory_limit` bounds the memory, whatever the release's size.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copyfile
from typing import Any, Protocol, Self

import duckdb
import ibis
import pyarrow as pa
import pyarrow.parquet as pq

from groundwork.errors import InputError
from groundwork.files import full
from groundwork.settings import Settings

_ROW_GROUP = 100_000


class Expressions(Protocol):
    """The interface of an engine that runs Ibis expressions from Parquet to Parquet."""

    def table(self, file: Path) -> ibis.Table:
        """Return a Parquet file as a table."""

    def write(self, table: ibis.Table, file: Path) -> Path:
        """Run an expression and write its rows, in order, to Parquet that `read` can read."""

    def stream(self, table: ibis.Table, rows: int) -> Iterator[pa.RecordBatch]:
        """Run an expression and yield its rows, in order, in batches of at most `rows` rows."""

    def remove(self, *files: Path) -> None:
        """Delete what `write` wrote."""


class Engine:
    """A private in-memory DuckDB that spills to a folder; a context manager.

    Args:
        settings: Settings with `memory_limit` and `threads`.
        spill: The folder for data that does not fit into memory.

    Raises:
        InputError: `memory_limit` is not an amount of memory.
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
        # DuckDB draws its progress bar on stdout, which would break the JSON output. In a notebook without ipywidgets
        # the bar is off, and DuckDB refuses to change the setting.
        if self._backend.raw_sql("SELECT current_setting('enable_progress_bar')").fetchall()[0][0]:
            self._backend.raw_sql("SET enable_progress_bar = false")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._backend.disconnect()

    def table(self, file: Path) -> ibis.Table:
        """Return a Parquet file as a table."""
        return self._backend.read_parquet(file)

    def write(self, table: ibis.Table, file: Path) -> Path:
        """Run an expression and write its rows, in order, to a Parquet file.

        Raises:
            InputError: `memory_limit` is too small, even with spilling.
            Refused: The disk of HOME is full, HOME cannot be written, or too many files are open.
        """
        with self._bounded():
            self._backend.to_parquet(table, file, compression="zstd", row_group_size=_ROW_GROUP)
        return file

    def stream(self, table: ibis.Table, rows: int) -> Iterator[pa.RecordBatch]:
        """Run an expression and yield its rows, in order, in batches of at most `rows` rows. Large data spills to disk.

        Raises:
            InputError: As in `write`.
            Refused: As in `write`.
        """
        with self._bounded():
            yield from self._backend.con.sql(self._backend.compile(table)).to_arrow_reader(rows)

    @contextmanager
    def _bounded(self) -> Iterator[None]:
        """Turn errors of DuckDB and Arrow about memory and disk into errors of this project."""
        try:
            yield
        except (duckdb.OperationalError, pa.ArrowException) as error:
            said = str(error)
            if "IO Error" in said or "max_temp_directory_size" in said:
                raise full("HOME", error) from error
            if "Out of Memory" not in said:
                raise
            raise InputError(
                f"memory_limit {self._memory} is too little for this release",
                "enough memory to sort it, with intermediate results under HOME",
                "raise the setting memory_limit, or lower threads",
            ) from error

    def remove(self, *files: Path) -> None:
        """Delete what `write` wrote."""
        for file in files:
            file.unlink()

    def values(self, column: ibis.Column) -> list[Any]:
        """Return the distinct values of a column, sorted. They must fit into memory."""
        found: list[Any] = column.as_table().distinct().to_pyarrow().column(0).to_pylist()
        return sorted(found)


def write(batches: Iterable[pa.RecordBatch], schema: pa.Schema, file: Path, compression: str = "zstd") -> Path:
    """Write a stream of record batches to a Parquet file, one row group per batch.

    Numbers are stored as differences (delta encoding). Trying a dictionary for them would cost more time than it saves.
    """
    texts = [field.name for field in schema if pa.types.is_string(field.type)]
    numbers = dict.fromkeys(_numbers(schema), "DELTA_BINARY_PACKED")
    with pq.ParquetWriter(
        file, schema, compression=compression, use_dictionary=texts, column_encoding=numbers
    ) as writer:
        for batch in batches:
            if batch.num_rows:
                writer.write_batch(batch)
    return file


def _numbers(schema: pa.Schema) -> Iterator[str]:
    """Yield the Parquet names of columns that hold integers or lists of integers."""
    for field in schema:
        if pa.types.is_integer(field.type):
            yield field.name
        elif pa.types.is_list(field.type) and pa.types.is_integer(field.type.value_type):
            yield f"{field.name}.list.element"


def read(file: Path, rows: int, columns: list[str] | None = None) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a Parquet file, or of all Parquet files of a folder, in batches of at most `rows` rows.

    The files of a folder are read in the order of their names.
    """
    for part in sorted(file.glob("*.parquet")) if file.is_dir() else [file]:
        with pq.ParquetFile(part) as source:
            yield from source.iter_batches(batch_size=rows, columns=columns)


def copy(file: Path, target: Path) -> Path:
    """Give a file a second name as a hard link. The bytes are copied only if the file system has no links."""
    try:
        os.link(file, target)
    except FileExistsError:
        raise
    except OSError:
        copyfile(file, target)
    return target


def count(file: Path) -> int:
    """Return the number of rows of a Parquet file."""
    rows: int = pq.read_metadata(file).num_rows
    return rows
