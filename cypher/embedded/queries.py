"""The processes that answer free queries (Cypher that a user wrote) on one embedded database."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Any

from cypher.embedded.process import QueryProcess
from groundwork.records import Table
from groundwork.settings import Settings


class Queries:
    """The processes that answer free queries (Cypher that a user wrote) on one embedded database.

    Each query runs outside the calling process. One idle process is kept for the next query.

    Args:
        path: The database file, or `session.MEMORY`.
        statements: The statements that create the tables of a database in memory; empty for a database file.
        settings: Settings with the limits of a query (see `QueryProcess`), and `threads`.
    """

    def __init__(self, path: str, statements: Sequence[str], settings: Settings) -> None:
        # ladybug's buffer pool keeps pages for later queries, so the pool gets only a part of the memory.
        pool = settings.query_memory * 3 // 4
        self._opening = {"path": path, "statements": list(statements), "pool": pool, "threads": settings.threads}
        self._settings = settings
        self._guard = Lock()
        self._processes: set[QueryProcess] = set()
        self._idle: QueryProcess | None = None
        self._closed = False

    def answer(self, query: str, parameters: Mapping[str, Any], most: int) -> Table:
        """Answer a free query (Cypher that a user wrote); see `QueryProcess.answer`."""
        with self._process() as process:
            return process.answer(query, parameters, most)

    def close(self) -> None:
        """End all processes, including those that are answering a query."""
        with self._guard:
            for process in self._processes:
                process.close()
            self._processes.clear()
            self._idle, self._closed = None, True

    @contextmanager
    def _process(self) -> Iterator[QueryProcess]:
        """Yield a process for one query: the idle one, or a new one."""
        with self._guard:
            process, self._idle = self._idle, None
            if process and not process.ready:  # the idle process has ended by itself
                self._drop(process)
                process = None
        if process is None:
            process = QueryProcess(self._opening, self._settings)
            with self._guard:
                self._processes.add(process)
                if self._closed:  # `close` was called while the process started
                    self._drop(process)
        try:
            yield process
        finally:
            with self._guard:
                if process.ready and self._idle is None:
                    self._idle = process
                else:
                    self._drop(process)

    def _drop(self, process: QueryProcess) -> None:
        """End a process and remove it from the known processes."""
        process.close()
        self._processes.discard(process)
