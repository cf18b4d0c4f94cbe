"""One Neo4j server over Bolt: read-only transactions with a time limit, and managed write transactions.

The driver passes a time limit to the server, but waits for the answer without a limit. Therefore every call runs under
a limit on the client's side as well (`deadline.within`). So a call raises an error if the server hangs, or accepts a
connection and does not answer.
"""

import logging
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from random import uniform
from time import monotonic, sleep
from typing import Any, TypeVar
from urllib.parse import urlsplit

from neo4j import READ_ACCESS, Driver, GraphDatabase, ManagedTransaction, Query, Session
from neo4j.exceptions import DriverError, Neo4jError, ServiceUnavailable
from neo4j.graph import Node, Path, Relationship
from neo4j.time import Date, DateTime, Duration, Time

from cypher import free, query_values
from cypher.bolt.errors import explained, last_line, unusable
from cypher.catalog import query
from cypher.lookups import too_slow
from groundwork.errors import InputError, StoreError, StoreUnreachable, TimeLimit
from groundwork.lease import Waiting
from groundwork.ports import Progress
from groundwork.records import Table
from groundwork.settings import Settings
from groundwork.threads import within
from groundwork.vocabulary import RELATIONS

T = TypeVar("T")

DIALECT = "neo4j"
#: Number of rows fetched at a time, for the program's own queries and for free queries (Cypher that a user wrote). Rows
#: are fetched before their size is compared with the limit on an answer's size.
_FETCH, _FREE_FETCH = 10_000, 100
#: Seconds after which an idle connection is tested before it is used again.
_IDLE = 10.0
#: Seconds added to a look-up's limit: Neo4j checks for late queries every 2 s, and its own error is more precise.
_GRACE = 2.5
#: Smallest time limit of a short write, such as a heartbeat, in seconds.
_BRIEF = 5.0
#: Time limit of one administrative statement in seconds, such as creating the index over all concepts.
_ADMINISTRATION = 4 * 3600.0
#: Seconds between two attempts of a write: the first pause, which is doubled each time, and the longest pause.
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0
#: Seconds of failed attempts before a message is shown; a lock is usually gone sooner.
_SOON = 2.0
#: The driver logs the errors that it raises. Without a handler, Python would print them on stderr.
_UNHEARD = logging.NullHandler()


#: Properties of concepts and edges that only the full-text index (forms of names) or Neo4j Browser needs. They are not
#: part of answers, which are the same on every store.
FORMS, CAPTION, URL = HIDDEN = ("forms", "caption", "url")


