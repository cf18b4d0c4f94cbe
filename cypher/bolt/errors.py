"""What an error of the Neo4j driver or server means to us, in one table, said without secrets."""

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

#: Server errors by the beginning of their code, first match wins: (code, our error, what was seen, what to do).
_MEANINGS: tuple[tuple[str, type[TruthHypoError], str, str], ...] = (
    (
        "Neo.ClientError.Security.Forbidden",
        StoreUnreachable,
        "does not allow the user of graph_user to do this",
        "give a user who may, or grant it there",
    ),
    (
        "Neo.ClientError.Security.",
        StoreUnreachable,
        "does not accept our user and password",
        "check the settings graph_user and graph_password (their values are not shown here)",
    ),
    (
        "Neo.ClientError.Database.DatabaseNotFound",
        StoreUnreachable,
        "has no database of the name in graph_database",
        "correct the setting graph_database, or create the database there",
    ),
    (
        "Neo.TransientError.General.MemoryPool",
        SizeLimit,
        "ended the query at its limit of memory",
        "narrow the question, or raise db.memory.transaction.max (one transaction) or "
        "dbms.memory.transaction.total.max (all of them) there",
    ),
    (
        "Neo.TransientError.General.OutOfMemory",
        SizeLimit,
        "has too little memory for this",
        "narrow the question, or raise server.memory.heap.max_size there",
    ),
    (
        "Neo.TransientError.Database.",
        StoreUnreachable,
        "is there, but its database does not answer",
        "wait until it has started; if it stays so, read the server's log",
    ),
    (
        "Neo.TransientError.Transaction.",
        StoreBusy,
        "is busy: another transaction was in the way",
        "run the same command again",
    ),
)
_TIMED_OUT = ("Neo.ClientError.Transaction.TransactionTimedOut", "Neo.TransientError.Transaction.Terminated")
_WRITES = "Neo.ClientError.Statement.AccessMode"
_STATEMENT = "Neo.ClientError.Statement."
#: What the driver's packing raises on parameters that Bolt cannot carry.
_UNPACKABLE = (UnicodeEncodeError, OverflowError)


@contextmanager
def explained(address: str, settings: Settings, *, free: bool = False) -> Iterator[None]:
    """Turn errors of the driver into ours.

    Args:
        address: Of the server, for messages.
        settings: Holds the time limit.
        free: The statement is somebody's own, so an error in it is theirs.
    """
    try:
        yield
    except Neo4jError as error:
        raise _of_server(error, address, settings, free) from error
    except ConfigurationError as error:
        raise unusable(address, last_line(error)) from error
    except (GqlError, OSError) as error:
        raise StoreUnreachable(
            f"no graph server answers at {address}: {last_line(error)}",
            "a Neo4j that has finished starting (this takes some 15 s) and answers a connection within "
            f"{settings.graph_timeout:g} s (setting graph_timeout)",
            "check that it runs, and that address, port (Bolt's, not the web page's) and TLS (+s) are right",
        ) from error
    except _UNPACKABLE as error:
        raise InputError(
            f"a value cannot be sent to {address}: {error}", "valid Unicode text and 64-bit integers", "correct it"
        ) from error


def unusable(address: str, why: str) -> InputError:
    """The error of an address that no driver can be made for."""
    return InputError(
        f"the graph server's address {address} is not usable: {why}",
        "bolt://HOST:PORT or neo4j://HOST:PORT (+s for TLS)",
        "correct --graph, TRUTHHYPO_GRAPH or `graph` in truthhypo.toml",
    )


def _of_server(error: Neo4jError, address: str, settings: Settings, free: bool) -> TruthHypoError:
    code, said = error.code or "", _message(error)
    if code.startswith(_TIMED_OUT):
        return too_slow(f"a query on {address}", settings.graph_timeout, free=free)
    if free and code == _WRITES:
        return QueryRefused(f"Neo4j refuses the query: {said}", "a query that only reads", "ask without it")
    if free and code.startswith(_STATEMENT):
        return InputError(
            f"Neo4j cannot answer the query: {said}",
            "Cypher as Neo4j reads it, and a value for each parameter",
            "for example MATCH (c:Gene) RETURN c.key LIMIT 10",
        )
    for start, kind, seen, remedy in _MEANINGS:
        if code.startswith(start):
            return kind(f"the graph server {address} {seen} ({code})", "", remedy)
    return StoreError(f"the graph server {address} failed: {said} ({code})", "", "read the server's log")


def _message(error: GqlError) -> str:
    """What the server says about an error, without codes."""
    return (error.message or "no reason given").strip()


def last_line(error: Exception) -> str:
    """Return the line of a driver's error that tells its cause."""
    return (str(error).strip() or type(error).__name__).splitlines()[-1]
