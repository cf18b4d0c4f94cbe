"""One open ladybug database: queries, bulk copies, transactions, time limits.

Consider these properties of ladybug 0.22 when changing this module:

- The process ends with a segmentation fault if one Arrow table is copied from twice. So each copy gets its own table.
- A copy stops at an empty chunk. So empty chunks are removed first.
- An answer that is not closed keeps its pages in memory.
- In a forked child, the destructor of a database ends the process with a segmentation fault, because it ends threads
  that only the parent has. So a child keeps the databases of its parent for ever.
- A connection keeps the plan of every query that has parameters, even after the tables have changed. These plans can
  take some hundred megabytes. So a connection serves only one query, or the queries of one `together` block.
"""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from ctypes import py_object, pythonapi
from pathlib import Path
from threading import local
from typing import Any
from weakref import WeakSet

import ladybug
import pyarrow as pa

from cypher import free
from cypher.embedded import worker
from cypher.embedded.worker import plain, reserved
from cypher.lookups import missing_end, too_slow
from groundwork.errors import DamagedStore, InputError, StoreBusy, StoreError, StoreUnreachable, TruthHypoError
from groundwork.files import full, is_full
from groundwork.records import Table
from groundwork.settings import Settings

MEMORY = ":memory:"
#: The databases that this process has opened.
_DATABASES = WeakSet[ladybug.Database]()


class Session:
    """An open ladybug database, which several threads may query at once.

    Args:
        path: The database file, or MEMORY for a database in memory.
        settings: `graph_timeout` limits each query if `read_only` is set. `threads` limits the number of threads.
        read_only: Open for reading only; not possible for MEMORY.

    Raises:
        StoreBusy: Another process is writing to the database.
        StoreError: The file is not a ladybug database.
    """

    def __init__(self, path: Path | str, settings: Settings, *, read_only: bool = False) -> None:
        self.path, self.settings = str(path), settings
        self._seconds = settings.graph_timeout if read_only else None
        self._mine = local()  # holds a thread's connection within `together`
        pool, size = reserved(_half_the_memory())
        with explained(self.path, settings.graph_timeout):
            self._database = ladybug.Database(
                self.path,
                read_only=read_only,
                buffer_pool_size=pool,
                max_db_size=size,
                max_num_threads=settings.threads,
                # The log may end in the middle of a transaction. A writer skips this transaction. A reader cannot
                # skip it, so a reader must fail.
                throw_on_wal_replay_failure=read_only,
            )
        _DATABASES.add(self._database)

    def limited(self, seconds: float) -> None:
        """Set the time limit in seconds for all later queries."""
        self._seconds = seconds

    def run(self, cypher: str, parameters: Mapping[str, Any] | None = None) -> None:
        """Run a query and discard its answer."""
        with self._answer(cypher, parameters):
            pass

    def arrow(self, cypher: str, parameters: Mapping[str, Any] | None = None) -> pa.Table:
        """Run a query and return its rows as an Arrow table."""
        with self._answer(cypher, parameters) as result:
            return result.get_as_arrow()

    def rows(self, cypher: str, parameters: Mapping[str, Any] | None = None) -> Iterator[list[Any]]:
        """Run a query and yield its rows one by one."""
        with self._answer(cypher, parameters) as result:
            while result.has_next():
                yield result.get_next()

    def table(self, cypher: str, parameters: Mapping[str, Any], most: int) -> Table:
        """Run a user's own query, in this process and without a memory limit. Return at most `most` rows.

        Raises:
            SizeLimit: The answer exceeds the setting `answer_bytes`.
        """
        with self._answer(cypher, parameters, free=True) as result:
            found = iter(lambda: result.get_next() if result.has_next() else None, None)
            rows = ([plain(value) for value in row] for row in found)
            return free.table(result.get_column_names(), free.measured(rows, self.settings), most)

    def copy(self, table: str, data: pa.Table) -> None:
        """Append rows to a table in bulk. Do not pass the same `data` to this method again.

        Raises:
            StoreError: Rows were lost, or a row cannot be added: its key exists already, or it is an edge of a concept
                that does not exist.
        """
        rows = pa.Table.from_batches([batch for batch in data.to_batches() if batch.num_rows], data.schema)
        if rows.num_rows:
            said, *_ = self.rows(f"COPY {table} FROM $rows", {"rows": rows})
            if not said[0].startswith(f"{rows.num_rows} tuples"):
                seen = f"{rows.num_rows} rows were written to {table}, but the store reports: {said[0]}"
                raise StoreError(seen, "all rows in the store", "run the same load again")

    @contextmanager
    def together(self) -> Iterator[Any]:
        """Use one connection for all queries of this thread within the block."""
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
        """Commit what this thread does within the block, or roll it back on an error.

        If `kind` is `READ ONLY`, writes within the block are refused.
        """
        with self.together():
            self.run(f"BEGIN TRANSACTION {kind}")
            try:
                yield
            except BaseException:
                with suppress(StoreError):  # a failed statement has already rolled the transaction back
                    self.run("ROLLBACK")
                raise
            self.run("COMMIT")

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    @contextmanager
    def _answer(self, cypher: str, parameters: Mapping[str, Any] | None, free: bool = False) -> Iterator[Any]:
        """Yield the driver's answer to a query, and close it at the end of the block, even if rows are left unread."""
        with (
            explained(self.path, self.settings.graph_timeout, free),
            self._connection() as connection,
            closing(connection.execute(cypher, dict(parameters or {}))) as result,
        ):
            yield result

    @contextmanager
    def _connection(self) -> Iterator[Any]:
        """Yield this thread's connection inside a block of `together`, and a new connection elsewhere."""
        mine = getattr(self._mine, "connection", None)
        if mine is not None:
            yield mine
            return
        with closing(ladybug.Connection(self._database, num_threads=self.settings.threads)) as connection:
            connection.set_query_timeout(round(self._seconds * 1000) if self._seconds else 0)
            yield connection