class Server:
    """A driver for one server, created at the first request.

    Args:
        address: `bolt://` or `neo4j://` with host and port.
        settings: User, password, database, time limit, and how long writes are retried.

    Raises:
        InputError: If the port is invalid, or the address contains a user or password, which would be shown and logged.
    """

    def __init__(self, address: str, settings: Settings) -> None:
        parts = urlsplit(address)
        if "@" in address:
            raise InputError(
                f"the graph server's address contains a user or password ({parts.scheme}://...@...)",
                "an address that can be shown and logged",
                "set graph_user and graph_password instead",
            )
        try:
            parts.port  # noqa: B018 - reading the attribute checks the port
        except ValueError as error:
            raise unusable(address, str(error)) from error
        self.address, self.settings = address, settings
        self._waiting: Waiting | None = None

    @cached_property
    def _driver(self) -> Driver:
        logging.getLogger("neo4j").addHandler(_UNHEARD)
        password = self.settings.graph_password.get_secret_value()
        return GraphDatabase.driver(
            self.address,
            auth=(self.settings.graph_user, password) if password else None,
            connection_timeout=self.settings.graph_timeout,
            connection_acquisition_timeout=self.settings.graph_timeout,
            liveness_check_timeout=_IDLE,
            notifications_min_severity="OFF",
            telemetry_disabled=True,
        )

    @contextmanager
    def watched(self, progress: Progress | None) -> Iterator[None]:
        """Report to `progress` inside the block when writes wait for the server."""
        self._waiting = Waiting(f"the graph server {self.address}", progress)
        try:
            yield
        finally:
            self._waiting = None

    def read(self, name: str, kinds: Sequence[str] = (), /, **parameters: Any) -> list[list[Any]]:
        """Return the rows of a named query (see `catalog`) for some kinds of links.

        Each row holds the values in the order of the columns that the query declares.

        Raises:
            TimeLimit: If there is no answer within `graph_timeout` seconds.
            StoreError: If the server or the driver reports another error; see `cypher.bolt.errors`.
        """
        limit = self.settings.graph_timeout
        text = Query(query(DIALECT, name).naming(*kinds), timeout=limit)

        # An auto-commit query needs one message to the server and back; an explicit transaction would need three.
        def asked(driver: Driver) -> list[list[Any]]:
            with self._read_session(driver) as session:
                return session.run(text, parameters).values()

        with explained(self.address, self.settings):
            return self._within(limit + _GRACE, asked, partial(too_slow, f"a query on {self.address}", limit))

    def free(self, text: str, parameters: Mapping[str, Any], most: int) -> Table:
        """Return the answer to a user's own query, with at most `most` rows.

        Raises:
            TimeLimit: If there is no answer within `graph_timeout` seconds.
            SizeLimit: If the query exceeded the server's memory limit, or its answer exceeded `answer_bytes`.
            StoreError: If the server or the driver reports another error; see `cypher.bolt.errors`.
        """
        limit = self.settings.graph_timeout

        # `execute_query` is not used, because it would run a query again that exceeded the server's memory limit.
        def asked(driver: Driver) -> Table:
            with (
                self._read_session(driver, _FREE_FETCH) as session,
                session.begin_transaction(timeout=limit) as transaction,
            ):
                result = transaction.run(text, dict(parameters))
                rows = ([plain(value) for value in record.values()] for record in result)
                return free.table(result.keys(), free.measured(rows, self.settings), most)

        overdue = partial(too_slow, f"a query on {self.address}", limit, free=True)
        with explained(self.address, self.settings, free=True):
            return self._within(limit + _GRACE, asked, overdue)

    def write(self, work: Callable[[ManagedTransaction], T], most: float = math.inf) -> T:
        """Run a function in one transaction. Retry if another transaction blocked it or the server did not answer.

        Args:
            work: The function.
            most: Maximum number of seconds of retries, if smaller than the setting `graph_retry`. If `most` is given,
                no progress is reported.

        Raises:
            TimeLimit: If the server does not answer in time. The limit is the larger of `graph_timeout` and
                `graph_retry`; it may be shorter if `most` is given.
            StoreError: If the server or the driver reports another error; see `cypher.bolt.errors`.
        """
        limit, setting = max((getattr(self.settings, name), name) for name in ("graph_timeout", "graph_retry"))
        overdue = partial(TimeLimit, f"a write on {self.address}", limit, setting)

        def asked(driver: Driver) -> T:
            # The retries are made here and not by the driver, so that they can be reported.
            database = self.settings.graph_database
            with driver.session(database=database, max_transaction_retry_time=0) as session:
                result: T = session.execute_write(work)
                return result

        with explained(self.address, self.settings):
            if most < math.inf:
                brief = min(limit, max(most, _BRIEF))
                return self._retry(partial(self._within, brief, asked, overdue), min(most, self.settings.graph_retry))
            told = partial(self._waiting.tell, limit=limit, setting=setting) if self._waiting else None
            attempt = partial(self._within, limit, asked, overdue, told)
            return self._retry(attempt, self.settings.graph_retry, self._waiting)

    def administer(self, name: str, kinds: Sequence[str] = (), /, **parameters: Any) -> None:
        """Run a named query that may take hours: it changes all concepts, or creates an index over them or over edges.

        Raises:
            StoreError: If the server or the driver reports another error; see `cypher.bolt.errors`.
        """

        def asked(driver: Driver) -> None:
            with driver.session(database=self.settings.graph_database) as session:
                session.run(query(DIALECT, name).naming(*kinds), parameters).consume()

        def overdue() -> StoreError:
            return StoreUnreachable(f"{self.address} has not finished {name} within {_ADMINISTRATION:g} s")

        with explained(self.address, self.settings):
            attempt = partial(self._within, _ADMINISTRATION, asked, overdue)
            self._retry(attempt, self.settings.graph_retry, self._waiting)

    def close(self) -> None:
        """Close all connections."""
        if "_driver" in self.__dict__:
            self._driver.close()

    def _read_session(self, driver: Driver, fetch_size: int = _FETCH) -> Session:
        """Return a session that may not write."""
        database = self.settings.graph_database
        return driver.session(database=database, default_access_mode=READ_ACCESS, fetch_size=fetch_size)

    def _retry(self, attempt: Callable[[], T], retry: float, waiting: Waiting | None = None) -> T:
        """Return the result of `attempt`. After temporary failures, repeat it for up to `retry` seconds."""
        ends, pause = math.inf, _FIRST_PAUSE
        while True:
            try:
                return attempt()
            except (DriverError, Neo4jError) as error:
                now = monotonic()
                ends = min(ends, now + retry)
                if now >= ends or not error.is_retryable():
                    raise
                if waiting and ends - now < retry - _SOON:
                    waiting.tell(ends - now, retry, "graph_retry", last_line(error))
                sleep(min(ends - now, pause * uniform(0.5, 1.0)))  # noqa: S311 - used for jitter, not for secrets
                pause = min(2 * pause, _LONGEST_PAUSE)

    def _within(
        self,
        seconds: float,
        asked: Callable[[Driver], T],
        overdue: Callable[[], StoreError],
        waiting: Callable[[float], None] | None = None,
    ) -> T:
        """Return the server's answer within a time limit.

        A call that is given up continues in its thread until the server answers or `close` ends its connection. Neo4j
        makes the driver give up a silent connection after two minutes. Calls of other threads are not affected.
        """
        try:
            return within(seconds, partial(asked, self._driver), waiting)
        except TimeoutError as error:
            raise overdue() from error
        except BufferError as error:  # the driver's own error for a message that is still in its buffer at the next one
            raise ServiceUnavailable("the connection broke while a message was sent") from error


