"""One open ladybug database: queries, bulk copies, time limits, and the driver's errors in our own words.

Mind when changing this: ladybug 0.22 ends the process (a segmentation fault) if the same Arrow table is copied from
twice, so each copy gets a table of its own; and it stops reading at an empty chunk, so there may be none.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import Any

import ladybug
import pyarrow as pa

from cypher.lookups import missing_end
from groundwork.errors import InputError, StoreBusy, StoreError, StoreUnreachable, TimeLimit
from groundwork.settings import Settings

MEMORY = ":memory:"
#: Most memory for pages, and most address space: the defaults are 80 % of the machine and 8 TB.
BUFFER_BYTES, ADDRESS_BYTES = 2 << 30, 1 << 40
_MISSING_END = re.compile(r"Unable to find primary key value (.*)\.$", re.DOTALL)


class Session:
    """A ladybug database and one connection to it.

    Args:
        path: The database file, or MEMORY.
        settings: `graph_timeout` bounds each query, `threads` the work.
        read_only: Open for reading; not for MEMORY.

    Raises:
        StoreBusy: Another process writes it.
        StoreError: The file is no ladybug database.
    """

    def __init__(self, path: Path | str, settings: Settings, *, read_only: bool = False) -> None:
        self.path, self.settings = str(path), settings
        self._lock = RLock()  # a connection does one thing at a time; its answers may be read meanwhile
        with self._errors():
            self._database = ladybug.Database(
                self.path,
                read_only=read_only,
                buffer_pool_size=BUFFER_BYTES,
                max_db_size=ADDRESS_BYTES,
                max_num_threads=settings.threads,
            )
            self._connection = ladybug.Connection(self._database, num_threads=settings.threads)
        self.limited(settings.graph_timeout if read_only else None)

    def limited(self, seconds: float | None) -> None:
        """Bound each query from now on; None lifts the bound, for loads."""
        self._connection.set_query_timeout(round(seconds * 1000) if seconds else 0)

    def run(self, cypher: str, parameters: Mapping[str, Any] | None = None) -> None:
        """Run a query for what it does."""
        with self._errors(), self._lock:
            self._connection.execute(cypher, dict(parameters or {})).close()

    def arrow(self, cypher: str, parameters: Mapping[str, Any] | None = None) -> pa.Table:
        """Run a query and give its rows as an Arrow table."""
        with self._errors(), self._lock:
            return self._connection.execute(cypher, dict(parameters or {})).get_as_arrow()

    def rows(self, cypher: str, parameters: Mapping[str, Any] | None = None) -> Iterator[list[Any]]:
        """Run a query and give its rows one by one."""
        with self._errors():
            with self._lock:
                result = self._connection.execute(cypher, dict(parameters or {}))
            try:
                while result.has_next():
                    yield result.get_next()
            finally:
                result.close()

    def table(self, cypher: str, parameters: Mapping[str, Any], limit: int) -> tuple[list[str], list[list[Any]]]:
        """Run a free query: column names and at most `limit` rows."""
        with self._errors(free=True), self._lock:
            result = self._connection.execute(cypher, dict(parameters))
            try:
                rows: list[list[Any]] = []
                while result.has_next() and len(rows) < limit:
                    rows.append(result.get_next())
                return list(result.get_column_names()), rows
            finally:
                result.close()

    def copy(self, table: str, data: pa.Table) -> None:
        """Append rows to a table in bulk. The data may not be used in another copy.

        Raises:
            StoreError: A row has no place (an end is not there, a key is there already), or rows got lost.
        """
        rows = pa.Table.from_batches([batch for batch in data.to_batches() if batch.num_rows], data.schema)
        if rows.num_rows:
            said = next(self.rows(f"COPY {table} FROM $rows", {"rows": rows}))[0]
            if not said.startswith(f"{rows.num_rows} tuples"):
                raise StoreError(f"of {rows.num_rows} rows for {table}: {said}", "all of them", "load again")

    @contextmanager
    def transaction(self, kind: str = "") -> Iterator[None]:
        """All or nothing; `READ ONLY` as kind refuses writes. Other threads wait meanwhile."""
        with self._lock:
            self.run(f"BEGIN TRANSACTION {kind}")
            try:
                yield
            except BaseException:
                self._roll_back()
                raise
            self.run("COMMIT")

    def close(self) -> None:
        """Let go of the database."""
        self._connection.close()
        self._database.close()

    def _roll_back(self) -> None:
        with suppress(StoreError):  # a failed statement has rolled back already
            self.run("ROLLBACK")

    @contextmanager
    def _errors(self, free: bool = False) -> Iterator[None]:
        """Turn the driver's errors into ours by their words: RuntimeErrors nearly all, and values it cannot take."""
        try:
            yield
        except (RuntimeError, ValueError, TypeError, OverflowError, NotImplementedError) as error:
            raise self._explained(str(error).strip(), free) from error

    def _explained(self, message: str, free: bool) -> StoreError | InputError:
        first = message.splitlines()[0] if message else "no reason given"
        missing = _MISSING_END.search(message)
        if missing:
            return missing_end(missing[1])
        if "Interrupted" in message:
            return TimeLimit("a query on the embedded graph", self.settings.graph_timeout, "graph_timeout")
        if "Could not set lock" in message:
            return StoreBusy(
                f"the graph store {self.path} is in use by another process: {first}",
                "one process that writes, and none that reads meanwhile",
                "wait for it to end, or end it",
            )
        if free:
            return InputError(
                f"the embedded graph cannot answer the query: {message}",
                "Cypher as ladybug reads it; all concepts carry the label Concept and their type as a property",
                "for example MATCH (c:Concept) WHERE c.type = 'Gene' RETURN c.key LIMIT 10",
            )
        if "not a valid" in message or "directory" in message or "orrupt" in message or "checksum" in message:
            return StoreError(
                f"{self.path} is not a graph store that can be read: {first}",
                "a folder made by truthhypo ingest, unharmed",
                "give another path, or remove this one and load again",
            )
        if "Cannot open file" in message or "ermission" in message:
            return StoreUnreachable(f"cannot open {self.path}: {first}", "a path we may use", "check its rights")
        return StoreError(f"the graph store {self.path} failed: {first}", "", "load it again if it comes back")
