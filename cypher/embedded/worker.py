"""The process that answers free queries (Cypher that a user wrote) on one ladybug database.

The parent process ends this process when a query exceeds a limit. This process reads requests from its standard input
and writes answers to its standard output, as lines of JSON:

    request  {"path", "statements", "pool", "threads"}    first: the database, and the statements that make its tables
    answer   null                                         the database is open
    request  {"query", "parameters", "most"}              any number of times
    answer   columns, at most `most` rows, null           columns and rows are lists
    answer   a text                                       an error message, in place of the rest of any answer

A command that runs a free query waits for this process to start, so the module imports little.
"""

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any, NoReturn
from uuid import UUID

import ladybug

from cypher import query_values

#: Bytes reserved for a database if there is no limit. ladybug's default, 8 TB, leaves room for a few databases only.
LARGEST = 1 << 40
#: Bytes left for the rest of the process if there is a limit. With less, ladybug 0.22 ended in segmentation faults.
_LEFT = 1 << 30


def limit() -> int | None:
    """Return the most address space that this process may use, in bytes; None if there is no limit."""
    if sys.platform == "win32":
        return None
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft


def reserved(pool: int) -> tuple[int, int]:
    """Return the sizes of the buffer pool and of the largest database, in bytes.

    If there is a limit, the pool gets at most a quarter of the free address space and the database at most half of it.
    If the limit is too small, the size for the database is too small as well, and ladybug refuses to open the database.

    Args:
        pool: The wanted size of the buffer pool.

    Returns:
        The size of the pool, and the size for the database, which is a power of two.
    """
    most = limit()
    if most is None:
        return pool, LARGEST
    free = max(most - _used() - _LEFT, 2)
    return min(pool, free // 4), min(1 << ((free // 2).bit_length() - 1), LARGEST)


def _used() -> int:
    """Return the address space that this process uses, in bytes; 0 if the system does not report it."""
    with suppress(OSError):
        return int(Path("/proc/self/statm").read_text("ascii").split()[0]) * os.sysconf("SC_PAGE_SIZE")
    return 0


_TICK = timedelta(microseconds=1)
#: Types of parameters that JSON lacks: name, type, and the functions that convert a value to text and back.
#: A datetime is also a date, so datetime comes first.
_CARRIED: tuple[tuple[str, type, Callable[[Any], str], Callable[[str], object]], ...] = (
    ("datetime", datetime, datetime.isoformat, datetime.fromisoformat),
    ("date", date, date.isoformat, date.fromisoformat),
    ("timedelta", timedelta, lambda time: str(time // _TICK), lambda text: int(text) * _TICK),
    ("decimal", Decimal, str, Decimal),
    ("uuid", UUID, str, UUID),
    ("bytes", bytes, bytes.hex, bytes.fromhex),
)
_READERS = {name: read for name, _, _, read in _CARRIED}


def plain(value: object) -> Any:
    """Return a ladybug value in a form that JSON can hold. Nodes, relationships and paths become dicts."""
    if isinstance(value, dict):
        if "_NODES" in value and "_RELS" in value:
            return query_values.path(map(plain, value["_NODES"]), map(plain, value["_RELS"]))
        if "_ID" in value and "_LABEL" in value:
            properties = {name: item for name, item in value.items() if not name.startswith("_")}
            return query_values.edge(value["_LABEL"], properties) if "_SRC" in value else query_values.node(properties)
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return query_values.plain(value)


def packed(value: object) -> object:
    """Return a parameter in a form that JSON can hold: a map becomes `{"map": {...}}`, a date `{"date": "2026-01-31"}`.

    Raises:
        TypeError: ladybug does not take values of this type as parameters.
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {"map": {str(name): packed(item) for name, item in value.items()}}
    if isinstance(value, list):
        return [packed(item) for item in value]
    for name, kind, write, _ in _CARRIED:
        if isinstance(value, kind):
            return {name: write(value)}
    if hasattr(value, "tolist"):  # numbers and arrays of NumPy and pandas
        return packed(value.tolist())
    raise TypeError(f"a parameter may not be of the type {type(value).__name__}")


def unpacked(value: Any) -> Any:
    """Return the original parameter from the form that `packed` returned."""
    if isinstance(value, list):
        return [unpacked(item) for item in value]
    if isinstance(value, dict):
        ((kind, held),) = value.items()
        if kind == "map":
            return {name: unpacked(item) for name, item in held.items()}
        return _READERS[kind](held)
    return value


#: Seconds between two checks that the parent is still alive.
_PULSE = 0.2


def main(parent: int) -> NoReturn:
    """Answer requests until the standard input ends or the parent dies.

    Args:
        parent: The process id of the parent.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent too, and the parent ends this process
    Thread(target=end_with_parent, args=(parent,), daemon=True).start()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # discards what libraries print, which must not mix with answers
    database = None
    for request in map(json.loads, sys.stdin.buffer):
        try:
            if database is None:
                database = _opened(request)
            else:
                answers.writelines(_answer(database, request))
            answers.write(_line(None))
        except Exception as error:  # noqa: BLE001 - the parent tells the user what the error means
            answers.write(_line(str(error).strip() or type(error).__name__))
        answers.flush()
    os._exit(0)


def end_with_parent(parent: int) -> None:
    """End this process when its parent has died."""
    while os.getppid() == parent:
        sleep(_PULSE)
    os._exit(1)


def _opened(request: Mapping[str, Any]) -> ladybug.Database:
    pool, size = reserved(request["pool"])
    database = ladybug.Database(
        request["path"],
        read_only=not request["statements"],
        buffer_pool_size=pool,
        max_db_size=size,
        max_num_threads=request["threads"],
    )
    with closing(_connection(database)) as connection:
        for statement in request["statements"]:
            connection.execute(statement)
    return database


def _answer(database: ladybug.Database, request: Mapping[str, Any]) -> Iterator[bytes]:
    """Yield the lines of an answer, without the final null."""
    parameters = {name: unpacked(value) for name, value in request["parameters"].items()}
    with closing(_connection(database)) as connection:
        connection.execute("BEGIN TRANSACTION READ ONLY")
        with closing(connection.execute(request["query"], parameters)) as result:
            yield _line(result.get_column_names())
            for _ in range(request["most"]):
                if not result.has_next():
                    break
                yield _line([plain(value) for value in result.get_next()])


def _connection(database: ladybug.Database) -> ladybug.Connection:
    return ladybug.Connection(database, num_threads=database.max_num_threads)


def _line(part: object) -> bytes:
    return json.dumps(part, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
