"""Answer the requests of a service within its limits of size, time and number.

An engine switches to new live releases, and closes its stores while a load needs exclusive access (`Watch`).
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar

import cypher
import literature
from groundwork.errors import InputError, Overloaded, StoreBusy, TimeLimit, TruthHypoError
from groundwork.records.release import fingerprint, live
from groundwork.settings import Settings
from truthhypo.service.operations import OPERATIONS
from truthhypo.service.problems import Problem, ProblemRaised
from truthhypo.service.requests import Request, check_request
from truthhypo.service.stores import Stores
from truthhypo.world import World

Result = TypeVar("Result")

#: Seconds to wait for the result of a probe.
PROBE = 2.0


class Engine:
    """The common entry point for all interfaces of a service.

    Look-ups run in threads of this process. Judgements need much processor time, so they run in separate processes. If
    a judgement takes too long, or if its client has disconnected, its process is ended.

    Args:
        settings: Settings with the stores, the model and the limits.

    Attributes:
        observers: Functions to call with each answer, and with the problem of each request that fails.

    Raises:
        InputError: A store is `memory:`, which other processes cannot read, or no store can have this address.
    """

    def __init__(self, settings: Settings) -> None:
        if "memory:" in (settings.graph_address, settings.literature_address):
            raise InputError(
                "a store at memory:, which is empty and lives as long as its process",
                "stores that processes share",
                "leave --graph and --literature out, or give embedded:PATH or the address of a server",
            )
        # The stores are contacted later, because a server may be away for a while. A wrong address stays wrong.
        cypher.connect(settings.graph_address, settings, read_only=True).close()
        literature.connect(settings.literature_address, settings, read_only=True).close()
        self.settings = settings
        self.observers: list[Callable[[dict[str, Any] | Problem], None]] = []
        self._stores: Stores | None = None
        self._stats: tuple[str, dict[str, Any]] | None = None

    @property
    def judging(self) -> int:
        """The number of judgements that run or wait."""
        return self._stores.judging if self._stores else 0

    def open(self) -> None:
        """Open the stores and start the processes that judge."""
        self._stores = Stores(self.settings)

    async def renew(self) -> None:
        """Open the stores again, and close the stores that were open before as `close` does."""
        old, self._stores = self._stores, Stores(self.settings)
        if old:
            await old.close()

    async def close(self) -> None:
        """Close the stores when the running look-ups are answered. Judgements get a few seconds (`Stores.close`)."""
        stores, self._stores = self._stores, None
        if stores:
            await stores.close()

    async def answer(self, name: str, request: Request) -> dict[str, Any]:
        """Answer a request.

        If this call is cancelled, a judgement is ended together with its process.

        Args:
            name: The name of the operation.
            request: The request.

        Raises:
            ProblemRaised: The request failed; the attribute `problem` of the exception says why.
        """
        return await self._observed(self._answered(name, request))

    async def look(self, call: Callable[[World], Any]) -> Any:
        """Run a function on the open stores in a thread, and return its result.

        Raises:
            StoreBusy: The stores are closed.
        """
        return await self._opened().look(call)

    async def probe(self, name: str, call: Callable[[World], Result]) -> Result:
        """Run a short function on the open stores apart from look-ups, and return its result (`Stores.probe`).

        Raises:
            StoreBusy: The stores are closed.
            TimeoutError: There is no result within `PROBE` seconds.
        """
        return await self._opened().probe(name, call, PROBE)

    async def work(self, name: str, request: Request) -> dict[str, Any]:
        """Return the answer of a judging process, without a limit on waiting judgements or on time.

        If this call is cancelled, the judgement is ended together with its process.

        Raises:
            ProblemRaised: The request failed; the attribute `problem` of the exception says why.
        """
        return await self._observed(self._worked(name, request))

    async def _observed(self, work: Awaitable[dict[str, Any]]) -> dict[str, Any]:
        """Return the answer of some work, and call the observers with its outcome."""
        try:
            outcome = await work
        except ProblemRaised as raised:
            self._tell(raised.problem)
            raise
        self._tell(outcome)
        return outcome

    def _tell(self, outcome: dict[str, Any] | Problem) -> None:
        for observer in self.observers:
            observer(outcome)

    async def _answered(self, name: str, request: Request) -> dict[str, Any]:
        """Return the answer to a request within the limits of size and time."""
        try:
            check_request(request, self.settings)
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

    async def _worked(self, name: str, request: Request) -> dict[str, Any]:
        """Return the answer of a judging process."""
        try:
            check_request(request, self.settings)
            outcome = await self._opened().judge(name, request)
        except TruthHypoError as error:
            raise ProblemRaised(Problem.of(error)) from error
        if isinstance(outcome, Problem):
            raise ProblemRaised(outcome)
        return outcome

    def _opened(self) -> Stores:
        if self._stores is None:
            raise StoreBusy("the service is starting or stopping", "open stores", "ask again in a few seconds")
        return self._stores

    async def _judged(self, name: str, request: Request) -> dict[str, Any]:
        """Return the answer of a judging process."""
        if self.judging >= self.settings.serve_workers + self.settings.serve_queue:
            raise Overloaded(f"{self.judging} judgements run or wait", "serve_queue")
        return await self._worked(name, request)

    async def _counted(self, request: Request) -> dict[str, Any]:
        """Return the counts and the digest of the edges, cached per state of the graph because the digest is costly."""
        state = await self.look(lambda world: fingerprint(world.graph_store.releases()))
        if not state or self._stats is None or self._stats[0] != state:
            self._stats = state, await self._judged("count_stats", request)
        return self._stats[1]


#: Seconds between two checks of the live releases.
_PULSE = 2.0


class Watch:
    """Watcher for new releases while an engine serves.

    Args:
        engine: The engine. Its stores are opened again when another release is live, so that it keeps no data of an
            older release.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def run(self) -> None:
        """Watch until this call is cancelled."""
        known = await self._releases()
        while True:
            await asyncio.sleep(_PULSE)
            now = await self._releases()
            if None not in (known, now) and now != known:
                await self._engine.renew()
            known = now or known

    async def _releases(self) -> object:
        """Return which stores exist and which releases are live; None if the stores cannot tell at the moment."""
        with suppress(TruthHypoError, TimeoutError):
            return await self._engine.probe("releases", _live)
        return None


def _live(world: World) -> object:
    held = world.settings
    there = cypher.is_there(held.graph_address), literature.is_there(held.literature_address)
    return there, live(world.graph_store.releases(), world.literature_store.releases())
