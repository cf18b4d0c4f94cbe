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
from collections.abc import Iterator, Mapping
from contextlib import closing
from threading import Thread
from time import sleep
from typing import Any, NoReturn

import ladybug

from cypher.embedded.address_space import reserved
from cypher.embedded.values import plain, unpacked

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
