"""Convert the errors of the Neo4j driver and server to the program's own errors, without secrets."""

from collections.abc import Iterator
from contextlib import contextmanager

from neo4j.exceptions import ConfigurationError, GqlError, Neo4jError

from cypher.lookups import too_slow
from groundwork.errors import (
    InputError,
    QueryRefused,
    SizeLimit,
    StoreBusy,
    StoreError,
    StoreUnreachable,
    TruthHypoError,
)
from groundwork.settings import Settings

#: Server errors by the start of their code; the first match counts: (code, error class, what was seen, what to do).
_MEANINGS: tuple[tuple[str, type[TruthHypoError], str, str], ...] = (
    (
        "Neo.ClientError.Security.Forbidden",
        StoreUnreachable,
        "does not allow the user in graph_user to do this",
        "give another user, or grant the right on the server",
    ),
    (
        "Neo.ClientError.Security.",
        StoreUnreachable,
        "rejects the user and password",
        "check the settings graph_user and graph_password (their values are not shown here)",
    ),
    (
        "Neo.ClientError.Database.DatabaseNotFound",
        StoreUnreachable,
        "has no database with the name in graph_database",
        "correct the setting graph_database, or create the database on the server",
    ),
    (
        "Neo.TransientError.General.MemoryPool",
        SizeLimit,
        "ended the query at the server's memory limit",
        "ask a narrower question, or raise db.memory.transaction.max (one transaction) or "
        "dbms.memory.transaction.total.max (all of them) on the server",
    ),
    (
        "Neo.TransientError.General.OutOfMemory",
        SizeLimit,
        "has too little memory for this query",
        "ask a narrower question, or raise server.memory.heap.max_size on the server",
    ),
    (
        "Neo.TransientError.Database.",
        StoreUnreachable,
        "is running, but its database does not answer",
        "wait until it has started; if it still does not answer, read the server's log",
    ),
    (
        "Neo.TransientError.Transaction.",
        StoreBusy,
        "is busy: another transaction blocked this one",
        "run the same command again",
    ),
)
_TIMED_OUT = ("Neo.ClientError.Transaction.TransactionTimedOut", "Neo.TransientError.Transaction.Terminated")
_WRITES = "Neo.ClientError.Statement.AccessMode"
_STATEMENT = "Neo.ClientError.Statement."
#: Errors of the driver for parameters that Bolt cannot transmit.
_UNPACKABLE = (UnicodeEncodeError, OverflowError)


@contextmanager
def explained(address: str, settings: Settings, *, free: bool = False) -> Iterator[None]:
    """Convert errors of the driver inside the block to this program's errors.

    Args:
        address: Address of the server, for messages.
        settings: The time limit.
        free: Whether the user wrote the query. Then errors in the query are reported as errors of the user.
    """
    try:
        yield
    except Neo4jError as error:
        raise _server_error(error, address, settings, free) from error
    except ConfigurationError as error:
        raise unusable(address, last_line(error)) from error
    except (GqlError, OSError) as error:
        raise StoreUnreachable(
            f"no graph server answers at {address}: {last_line(error)}",
            "a Neo4j server that has finished starting (this takes about 15 s) and accepts a connection within "
            f"{settings.graph_timeout:g} s (setting graph_timeout)",
            "check that it is running, and that address, port (Bolt's, not the web page's) and TLS (+s) are right",
        ) from error
    except _UNPACKABLE as error:
        raise InputError(
            f"a value cannot be sent to {address}: {error}",
            "valid Unicode text and 64-bit integers",
            "correct the value",
        ) from error


def unusable(address: str, why: str) -> InputError:
    """Return the error for an address for which no driver can be created."""
    return InputError(
        f"the graph server's address {address} is not valid: {why}",
        "bolt://HOST:PORT or neo4j://HOST:PORT (+s for TLS)",
        "correct --graph, TRUTHHYPO_GRAPH or `graph` in truthhypo.toml",
    )


def _server_error(error: Neo4jError, address: str, settings: Settings, free: bool) -> TruthHypoError:
    code, said = error.code or "", _message(error)
    if code.startswith(_TIMED_OUT):
        return too_slow(f"a query on {address}", settings.graph_timeout, free=free)
    if free and code == _WRITES:
        return QueryRefused(f"Neo4j refuses the query: {said}", "a query that only reads", "leave out the write")
    if free and code.startswith(_STATEMENT):
        return InputError(
            f"Neo4j cannot answer the query: {said}",
            "valid Cypher for Neo4j, and a value for each parameter",
            "correct the query; an example is MATCH (c:Gene) RETURN c.key LIMIT 10",
        )
    for start, kind, seen, remedy in _MEANINGS:
        if code.startswith(start):
            return kind(f"the graph server {address} {seen} ({code})", "", remedy)
    return StoreError(f"the graph server {address} failed: {said} ({code})", "", "read the server's log")


def _message(error: GqlError) -> str:
    """Return the server's message about an error, without codes."""
    return (error.message or "no reason given").strip()


def last_line(error: Exception) -> str:
    """Return the line of a driver's error that names its cause."""
    return (str(error).strip() or type(error).__name__).splitlines()[-1]