def run(transaction: ManagedTransaction, name: str, kinds: Sequence[str] = (), /, **parameters: Any) -> list[list[Any]]:
    """Return the rows of a named query (see `catalog`) for some kinds of links, inside a transaction."""
    return transaction.run(query(DIALECT, name).naming(*kinds), parameters).values()


#: State of an index that can be used.
ONLINE = "ONLINE"
#: Time limit in seconds for building indexes over an existing graph.
_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class Index:
    """A constraint or an index.

    Attributes:
        name: Its name in Neo4j.
        query: The named query that creates it.
        kinds: For an index over edges: the relation of these edges. Otherwise empty.
    """

    name: str
    query: str
    kinds: tuple[str, ...] = ()


#: Constraints, which are created before the first write.
CONSTRAINTS = (
    Index("concept_key", "schema_concept"),
    Index("release_id", "schema_release"),
    Index("lease_name", "schema_lease"),
)
#: The index over concepts that look-ups need.
NAMES = Index("concept_forms", "schema_forms")
#: Indexes over concepts, and over the edges of each relation, because Neo4j has no range index over several relations.
#: Indexes over edges are used only by queries in Neo4j Browser. They cost 13 % of the server's CPU in a first load
#: (MEASURED.md).
OVER_CONCEPTS = (NAMES, Index("concept_types", "schema_types"))
OVER_EDGES = tuple(
    Index(f"{relation.upper()} {what}", f"schema_{what}", (relation,))
    for relation in RELATIONS
    for what in ("articles", "releases")
)


def create(server: Server, indexes: Iterable[Index]) -> None:
    """Create missing constraints, indexes and relationship types, and wait until the indexes are online."""
    there = {name for name, _, state in server.read("indexes") if state == ONLINE}
    missing = [index for index in indexes if index.name not in there]
    for index in missing:
        server.administer(index.query, index.kinds)
    if missing:
        server.administer("schema_kinds")
        server.administer("schema_online", seconds=_SECONDS)


def browser_address(graph: str, settings: Settings) -> str:
    """Return the address of Neo4j Browser: the host of `graph`, with the server's port for HTTP or HTTPS.

    Args:
        graph: Address of the graph on a Neo4j server.
        settings: The settings with the credentials.

    Raises:
        InputError: The server has no port for HTTP or HTTPS.
        StoreError: The server does not answer.
    """
    with closing(Server(graph, settings)) as server:
        told = dict(server.read("browser_place"))
    for scheme in ("http", "https"):
        if told.get(f"server.{scheme}.enabled") == "true":
            host = urlsplit(graph).netloc.removesuffix(f":{urlsplit(graph).port}")
            return f"{scheme}://{host}:{told[f'server.{scheme}.advertised_address'].rpartition(':')[2]}/browser/"
    seen = f"{graph} names no port of Neo4j Browser"
    raise InputError(seen, "a server with HTTP", "give --page with the address of Neo4j Browser")


def plain(value: object) -> Any:
    """Convert a value in the answer to a user's query to a value that JSON can represent, the same on every store."""
    if isinstance(value, Node):
        return query_values.node(_shown(value))
    if isinstance(value, Relationship):
        return query_values.edge(value.type, _shown(value))
    if isinstance(value, Path):
        return query_values.path(map(plain, value.nodes), map(plain, value.relationships))
    if isinstance(value, Date | DateTime | Time | Duration):
        return value.iso_format()
    if isinstance(value, dict):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return query_values.plain(value)


def _shown(value: Node | Relationship) -> dict[str, Any]:
    return {name: plain(item) for name, item in value.items() if name not in HIDDEN}
