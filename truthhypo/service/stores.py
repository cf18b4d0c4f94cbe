"""The open stores of a service: look-ups run in threads of this process, judgements in separate processes."""

import asyncio
from collections.abc import Callable
from functools import partial
from multiprocessing import get_context
from threading import Lock
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread
from pebble import ProcessExpired, ProcessPool

from groundwork.errors import StoreError
from groundwork.settings import Settings
from truthhypo.service.charted import ServedWorld, draw
from truthhypo.service.judging_process import judge, warm
from truthhypo.service.problems import Problem
from truthhypo.service.requests import Request
from truthhypo.service.turns import Turns
from truthhypo.world import World

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
        self._world = ServedWorld(settings)
        looks, queries = settings.serve_look_ups, settings.serve_queries
        self._looks = Turns(looks, at_once=1 if _computes(settings) else looks)
        # Queries that a user wrote may take long, so they have a limit of their own and do not delay other look-ups.
        self._queries = Turns(queries, at_once=queries)
        self._threads = CapacityLimiter(looks + queries)
        self._pool = ProcessPool(max_workers=settings.serve_workers, context=get_context("spawn"))
        for _ in range(settings.serve_workers):
            self._pool.schedule(warm, args=(settings,))
        self._drawing = get_context("spawn").Process(target=draw, args=(settings,), daemon=True)
        if not settings.graph_address.startswith("embedded:"):  # an embedded graph keeps its own atlas
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
        await to_thread.run_sync(_end, self._pool)
        while self._looking:  # each look-up ends within its store's time limit
            await asyncio.sleep(_PULSE)
        self._world.close()

    def _probe_ended(self, name: str, _probe: asyncio.Future[Any]) -> None:
        del self._probes[name]
        self._thread_ended()

    def _thread_ended(self) -> None:
        """Record that a thread no longer uses the stores. The request of the thread may have been abandoned before."""
        self._looking -= 1


def _computes(settings: Settings) -> bool:
    """Return whether look-ups are computed in this process, and not on a server."""
    return all(address.startswith("embedded:") for address in (settings.graph_address, settings.literature_address))


def _end(pool: ProcessPool) -> None:
    """End the processes of a pool."""
    pool.stop()  # type: ignore[no-untyped-call]
    pool.join()
