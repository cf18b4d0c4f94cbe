"""Each store's server, started at most once, in the background, and stopped at the end."""

from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from threading import Thread
from types import TracebackType
from typing import Self

from tests.servers import compose, elasticsearch, neo4j
from tests.servers.errors import UnavailableError
from tests.servers.process import Server


@dataclass(frozen=True)
class Store:
    """A kind of server, and the ways to start it, best first."""

    name: str
    ways: tuple[Callable[[], Server], ...]

    def start(self) -> Server:
        """Starts it in the first way that this machine offers.

        Raises:
            UnavailableError: there is none; the reason names what each way lacks.
            StartError: the server can be run but did not start. No other way is tried, so that the fault is seen.
        """
        reasons = []
        for way in self.ways:
            try:
                return way()
            except UnavailableError as error:
                reasons.append(str(error))
        raise UnavailableError("; ".join(reasons))


def stores(quick: bool) -> tuple[Store, Store]:
    """Returns Neo4j and Elasticsearch; `quick` is passed to their `start`."""
    return (
        Store(neo4j.NAME, (partial(neo4j.start, quick=quick), compose.start_neo4j)),
        Store(elasticsearch.NAME, (partial(elasticsearch.start, quick=quick), compose.start_elasticsearch)),
    )


class Pool:
    """Running servers, one per store. Leaving its `with` block stops them all."""

    def __init__(self) -> None:
        self._starts: dict[Store, Future[Server]] = {}

    def begin(self, stores: Iterable[Store]) -> None:
        """Begins to start these servers in the background, except those that were begun before."""
        for store in stores:
            if store not in self._starts:
                self._starts[store] = Future()
                # A daemon thread, unlike those of an executor: an interrupted run does not wait for its server.
                Thread(target=_start, args=(store, self._starts[store]), daemon=True).start()

    def acquire(self, store: Store) -> Server:
        """Returns the store's server, waiting until it answers.

        Raises:
            UnavailableError: this machine cannot run it.
            StartError: it did not start.
        """
        self.begin([store])
        return self._starts[store].result()

    def untested(self) -> dict[str, str]:
        """Returns the stores that were wanted but cannot be run on this machine: {name: reason}."""
        ended = {store: start.exception() for store, start in self._starts.items() if start.done()}
        return {store.name: str(error) for store, error in ended.items() if isinstance(error, UnavailableError)}

    def close(self) -> None:
        """Stops the servers. Does not wait for a server that is still starting: it ends with this process."""
        for start in self._starts.values():
            if start.done() and start.exception() is None:
                start.result().stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _start(store: Store, start: Future[Server]) -> None:
    try:
        start.set_result(store.start())
    except BaseException as error:  # noqa: BLE001 - raised again where the server is asked for
        start.set_exception(error)
