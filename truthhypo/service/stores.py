"""The open stores of a service: look-ups run in threads of this process, judgements in separate processes."""

import asyncio
import json
import logging
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import cache, partial
from multiprocessing import get_context
from threading import Lock
from traceback import format_exception, format_tb
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread
from pebble import ProcessExpired, ProcessPool

from groundwork.errors import StoreError, TruthHypoError
from groundwork.settings import Settings
from truthhypo.charting import ServedStores, draw
from truthhypo.service.operations import OPERATIONS
from truthhypo.service.problems import Problem
from truthhypo.service.requests import Request
from truthhypo.world import World

#: Seconds after which a look-up that still runs lets the next one begin.
PATIENCE = 0.1


class Turns:
    """Limits on look-ups that run at the same time.

    A look-up begins only if fewer than `places` others run, and fewer than `at_once` of these began in the last
    `PATIENCE` seconds.

    Look-ups on embedded stores compute in Python. Two of them at the same time share one interpreter and take longer
    than one after the other, so `at_once` is 1 for them. A slow look-up delays the next one by at most `PATIENCE`
    seconds.

    Args:
        places: Maximum number of look-ups that run at the same time.
        at_once: Maximum number of running look-ups that began less than `PATIENCE` seconds ago.
    """

    def __init__(self, places: int, at_once: int) -> None:
        self._places, self._turns = CapacityLimiter(places), asyncio.Semaphore(at_once)

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        """Wait until a look-up may begin. The look-up runs in the block of this context."""
        async with self._places:
            await self._turns.acquire()
            held = True

            def give() -> None:
                nonlocal held
                if held:
                    held = False
                    self._turns.release()

            timer = asyncio.get_running_loop().call_later(PATIENCE, give)
            try:
                yield
            finally:
                timer.cancel()
                give()