def _keep_databases() -> None:
    """Let no database of the parent be destroyed in this process, a forked child; not even when Python ends."""
    for database in list(_DATABASES):
        pythonapi.Py_IncRef(py_object(database))


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(after_in_child=_keep_databases)


def _half_the_memory() -> int:
    """Return half of the machine's memory, in bytes; 2 GiB if the system does not report it."""
    with suppress(AttributeError, ValueError, OSError):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    return 2 << 30


_MISSING_END = re.compile(r"Unable to find primary key value (.*)\.$", re.DOTALL)
_HARMED = re.compile("not a valid|directory|corrupt|checksum|read checkpoint", re.IGNORECASE)
_MEMORY = re.compile("Buffer manager exception|bad_alloc|MemoryError")
_ADDRESS_SPACE = re.compile(
    "Mmap for size|max db size|Maximum database size|bad_alloc|MemoryError|failed to map segment|Cannot allocate memory"
)


@contextmanager
def explained(path: str, seconds: float, free: bool = False) -> Iterator[None]:
    """Convert errors of the driver inside the block, also those for unsuitable values, to the program's errors.

    Args:
        path: The path of the database.
        seconds: The time limit.
        free: Whether the user wrote the query, so that an error is a fault of the user's input.

    Raises:
        StoreError: The store failed; a subclass may say how.
        Refused: The disk is full.
        InputError: A query that the user wrote, or its parameters, cannot be used.
    """
    try:
        yield
    except (RuntimeError, ValueError, TypeError, OverflowError, NotImplementedError, MemoryError) as error:
        message = str(error).strip() or type(error).__name__
        raise failure(path, seconds, message, free=free) from error


def failure(path: str, seconds: float, message: str, *, free: bool = False) -> TruthHypoError:
    """Return the program's error for a message of the driver. The arguments are those of `explained`."""
    return _limit_error(path, seconds, free, message) or (
        _query_error(message) if free else _store_error(path, message)
    )


def is_memory(message: str) -> bool:
    """Return whether a message reports too little memory, and not too little address space."""
    return bool(_MEMORY.search(message)) and not _is_address_space(message)


def _is_address_space(message: str) -> bool:
    return worker.limit() is not None and bool(_ADDRESS_SPACE.search(message))


def _limit_error(path: str, seconds: float, free: bool, message: str) -> StoreError | None:
    """Return the error for a cause that can stop any query: time, memory, or the lock of another process."""
    if "Interrupted" in message:
        return too_slow("a query on the embedded graph", seconds, free=free)
    if _is_address_space(message):
        most = (worker.limit() or 0) / 1e6
        return StoreError(
            f"the embedded graph needs more address space than the {most:.0f} MB that this process may use",
            "a higher limit on the address space of a process, or none",
            "raise the limit (ulimit -v unlimited; in a batch job, ask for more memory), or keep the graph on a Neo4j "
            "server",
        )
    if is_memory(message):
        return StoreError(
            "the question needs more memory than the embedded graph may use",
            "a question about a smaller part of the graph",
            "narrow it (fewer hops, a limit), or keep the graph on a Neo4j server",
        )
    if "Could not set lock" in message:
        return StoreBusy(
            f"the graph store {path} is in use by another process: {_first_line(message)}",
            "one process that writes while none reads, or any number that read",
            "wait for it to end, or end it",
        )
    return None


def _query_error(message: str) -> InputError:
    return InputError(
        f"the embedded graph cannot answer the query: {message}",
        "Cypher as ladybug reads it; all concepts carry the label Concept and their type as a property",
        "for example MATCH (c:Concept)-[r]-(d:Concept) WHERE c.type = 'Gene' RETURN c.key, label(r), d.key LIMIT 10; "
        "the relation is label(r), and type(r) on Neo4j",
    )


def _store_error(path: str, message: str) -> TruthHypoError:
    missing = _MISSING_END.search(message)
    if missing:
        return missing_end(missing[1])
    if "IO exception" in message and is_full(Path(path), message):
        return full(path, _first_line(message))
    if _HARMED.search(message):
        return DamagedStore(
            f"{path} is not a graph store that can be read: {_first_line(message)}",
            "a folder made by truthhypo ingest, undamaged",
            "give another path, or restore the store from the snapshots under HOME: truthhypo ingest rebuild",
        )
    if "Cannot open file" in message or "ermission" in message:
        return StoreUnreachable(
            f"cannot open {path}: {_first_line(message)}", "a path that this user may open", "check its permissions"
        )
    return StoreError(
        f"the graph store {path} failed: {_first_line(message)}", "", "if the error comes back, load the release again"
    )


def _first_line(message: str) -> str:
    return message.splitlines()[0] if message else "no reason given"
