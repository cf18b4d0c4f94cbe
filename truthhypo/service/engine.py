"""Answers the requests of a service, within its limits of size, time and number."""

import asyncio
from collections.abc import Callable
from typing import Any

from groundwork.errors import InputError, Overloaded, StoreBusy, TimeLimit, TruthHypoError
from groundwork.records.release import fingerprint
from groundwork.settings import Settings
from truthhypo.service import limits
from truthhypo.service.operations import OPERATIONS
from truthhypo.service.problems import Problem, ProblemRaised
from truthhypo.service.requests import Request
from truthhypo.service.stores import Stores
from truthhypo.world import World


class Engine:
    """What all faces of a service ask.

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
        self._stores: Stores | None = None
        self._stats: tuple[str, dict[str, Any]] | None = None

    @property
    def judging(self) -> int:
        """Judgements that run or wait."""
        return self._stores.judging if self._stores else 0

    def open(self) -> None:
        """Open the stores and start the processes that judge."""
        self._stores = Stores(self.settings)

    async def renew(self) -> None:
        """Open the stores anew, and close the old ones when their requests are answered."""
        old, self._stores = self._stores, Stores(self.settings)
        if old:
            await old.close()

    async def close(self) -> None:
        """Close the stores when running requests are answered."""
        stores, self._stores = self._stores, None
        if stores:
            await stores.close()

    async def answer(self, name: str, request: Request) -> dict[str, Any]:
        """Answer a request.

        Args:
            name: Of the operation.
            request: What it is asked.

        Raises:
            ProblemRaised: What went wrong. Cancelled, a judgement ends with its process.
        """
        try:
            limits.check(request, self.settings)
            async with asyncio.timeout(self.settings.serve_timeout):
                if name == "count_stats":
                    return await self._counted(request)
                if OPERATIONS[name].scope == "judge":
                    return await self._judged(name, request)
                found: dict[str, Any] = await self._opened().look(
                    lambda world: OPERATIONS[name].answered(world, request), free=name == "query_graph"
                )
                return found
        except TimeoutError:
            limit = TimeLimit("the request", self.settings.serve_timeout, "serve_timeout", "ask for less")
            raise ProblemRaised(Problem.of(limit)) from None
        except TruthHypoError as error:
            raise ProblemRaised(Problem.of(error)) from error

    async def look(self, call: Callable[[World], Any]) -> Any:
        """What a call says of the world, from a thread.

        Raises:
            StoreBusy: The stores are closed.
        """
        return await self._opened().look(call)

    async def work(self, name: str, request: Request) -> dict[str, Any]:
        """The answer of a process that judges, however many wait and however long it takes.

        Raises:
            ProblemRaised: What went wrong. Cancelled, the judgement ends with its process.
        """
        try:
            limits.check(request, self.settings)
            outcome = await self._opened().judge(name, request)
        except TruthHypoError as error:
            raise ProblemRaised(Problem.of(error)) from error
        if isinstance(outcome, Problem):
            raise ProblemRaised(outcome)
        return outcome

    def _opened(self) -> Stores:
        if self._stores is None:
            raise StoreBusy("the stores are closed while data is loaded", "open stores", "ask again in a few seconds")
        return self._stores

    async def _judged(self, name: str, request: Request) -> dict[str, Any]:
        """The answer of a process that judges, unless too many wait."""
        if self.judging >= self.settings.serve_workers + self.settings.serve_queue:
            raise Overloaded(f"{self.judging} judgements run or wait", "serve_queue")
        return await self.work(name, request)

    async def _counted(self, request: Request) -> dict[str, Any]:
        """The counts and the digest, which passes through all edges and is kept for a state of the graph."""
        state = await self.look(lambda world: fingerprint(world.graph_store.releases()))
        if not state or self._stats is None or self._stats[0] != state:
            self._stats = state, await self._judged("count_stats", request)
        return self._stats[1]
