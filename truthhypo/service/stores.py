"""Open stores that many ask at a time: look-ups in threads of this process, judgements in processes of their own."""

import asyncio
from collections.abc import Callable
from multiprocessing import get_context
from typing import Any

from anyio import CapacityLimiter, to_thread
from pebble import ProcessExpired, ProcessPool

from groundwork.errors import StoreError
from groundwork.settings import Settings
from truthhypo.service.charted import ServedWorld, draw
from truthhypo.service.judging import judge, warm
from truthhypo.service.problems import Problem
from truthhypo.service.requests import Request
from truthhypo.world import World

#: Seconds that running judgements may take to end when the stores are closed.
_GRACE = 5.0
#: Seconds between two looks at what still runs.
_PULSE = 0.02


class Stores:
    """The stores of some settings, opened by this process and by those that judge.

    Args:
        settings: Where they are, and how many threads and processes read them.

    Attributes:
        judging: Judgements that run or wait.
    """

    def __init__(self, settings: Settings) -> None:
        self.judging = 0
        self._looking = 0
        self._settings = settings
        self._world = ServedWorld(settings)
        # Free queries may take long, so they wait for each other alone.
        self._looks, self._queries = CapacityLimiter(settings.serve_look_ups), CapacityLimiter(settings.serve_queries)
        self._pool = ProcessPool(max_workers=settings.serve_workers, context=get_context("spawn"))
        for _ in range(settings.serve_workers):
            self._pool.schedule(warm, args=(settings,))
        self._drawing = get_context("spawn").Process(target=draw, args=(settings,), daemon=True)
        if not settings.graph_address.startswith("embedded:"):  # which has an atlas of its own
            self._drawing.start()

    async def look(self, call: Callable[[World], Any], *, free: bool = False) -> Any:
        """What a call says of the world, from a thread; `free` for a free query."""
        loop = asyncio.get_running_loop()

        def work() -> Any:
            try:
                return call(self._world)
            finally:
                loop.call_soon_threadsafe(self._left)

        self._looking += 1
        limiter = self._queries if free else self._looks
        return await to_thread.run_sync(work, limiter=limiter, abandon_on_cancel=True)

    async def judge(self, name: str, request: Request) -> dict[str, Any] | Problem:
        """What a process that judges answers to the request of an operation. Cancelled, it ends with its process.

        Raises:
            StoreError: The process ended.
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
        """Let running look-ups end, and judgements for a while, then close the stores; nobody asks any more."""
        loop = asyncio.get_running_loop()
        until = loop.time() + _GRACE
        while self.judging and loop.time() < until:
            await asyncio.sleep(_PULSE)
        if self._drawing.pid is not None:
            self._drawing.terminate()
        await to_thread.run_sync(_end, self._pool)
        while self._looking:  # each ends at the time limit of its store
            await asyncio.sleep(_PULSE)
        self._world.close()

    def _left(self) -> None:
        """Count a thread that has left the stores, which may be later than its request was given up."""
        self._looking -= 1


def _end(pool: ProcessPool) -> None:
    """End the processes of a pool."""
    pool.stop()  # type: ignore[no-untyped-call]
    pool.join()
