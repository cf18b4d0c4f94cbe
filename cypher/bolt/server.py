"""One Neo4j server over Bolt: reading in transactions that may not write and end in time, writing in managed ones."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar
from urllib.parse import urlsplit

from neo4j import READ_ACCESS, Driver, GraphDatabase, ManagedTransaction, Query, Session

from cypher import free
from cypher.bolt.errors import explained, unusable
from cypher.bolt.values import plain
from cypher.catalog import query
from groundwork.errors import InputError
from groundwork.records import Table
from groundwork.settings import Settings

T = TypeVar("T")

DIALECT = "neo4j"
#: How long to wait for a connection, s; two in a row bound how long an unreachable server is tried.
_CONNECT_SECONDS = 10.0
#: Rows fetched at a time, and rows of a free query: an answer that is too large is read to the end of such a batch.
_FETCH, _FREE_FETCH = 10_000, 100


class Server:
    """A driver for one server, made when it is first asked something.

    Args:
        address: `bolt://` or `neo4j://` with host and port.
        settings: User, password, database, time limit, and how long writes are tried again.

    Raises:
        InputError: The port is none, or user or password stand in the address, where they would be shown and logged.
    """

    def __init__(self, address: str, settings: Settings) -> None:
        parts = urlsplit(address)
        if "@" in address:
            raise InputError(
                f"the graph server's address holds a user or password ({parts.scheme}://...@...)",
                "an address that can be shown and logged",
                "set graph_user and graph_password instead",
            )
        try:
            parts.port  # noqa: B018 - reading it checks it
        except ValueError as error:
            raise unusable(address, str(error)) from error
        self.address, self.settings = address, settings

    @cached_property
    def _driver(self) -> Driver:
        password = self.settings.graph_password.get_secret_value()
        return GraphDatabase.driver(
            self.address,
            auth=(self.settings.graph_user, password) if password else None,
            connection_timeout=_CONNECT_SECONDS,
            connection_acquisition_timeout=2 * _CONNECT_SECONDS,
            liveness_check_timeout=_CONNECT_SECONDS,
            notifications_min_severity="OFF",
            telemetry_disabled=True,
        )

    def read(self, name: str, kinds: Sequence[str] = (), /, **parameters: Any) -> list[list[Any]]:
        """Rows of a named query for some kinds of link, in the order of its columns.

        Raises:
            StoreError: Of which kind, `bolt_errors` says.
        """
        text = Query(query(DIALECT, name).naming(*kinds), timeout=self.settings.graph_timeout)
        # One message to the server and back, where a transaction that is begun and ended would take three.
        with explained(self.address, self.settings), self._session() as session:
            return session.run(text, parameters).values()

    def free(self, text: str, parameters: Mapping[str, Any], most: int) -> Table:
        """Answer a query that somebody wrote, with at most so many rows.

        Raises:
            SizeLimit: The query passed the server's limit of memory, or its answer passed `answer_bytes`.
            StoreError: Of which kind, `bolt_errors` says.
        """
        # Not execute_query: it would run a query again that was over the server's memory limit.
        with (
            explained(self.address, self.settings, free=True),
            self._session(_FREE_FETCH) as session,
            session.begin_transaction(timeout=self.settings.graph_timeout) as transaction,
        ):
            result = transaction.run(text, dict(parameters))
            rows = ([plain(value) for value in record.values()] for record in result)
            return free.table(result.keys(), free.measured(rows, self.settings), most)

    def _session(self, fetch_size: int = _FETCH) -> Session:
        """A session that may not write."""
        database = self.settings.graph_database
        return self._driver.session(database=database, default_access_mode=READ_ACCESS, fetch_size=fetch_size)

    def write(self, work: Callable[[ManagedTransaction], T], most: float = math.inf) -> T:
        """Do some work in one transaction, again if another was in its way or the server did not answer.

        Args:
            work: What is done.
            most: Seconds after which it is not tried again, if that is sooner than the setting `graph_retry`.

        Raises:
            StoreError: Of which kind, `bolt_errors` says.
        """
        session = self._driver.session(
            database=self.settings.graph_database, max_transaction_retry_time=min(most, self.settings.graph_retry)
        )
        with explained(self.address, self.settings), session:
            result: T = session.execute_write(work)
            return result

    def batched(self, name: str) -> None:
        """Run a named query that makes transactions itself."""
        session = self._driver.session(database=self.settings.graph_database)
        with explained(self.address, self.settings), session:
            session.run(query(DIALECT, name).text).consume()

    def close(self) -> None:
        """Let go of all connections."""
        if "_driver" in self.__dict__:
            self._driver.close()


def run(transaction: ManagedTransaction, name: str, kinds: Sequence[str] = (), /, **parameters: Any) -> list[list[Any]]:
    """Rows of a named query for some kinds of link, within a transaction."""
    return transaction.run(query(DIALECT, name).naming(*kinds), parameters).values()
