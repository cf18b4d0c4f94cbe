"""Convert ladybug's errors to the program's errors.

ladybug raises only RuntimeErrors, so the cause must be read from the message.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cypher.embedded import address_space
from cypher.lookups import missing_end, too_slow
from groundwork.errors import DamagedStore, InputError, StoreBusy, StoreError, StoreUnreachable, TruthHypoError
from groundwork.files import full, is_full

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
    return address_space.limit() is not None and bool(_ADDRESS_SPACE.search(message))


def _limit_error(path: str, seconds: float, free: bool, message: str) -> StoreError | None:
    """Return the error for a cause that can stop any query: time, memory, or the lock of another process."""
    if "Interrupted" in message:
        return too_slow("a query on the embedded graph", seconds, free=free)
    if _is_address_space(message):
        most = (address_space.limit() or 0) / 1e6
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
