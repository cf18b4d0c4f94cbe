"""One open ladybug database: queries, bulk copies, transactions, time limits.

Mind when changing this (ladybug 0.22): the process ends with a segmentation fault if the same Arrow table is copied
from twice, so each copy gets a table of its own; a copy stops at an empty chunk, so there may be none; an answer that
is not closed keeps its pages; and a connection keeps the plan of every query with parameters, some hundred megabytes
with it, also after the tables have changed. So connections are short: for one question, or for what is asked
`together`.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import local
from typing import Any

import ladybug
import pyarrow as pa

from cypher import free
from cypher.embedded.address_space import reserved
from cypher.embedded.faults import explained
from cypher.embedded.values import plain
from groundwork.errors import StoreError
from groundwork.records import Table
from groundwork.settings import Settings

MEMORY = ":memory:"


class Session:
    """An open ladybug database, which several threads may ask at once.

    Args:
        path: The database file, or MEMORY.
        settings: `graph_timeout` bounds each query of a reader, `threads` the work.
        read_only: Open for reading; not for MEMORY.

    Raises:
        StoreBusy: Another process writes it.
        StoreError: The file is no ladybug database.
    """

    def __init__(self, path: Path | str, settings: Settings, *, read_only: bool = False) -> None:
        self.path, self.settings = str(path), settings
        self._seconds = settings.graph_timeout if read_only else None
        self._mine = local()  # a thread's connection while it asks several things together
        pool, size = reserved(_half_the_memory())
        with explained(self.path, settings.graph_timeout):
            self._database = ladybug.Database(
                self.path,
                read_only=read_only,
                buffer_pool_size=pool,
                max_db_size=size,
                max_num_threads=settings.threads,
                # A log that ends in the middle of a transaction: who writes leaves that out, who reads may not.
                throw_on_wal_replay_failure=read_only,
            )

    def limited(self, seconds: float) -> None:
        """Bound each query from now on."""
        self._seconds = seconds

    def run(self, cypher: str, parameters: Mapping[str, Any] | None = None) -> None:
        """Run a query for what it does."""
        with self._answer(cypher, parameters):
            pass

    def arrow(self, cypher: str, parameters: Mapping[str, Any] | None = None) -> pa.Table:
        """Run a query and give its rows as an Arrow table."""
        with self._answer(cypher, parameters) as result:
            return result.get_as_arrow()

    def rows(self, cypher: str, parameters: Mapping[str, Any] | None = None) -> Iterator[list[Any]]:
        """Run a query and give its rows one by one."""
        with self._answer(cypher, parameters) as result:
            while result.has_next():
                yield result.get_next()

    def table(self, cypher: str, parameters: Mapping[str, Any], most: int) -> Table:
        """Run a free query in this process, which no limit of memory bounds, and return at most so many rows.

        Raises:
            SizeLimit: The answer passes `answer_bytes`.
        """
        with self._answer(cypher, parameters, free=True) as result:
            found = iter(lambda: result.get_next() if result.has_next() else None, None)
            rows = ([plain(value) for value in row] for row in found)
            return free.table(result.get_column_names(), free.measured(rows, self.settings), most)

    def copy(self, table: str, data: pa.Table) -> None:
        """Append rows to a table in bulk. The data may not be used in another copy.

        Raises:
            StoreError: A row has no place (an end is not there, a key is there already), or rows got lost.
        """
        rows = pa.Table.from_batches([batch for batch in data.to_batches() if batch.num_rows], data.schema)
        if rows.num_rows:
            said, *_ = self.rows(f"COPY {table} FROM $rows", {"rows": rows})
            if not said[0].startswith(f"{rows.num_rows} tuples"):
                raise StoreError(f"of {rows.num_rows} rows for {table}: {said[0]}", "all of them", "load again")

    @contextmanager
    def together(self) -> Iterator[Any]:
        """One connection for all this thread asks within."""
        if getattr(self._mine, "connection", None) is not None:
            yield self._mine.connection
            return
        with self._connection() as connection:
            self._mine.connection = connection
            try:
                yield connection
            finally:
                self._mine.connection = None

    @contextmanager
    def transaction(self, kind: str = "") -> Iterator[None]:
        """All or nothing for what this thread does within; `READ ONLY` as kind refuses writes."""
        with self.together():
            self.run(f"BEGIN TRANSACTION {kind}")
            try:
                yield
            except BaseException:
                with suppress(StoreError):  # a statement that fails has rolled back already
                    self.run("ROLLBACK")
                raise
            self.run("COMMIT")

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    @contextmanager
    def _answer(self, cypher: str, parameters: Mapping[str, Any] | None, free: bool = False) -> Iterator[Any]:
        """The driver's answer to a query, closed in the end; an answer may be left half read."""
        with (
            explained(self.path, self.settings.graph_timeout, free),
            self._connection() as connection,
            closing(connection.execute(cypher, dict(parameters or {}))) as result,
        ):
            yield result

    @contextmanager
    def _connection(self) -> Iterator[Any]:
        """The thread's connection, or a new one."""
        mine = getattr(self._mine, "connection", None)
        if mine is not None:
            yield mine
            return
        with closing(ladybug.Connection(self._database, num_threads=self.settings.threads)) as connection:
            connection.set_query_timeout(round(self._seconds * 1000) if self._seconds else 0)
            yield connection


def _half_the_memory() -> int:
    """Most memory a database may use, in bytes: half of the machine's; where that cannot be said, 2 GiB."""
    with suppress(AttributeError, ValueError, OSError):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    return 2 << 30
