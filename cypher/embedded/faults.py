"""ladybug's errors in our own words. All of them are RuntimeErrors: what happened stands in the message alone."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cypher.lookups import missing_end
from groundwork.disk import full, is_full
from groundwork.errors import InputError, StoreBusy, StoreError, StoreUnreachable, TimeLimit, TruthHypoError

_MISSING_END = re.compile(r"Unable to find primary key value (.*)\.$", re.DOTALL)
_HARMED = re.compile("not a valid|directory|corrupt|checksum", re.IGNORECASE)


@contextmanager
def explained(path: str, seconds: float, free: bool = False) -> Iterator[None]:
    """Turn the driver's errors, and those of values it cannot take, into ours.

    Args:
        path: The database.
        seconds: The time limit.
        free: Whether somebody else wrote the query, so that it is their input which is at fault.

    Raises:
        StoreError: Or one of its kinds.
        Refused: The disk is full.
        InputError: A free query or its parameters cannot be used.
    """
    try:
        yield
    except (RuntimeError, ValueError, TypeError, OverflowError, NotImplementedError) as error:
        message = str(error).strip()
        raise (_limit(path, seconds, message) or (_question(message) if free else _store(path, message))) from error


def _limit(path: str, seconds: float, message: str) -> StoreError | None:
    """What any query may meet: the time limit, the memory, another process."""
    if "Interrupted" in message:
        return TimeLimit("a query on the embedded graph", seconds, "graph_timeout")
    if "Buffer manager exception" in message:
        return StoreError(
            "the question needs more memory than the embedded graph may use",
            "a question that touches less",
            "narrow it (fewer hops, a limit), or keep the graph on a Neo4j server",
        )
    if "Could not set lock" in message:
        return StoreBusy(
            f"the graph store {path} is in use by another process: {_first(message)}",
            "one process that writes, and none that reads meanwhile",
            "wait for it to end, or end it",
        )
    return None


def _question(message: str) -> InputError:
    return InputError(
        f"the embedded graph cannot answer the query: {message}",
        "Cypher as ladybug reads it; all concepts carry the label Concept and their type as a property",
        "for example MATCH (c:Concept) WHERE c.type = 'Gene' RETURN c.key LIMIT 10",
    )


def _store(path: str, message: str) -> TruthHypoError:
    missing = _MISSING_END.search(message)
    if missing:
        return missing_end(missing[1])
    if "IO exception" in message and is_full(Path(path), message):
        return full(path, _first(message))
    if _HARMED.search(message):
        return StoreError(
            f"{path} is not a graph store that can be read: {_first(message)}",
            "a folder made by truthhypo ingest, unharmed",
            "give another path, or restore the store from the snapshots under HOME: truthhypo ingest rebuild",
        )
    if "Cannot open file" in message or "ermission" in message:
        return StoreUnreachable(f"cannot open {path}: {_first(message)}", "a path we may use", "check its rights")
    return StoreError(f"the graph store {path} failed: {_first(message)}", "", "load it again if it comes back")


def _first(message: str) -> str:
    return message.splitlines()[0] if message else "no reason given"