class JsonLines(logging.Formatter):
    """Formatter that writes a log record as one line of JSON, with the values of its attribute `fields`.

    Args:
        texts: Whether to show the messages of exceptions, which may repeat texts of a request. If False, only the type
            of an exception and its place in the code are shown.
    """

    def __init__(self, *, texts: bool) -> None:
        super().__init__()
        self._texts = texts

    def format(self, record: logging.LogRecord) -> str:
        """Return the line for a log record."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info and (error := record.exc_info[1]):
            told = format_exception(error) if self._texts else [*format_tb(error.__traceback__), type(error).__name__]
            line["error"] = "".join(told)
        return json.dumps(line)


def log_to_stderr(*, texts: bool) -> None:
    """Write the log of requests and errors of this process to stderr. See `JsonLines` for `texts`."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines(texts=texts))
    for name in ("truthhypo", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(logging.INFO if name == "truthhypo" else logging.WARNING)
        logger.propagate = False


_log = logging.getLogger(__name__)


@cache
def opened(settings: Settings) -> World:
    """Return a world with open stores, and load the sentence parser. The process never closes the stores."""
    from groundwork.language import parse

    log_to_stderr(texts=settings.serve_log_texts)
    world = World(settings, stores=ServedStores(settings))
    world.graph_store.releases()
    world.literature_store.releases()
    parse("Aspirin reduces fever.")
    return world


def warm(settings: Settings) -> None:
    """Open the stores before the first judgement. Errors are only logged; the first judgement reports them."""
    try:
        opened(settings)
    except TruthHypoError as error:
        _log.warning("the stores cannot be opened yet: %s", error.seen)


def judge(settings: Settings, name: str, request: Request) -> dict[str, Any] | Problem:
    """Answer a request. Return an error as a problem, because not all exceptions can be sent to another process."""
    try:
        return OPERATIONS[name].answered(opened(settings), request)
    except TruthHypoError as error:
        return Problem.of(error)
    except Exception as error:  # noqa: BLE001 - a bug becomes a problem, and the process continues with the next text
        _log.exception("the judgement %s failed", name)
        return Problem.fault(error)


Result = TypeVar("Result")

#: Seconds that running judgements get to finish when the stores are closed.
_GRACE = 5.0
#: Seconds between two checks of what is still running.
_PULSE = 0.02


class Stores:
    """The stores that the settings name, opened by this process and by the judging processes.

    Args:
        settings: Settings with the addresses of the stores, and the numbers of threads and processes.

    Attributes:
        judging: The number of judgements that run or wait.
    """

    def __init__(self, settings: Settings) -> None:
        self.judging = 0
        self._looking = 0
        self._probes: dict[str, asyncio.Future[Any]] = {}
        self._settings = settings
        self._world = World(settings, stores=ServedStores(settings))
        looks, queries = settings.serve_look_ups, settings.serve_queries
        addresses = settings.graph_address, settings.literature_address
        computed = all(address.startswith("embedded:") for address in addresses)  # in this process, and not on a server
        self._looks = Turns(looks, at_once=1 if computed else looks)
        # Queries that a user wrote may take long, so they have a limit of their own and do not delay other look-ups.
        self._queries = Turns(queries, at_once=queries)
        self._threads = CapacityLimiter(looks + queries)
        self._pool = ProcessPool(max_workers=settings.serve_workers, context=get_context("spawn"))
        for _ in range(settings.serve_workers):
            self._pool.schedule(warm, args=(settings,))
        self._drawing = get_context("spawn").Process(target=draw, args=(settings,), daemon=True)
        if settings.serve_draw or not settings.graph_address.startswith("embedded:"):
            self._drawing.start()

    async def look(self, call: Callable[[World], Any], *, free: bool = False) -> Any:
        """Run a function on the stores in a thread, and return its result.

        Set `free` if the function runs a Cypher query that a user wrote. Such queries have a limit of their own.
        """
        loop = asyncio.get_running_loop()
        begun = Lock()  # taken when the function begins, or when the caller gives up

        def work() -> Any:
            if not begun.acquire(blocking=False):
                return None
            try:
                return call(self._world)
            finally:
                loop.call_soon_threadsafe(self._thread_ended)

        self._looking += 1
        try:
            async with (self._queries if free else self._looks).taken():
                return await to_thread.run_sync(work, limiter=self._threads, abandon_on_cancel=True)
        finally:
            if begun.acquire(blocking=False):  # the request was abandoned before a thread was free
                self._thread_ended()

    async def probe(self, name: str, call: Callable[[World], Result], seconds: float) -> Result:
        """Run a function on the stores in a thread of its own, apart from look-ups, and return its result.

        A probe that is still running is waited for again. So a store that does not answer holds one thread, however
        often it is probed.

        Args:
            name: The name of the probe.
            call: The function.
            seconds: How long to wait for the result.

        Raises:
            TimeoutError: The function did not end in time.
        """
        running = self._probes.get(name)
        if running is None:
            thread = to_thread.run_sync(call, self._world, limiter=CapacityLimiter(1))
            running = self._probes[name] = asyncio.ensure_future(thread)
            self._looking += 1
            running.add_done_callback(partial(self._probe_ended, name))
        return await asyncio.wait_for(asyncio.shield(running), seconds)

    async def judge(self, name: str, request: Request) -> dict[str, Any] | Problem:
        """Return the answer of a judging process to a request. `name` is the name of the operation.

        If this call is cancelled, the judgement is ended together with its process.

        Raises:
            StoreError: The judging process ended without an answer.
        """
        self.judging += 1
        try:
            future = self._pool.schedule(judge, args=(self._settings, name, request))
            outcome: dict[str, Any] | Problem = await asyncio.wrap_future(future)
        except ProcessExpired as error:
            raise StoreError(
                f"the process that judged ended with exit code {error.exitcode}",
                "an answer",
                "ask again; if it ends again, see the service's log and the memory of the machine",
            ) from error
        finally:
            self.judging -= 1
        return outcome

    async def close(self) -> None:
        """Close the stores after all look-ups have ended. Judgements get `_GRACE` seconds to finish.

        The caller must not send further requests.
        """
        loop = asyncio.get_running_loop()
        until = loop.time() + _GRACE
        while self.judging and loop.time() < until:
            await asyncio.sleep(_PULSE)
        if self._drawing.pid is not None:
            self._drawing.terminate()
        for end in (self._pool.stop, self._pool.join):
            await to_thread.run_sync(end)
        while self._looking:  # each look-up ends within its store's time limit
            await asyncio.sleep(_PULSE)
        self._world.close()

    def _probe_ended(self, name: str, _probe: asyncio.Future[Any]) -> None:
        del self._probes[name]
        self._thread_ended()

    def _thread_ended(self) -> None:
        """Record that a thread no longer uses the stores. The request of the thread may have been abandoned before."""
        self._looking -= 1
