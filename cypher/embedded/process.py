"""A process that answers queries of users on an embedded database. It is ended when a query exceeds a limit.

Limits cannot be enforced within one process: ladybug checks the time only between its operators, and one operator can
take all memory or crash the process.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any, Self
from weakref import finalize

from cypher import free
from cypher.embedded.session import explained, failure, is_memory
from cypher.embedded.worker import packed
from cypher.lookups import too_slow
from groundwork.errors import SizeLimit, StoreError
from groundwork.records import Table
from groundwork.settings import Settings

#: The program of the new process. It takes over this process's search path for modules.
_START = "import sys; parent, *sys.path = sys.argv[1:]; from cypher.embedded.worker import main; main(int(parent))"
#: Time limit in seconds for opening the database, if `graph_timeout` is not longer.
_OPENING_SECONDS = 60.0
#: Seconds between two checks of the process. In this time a query may allocate some 40 MB.
_PULSE = 0.02


class QueryProcess:
    """A process that answers one query at a time.

    Args:
        opening: The first request, see `worker`.
        settings: Settings with the limits `graph_timeout`, `query_memory` and `answer_bytes`.

    Raises:
        StoreError: The process cannot be started, or cannot open the database.
    """

    def __init__(self, opening: Mapping[str, Any], settings: Settings) -> None:
        self._path, self._settings = opening["path"], settings
        self._waits = False
        try:
            self._process = subprocess.Popen(  # noqa: S603 - this program itself
                [sys.executable, "-c", _START, str(os.getpid()), *sys.path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        except OSError as error:
            raise StoreError(
                f"the process for free queries cannot be started: {error}",
                "",
                "check the system's limits on processes and memory",
            ) from error
        #: Ends the process at once. A second call does nothing.
        self.close = finalize(self, _end, self._process, os.getpid())
        try:
            self._request(opening, max(_OPENING_SECONDS, settings.graph_timeout), free_query=False)
        except BaseException:
            self.close()
            raise

    @property
    def ready(self) -> bool:
        """Whether the process is ready for a query."""
        return self._waits and self._process.poll() is None

    def answer(self, query: str, parameters: Mapping[str, Any], most: int) -> Table:
        """Answer a free query (Cypher that a user wrote) with at most `most` rows.

        Raises:
            TimeLimit: The query ran longer than `graph_timeout`. The process has been ended.
            SizeLimit: The query exceeded `query_memory` or `answer_bytes`. The process has been ended, unless ladybug
                itself reported the lack of memory.
            InputError: ladybug cannot answer the query.
            StoreError: The process ended by itself.
        """
        seconds = self._settings.graph_timeout
        with explained(self._path, seconds, free=True):
            given = {name: packed(value) for name, value in parameters.items()}
            request = {"query": query, "parameters": given, "most": most + 1}
            columns, *rows = self._request(request, seconds, free_query=True)
            return free.table(columns, rows, most)

    def _request(self, request: Mapping[str, Any], seconds: float, *, free_query: bool) -> list[Any]:
        """Send a request and return the lines of the answer, decoded from JSON."""
        self._waits = False
        with _Watch(self._process, seconds, self._settings) as watch:
            lines = self._lines(json.dumps(request).encode() + b"\n", watch)
        # A process often keeps the memory that a query has freed, so a large process is replaced by a new one.
        self._waits = not watch.passed and _resident(self._process.pid) <= self._settings.query_memory // 2
        *parts, last = map(json.loads, lines)
        if isinstance(last, str):
            raise self._failure(last, seconds, free_query)
        return parts

    def _lines(self, request: bytes, watch: "_Watch") -> list[bytes]:
        """Send a request and return the undecoded lines of the answer.

        Raises:
            SizeLimit: The lines have more than `answer_bytes` bytes.
            StoreError: The process ended, or the query exceeded a limit.
        """
        assert self._process.stdin and self._process.stdout
        room = int(self._settings.answer_bytes)
        lines: list[bytes] = []
        with suppress(OSError, ValueError):  # the process has ended, or its pipes are closed
            self._process.stdin.write(request)
            self._process.stdin.flush()
            while line := self._process.stdout.readline(room + 1):
                room -= len(line)
                if room < 0:
                    self.close()
                    raise free.too_large(self._settings)
                lines.append(line)
                if line == b"null\n" or line.startswith(b'"'):
                    return lines
        raise watch.passed or self._ended_error()

    def _failure(self, message: str, seconds: float, free_query: bool) -> Exception:
        """Return the program's error for ladybug's message."""
        if is_memory(message):
            return _memory_error(self._settings)
        return failure(self._path, seconds, message, free=free_query)

    def _ended_error(self) -> StoreError:
        """Return the error for a process that ended although no limit was exceeded."""
        code = self._process.wait()
        how = f"by the signal {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
        return StoreError(
            f"the process that answered the query ended {how}",
            "an answer",
            "change the query; SIGKILL can mean that the machine's memory was full, or that the graph was closed",
        )


class _Watch(Thread):
    """A thread that observes a process during a query, and ends the process when the query exceeds a limit.

    Args:
        process: The process.
        seconds: The time limit.
        settings: Settings with `query_memory`.
    """

    def __init__(self, process: subprocess.Popen[bytes], seconds: float, settings: Settings) -> None:
        super().__init__(daemon=True)
        self._process, self._seconds, self._settings = process, seconds, settings
        self._deadline = monotonic() + seconds
        self._over = Event()
        #: The error to raise, if a limit was exceeded.
        self.passed: StoreError | None = None

    def run(self) -> None:
        """Check memory and time repeatedly until the query is over. End the process if a limit is exceeded."""
        while not self._over.wait(_PULSE):
            if _resident(self._process.pid) > self._settings.query_memory:
                self.passed = _memory_error(self._settings)
            elif monotonic() > self._deadline:
                self.passed = too_slow("a query on the embedded graph", self._seconds, free=True)
            if self.passed:
                self._process.kill()
                return

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self.join()


def _memory_error(settings: Settings) -> SizeLimit:
    return SizeLimit(
        f"the query exceeded its limit of {settings.query_memory / 1e6:g} MB of memory",
        "a query within the limit",
        "narrow the question (fewer or shorter values, fewer pairs), or raise the setting query_memory",
    )


def _resident(pid: int) -> int:
    """Return the memory of a process in bytes; 0 if the system does not report it, or if the process has ended."""
    with suppress(OSError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def _end(process: subprocess.Popen[bytes], owner: int) -> None:
    """End a process. The process only reads, so nothing is lost.

    Args:
        process: The process.
        owner: ID of the process that started it. A forked child does not end it.
    """
    if os.getpid() != owner:
        return
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe:
            with suppress(OSError):  # closing sends waiting data, which nobody reads now
                pipe.close()


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
        self._closed = self._retired = False

    @property
    def busy(self) -> bool:
        """Whether a process answers a query."""
        return bool(self._processes)

    def answer(self, query: str, parameters: Mapping[str, Any], most: int) -> Table:
        """Answer a free query (Cypher that a user wrote); see `QueryProcess.answer`."""
        with self._process() as process:
            return process.answer(query, parameters, most)

    def retire(self) -> None:
        """End the idle process, and every other one when its query is answered."""
        with self._guard:
            self._retired = True
            if self._idle:
                self._drop(self._idle)
                self._idle = None

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
                if process.ready and self._idle is None and not self._retired:
                    self._idle = process
                else:
                    self._drop(process)

    def _drop(self, process: QueryProcess) -> None:
        """End a process and remove it from the known processes."""
        process.close()
        self._processes.discard(process)
