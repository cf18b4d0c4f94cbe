"""Answers requests side by side: look-ups in threads, judgements in processes that can be ended."""

import asyncio
import logging
from collections.abc import Callable
from multiprocessing import get_context
from typing import Any

from anyio import CapacityLimiter, to_thread
from pebble import ProcessExpired, ProcessPool

from groundwork.errors import InputError, Overloaded, StoreBusy, StoreError, TimeLimit, TruthHypoError
from groundwork.records.release import fingerprint
from groundwork.settings import Settings
from truthhypo.service import limits
from truthhypo.service.judging import judge, warm
from truthhypo.service.operations import OPERATIONS
from truthhypo.service.problems import Problem, ProblemRaised
from truthhypo.service.requests import Request
from truthhypo.world import World

_log = logging.getLogger(__name__)

#: Seconds that running judgements may take to end when the engine is closed.
_GRACE = 10.0


class Engine:
    """A world that many ask at a time.

    Look-ups run in threads of this process. Judgements take much processor time, so they run in processes of their
    own; one that takes too long, or that nobody waits for any more, is ended with its process.

    Args:
        settings: Stores, model and limits.

    Raises:
        InputError: A store is `memory:`, which no other process can read.
    """

    def __init__(self, settings: Settings) -> None:
        if "memory:" in (settings.graph_address, settings.literature_address):
            raise InputError(
                "a store at memory:, which is empty and lives as long as its process",
                "stores that processes share",
                "leave --graph and --literature out, or give embedded:PATH or the address of a server",
            )
        self.settings = settings
        self._judging = 0
        self._looking = 0
        self._stats: tuple[str, dict[str, Any]] | None = None
        self._world: World | None = None
        self._pool: ProcessPool | None = None

    @property
    def judging(self) -> int:
        """Judgements that run or wait."""
        return self._judging

    @property
    def world(self) -> World:
        """The open world.

        Raises:
            StoreBusy: The stores are closed, for a load or for good.
        """
        if self._world is None:
            raise StoreBusy("the stores are closed while data is loaded", "open stores", "ask again in a few seconds")
        return self._world

    def open(self) -> None:
        """Open the stores and start the processes that judge."""
        settings = self.settings
        self._limiter = CapacityLimiter(settings.serve_look_ups)
        self._world = World(settings)
        self._pool = ProcessPool(max_workers=settings.serve_workers, context=get_context("spawn"))
        for _ in range(settings.serve_workers):
            self._pool.schedule(warm, args=(settings,))

    async def close(self) -> None:
        """Let running requests end for a while, then close the stores and end the processes that judge."""
        world, self._world = self._world, None
        pool, self._pool = self._pool, None
        loop = asyncio.get_running_loop()
        until = loop.time() + _GRACE
        while (self._judging or self._looking) and loop.time() < until:
            await asyncio.sleep(0.02)
        if pool:
            await to_thread.run_sync(_end, pool)
        if world:
            world.close()

    async def answer(self, name: str, request: Request) -> dict[str, Any]:
        """Answer a request.

        Args:
            name: Of the operation.
            request: What it is asked.

        Raises:
            ProblemRaised: What went wrong. Cancelled, a judgement ends with its process.
        """
        try:
            limits.check(request, self.settings)  # what is refused does not wait
            async with asyncio.timeout(self.settings.serve_timeout):
                if OPERATIONS[name].scope == "judge":
                    return await self._judged(name, request)
                return await self._counted(request) if name == "count_stats" else await self._looked_up(name, request)
        except TimeoutError:
            limit = TimeLimit("the request", self.settings.serve_timeout, "serve_timeout", "ask for less")
            raise ProblemRaised(Problem.of(limit)) from None
        except TruthHypoError as error:
            raise ProblemRaised(Problem.of(error)) from error

    async def look(self, call: Callable[[World], Any]) -> Any:
        """What a call says of the world, from a thread."""
        world, loop = self.world, asyncio.get_running_loop()

        def work() -> Any:
            try:
                return call(world)
            finally:
                loop.call_soon_threadsafe(self._left)

        self._looking += 1
        return await to_thread.run_sync(work, limiter=self._limiter, abandon_on_cancel=True)

    def _left(self) -> None:
        """Count a thread that has left the stores, which may be later than its request was given up."""
        self._looking -= 1

    async def _looked_up(self, name: str, request: Request) -> dict[str, Any]:
        answer: dict[str, Any] = await self.look(lambda world: OPERATIONS[name].answered(world, request))
        return answer

    async def _judged(self, name: str, request: Request) -> dict[str, Any]:
        """The answer of a process that judges, or that passes through the whole graph."""
        room = self.settings.serve_workers + self.settings.serve_queue
        if self._judging >= room:
            raise Overloaded(f"{self._judging} judgements run or wait", "serve_queue")
        return await self.work(name, request)

    async def work(self, name: str, request: Request) -> dict[str, Any]:
        """The answer of a process that judges, however many wait and however long it takes.

        Raises:
            ProblemRaised: What went wrong. Cancelled, the judgement ends with its process.
            StoreBusy: The stores are closed.
            StoreError: The process ended.
        """
        self.world  # noqa: B018 - says so if the stores are closed
        assert self._pool is not None
        try:
            limits.check(request, self.settings)
        except TruthHypoError as error:
            raise ProblemRaised(Problem.of(error)) from error
        self._judging += 1
        try:
            outcome = await asyncio.wrap_future(self._pool.schedule(judge, args=(self.settings, name, request)))
        except ProcessExpired as error:
            raise StoreError(
                f"the process that judged ended with exit code {error.exitcode}",
                "an answer",
                "ask again; if it ends again, see the service's log and the memory of the machine",
            ) from error
        finally:
            self._judging -= 1
        if isinstance(outcome, Problem):
            raise ProblemRaised(outcome)
        return dict(outcome)

    async def _counted(self, request: Request) -> dict[str, Any]:
        """The counts and the digest, which passes through all edges and is kept for a state of the graph."""
        state = await self.look(lambda world: fingerprint(world.graph_store.releases()))
        if not state or self._stats is None or self._stats[0] != state:
            self._stats = state, await self._judged("count_stats", request)
        return self._stats[1]


def _end(pool: ProcessPool) -> None:
    """End the processes of a pool."""
    pool.stop()  # type: ignore[no-untyped-call]
    pool.join()
