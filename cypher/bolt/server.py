"""One Neo4j server over Bolt: reading in transactions that may not write and end in time, writing in managed ones.

The driver hands a time limit to the server and then waits for the answer without a limit. So every call runs under a
limit of its own here (`deadline.within`). A server that is frozen, or that accepts a connection and says nothing, is
given up.
"""

import logging
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from random import uniform
from time import monotonic, sleep
from typing import Any, TypeVar
from urllib.parse import urlsplit

from neo4j import READ_ACCESS, Driver, GraphDatabase, ManagedTransaction, Query, Session
from neo4j.exceptions import DriverError, Neo4jError

from cypher import free
from cypher.bolt.errors import explained, last_line, unusable
from cypher.bolt.values import plain
from cypher.catalog import query
from cypher.lookups import too_slow
from groundwork.deadline import within
from groundwork.errors import InputError, StoreError, StoreUnreachable, TimeLimit
from groundwork.ports import Progress
from groundwork.records import Table
from groundwork.settings import Settings
from groundwork.waiting import Waiting

T = TypeVar("T")

DIALECT = "neo4j"
#: Rows fetched at a time, and rows of a free query: an answer that is too large is read to the end of such a batch.
_FETCH, _FREE_FETCH = 10_000, 100
#: Seconds after which an idle connection is tested before it is used again.
_IDLE = 10.0
#: Seconds added to the limit of a look-up: Neo4j looks for late queries every 2 s, and its own answer is better.
_GRACE = 2.5
#: Seconds that a write with a limit of its own may take, such as a heartbeat.
_BRIEF = 5.0
#: Seconds that one statement of administration may take, such as the index over all concepts.
_ADMINISTRATION = 4 * 3600.0
#: Pauses between two tries of a write, s: the first, which doubles, and the longest.
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0
#: Seconds of failing tries before the watcher is told: a lock that is in the way is gone sooner.
_SOON = 2.0
#: The driver logs what it also raises. Without a handler Python prints it on stderr.
_UNHEARD = logging.NullHandler()


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
        """Tell a watcher when writes wait for the server, as long as the block lasts."""
        self._waiting = Waiting(f"the graph server {self.address}", progress)
        try:
            yield
        finally:
            self._waiting = None

    def read(self, name: str, kinds: Sequence[str] = (), /, **parameters: Any) -> list[list[Any]]:
        """Rows of a named query for some kinds of link, in the order of its columns.

        Raises:
            TimeLimit: The setting `graph_timeout` has passed, whether the server works or does not answer at all.
            StoreError: Of which kind, `bolt_errors` says.
        """
        limit = self.settings.graph_timeout
        text = Query(query(DIALECT, name).naming(*kinds), timeout=limit)

        # One message to the server and back, where a transaction that is begun and ended would take three.
        def asked(driver: Driver) -> list[list[Any]]:
            with self._reading(driver) as session:
                return session.run(text, parameters).values()

        with explained(self.address, self.settings):
            return self._within(limit + _GRACE, asked, partial(too_slow, f"a query on {self.address}", limit))

    def free(self, text: str, parameters: Mapping[str, Any], most: int) -> Table:
        """Answer a query that somebody wrote, with at most so many rows.

        Raises:
            TimeLimit: The setting `graph_timeout` has passed.
            SizeLimit: The query passed the server's limit of memory, or its answer passed `answer_bytes`.
            StoreError: Of which kind, `bolt_errors` says.
        """
        limit = self.settings.graph_timeout

        # Not execute_query: it would run a query again that was over the server's memory limit.
        def asked(driver: Driver) -> Table:
            with (
                self._reading(driver, _FREE_FETCH) as session,
                session.begin_transaction(timeout=limit) as transaction,
            ):
                result = transaction.run(text, dict(parameters))
                rows = ([plain(value) for value in record.values()] for record in result)
                return free.table(result.keys(), free.measured(rows, self.settings), most)

        overdue = partial(too_slow, f"a query on {self.address}", limit, free=True)
        with explained(self.address, self.settings, free=True):
            return self._within(limit + _GRACE, asked, overdue)

    def write(self, work: Callable[[ManagedTransaction], T], most: float = math.inf) -> T:
        """Do some work in one transaction, again if another was in its way or the server did not answer.

        Args:
            work: What is done.
            most: Seconds after which it is not tried again, if that is sooner than the setting `graph_retry`. Nobody
                is told of a write with such a limit.

        Raises:
            TimeLimit: The server is silent for longer than `graph_timeout` and `graph_retry`.
            StoreError: Of which kind, `bolt_errors` says.
        """
        limit, setting = max((getattr(self.settings, name), name) for name in ("graph_timeout", "graph_retry"))
        overdue = partial(TimeLimit, f"a write on {self.address}", limit, setting)

        def asked(driver: Driver) -> T:
            # The tries are ours, so that they can be told; the driver's own would be silent.
            database = self.settings.graph_database
            with driver.session(database=database, max_transaction_retry_time=0) as session:
                result: T = session.execute_write(work)
                return result

        with explained(self.address, self.settings):
            if most < math.inf:
                brief = min(limit, max(most, _BRIEF))
                return self._again(partial(self._within, brief, asked, overdue), min(most, self.settings.graph_retry))
            told = partial(self._waiting.tell, limit=limit, setting=setting) if self._waiting else None
            attempt = partial(self._within, limit, asked, overdue, told)
            return self._again(attempt, self.settings.graph_retry, self._waiting)

    def administer(self, name: str, **parameters: Any) -> None:
        """Run a named query that may take hours: it changes all concepts, or makes an index over them.

        Raises:
            StoreError: Of which kind, `bolt_errors` says.
        """

        def asked(driver: Driver) -> None:
            with driver.session(database=self.settings.graph_database) as session:
                session.run(query(DIALECT, name).text, parameters).consume()

        def overdue() -> StoreError:
            return StoreUnreachable(f"{self.address} has not ended {name} in {_ADMINISTRATION:g} s")

        with explained(self.address, self.settings):
            attempt = partial(self._within, _ADMINISTRATION, asked, overdue)
            self._again(attempt, self.settings.graph_retry, self._waiting)

    def close(self) -> None:
        """Let go of all connections."""
        if "_driver" in self.__dict__:
            self._driver.close()

    def _reading(self, driver: Driver, fetch_size: int = _FETCH) -> Session:
        """A session that may not write."""
        database = self.settings.graph_database
        return driver.session(database=database, default_access_mode=READ_ACCESS, fetch_size=fetch_size)

    def _again(self, attempt: Callable[[], T], retry: float, waiting: Waiting | None = None) -> T:
        """The result of an attempt, which is made again for so many seconds after the first that failed."""
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
                sleep(min(ends - now, pause * uniform(0.5, 1.0)))  # noqa: S311 - no secret
                pause = min(2 * pause, _LONGEST_PAUSE)

    def _within(
        self,
        seconds: float,
        asked: Callable[[Driver], T],
        overdue: Callable[[], StoreError],
        waiting: Callable[[float], None] | None = None,
    ) -> T:
        """What the server answers, within a limit.

        A call that is given up goes on in its thread until the server answers or `close` ends its connection. Neo4j
        has the driver give a silent connection up after two minutes. The calls of other threads are not touched.
        """
        try:
            return within(seconds, partial(asked, self._driver), waiting)
        except TimeoutError as error:
            raise overdue() from error


def run(transaction: ManagedTransaction, name: str, kinds: Sequence[str] = (), /, **parameters: Any) -> list[list[Any]]:
    """Rows of a named query for some kinds of link, within a transaction."""
    return transaction.run(query(DIALECT, name).naming(*kinds), parameters).values()
