"""What the routes share: the parts of a running service, and work that ends when its client disconnects."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

from anyio import sleep_forever, to_thread
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from groundwork.errors import TruthHypoError
from truthhypo.faces.jobs import JobStore, Runner
from truthhypo.service.database import ResultStore
from truthhypo.service.engine import Engine
from truthhypo.service.problems import Problem, ProblemRaised
from truthhypo.world import World


@dataclass(frozen=True, slots=True)
class Served:
    """The parts of a running service.

    Attributes:
        engine: Answers the requests.
        jobs: The store of jobs.
        runner: Runs the jobs.
        results: The store of kept results.
    """

    engine: Engine
    jobs: JobStore
    runner: Runner
    results: ResultStore


Given = ParamSpec("Given")
Result = TypeVar("Result")


async def in_thread(call: Callable[Given, Result], *arguments: Given.args, **options: Given.kwargs) -> Result:
    """Run a function in a thread and return its result.

    Raises:
        ProblemRaised: The function failed; the attribute `problem` of the exception says why.
    """
    try:
        return await to_thread.run_sync(lambda: call(*arguments, **options))
    except TruthHypoError as error:
        raise ProblemRaised(Problem.of(error)) from error


async def on_stores(engine: Engine, call: Callable[[World], Result]) -> Result:
    """Run a function on the open stores and return its result.

    Raises:
        ProblemRaised: The function failed, or the stores are closed; the attribute `problem` of the exception says why.
    """
    try:
        found: Result = await engine.look(call)
    except TruthHypoError as error:
        raise ProblemRaised(Problem.of(error)) from error
    return found


async def while_connected(request: Request, work: Awaitable[Result]) -> Result:
    """Return the result of some work; cancel the work if the client disconnects.

    Raises:
        ClientDisconnect: The client disconnected, and the work was cancelled.
    """
    task = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait({task, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientDisconnect
        return await task
    finally:
        task.cancel()
        leaving.cancel()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


class WhileConnected:
    """Wrapper that cancels an application when the client disconnects, for applications that do not do so themselves.

    Args:
        app: The application.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the application, with the whole body of the request in one message."""
        request = Request(scope, receive)
        with suppress(ClientDisconnect):
            body = [await request.body()]

            async def told() -> Message:
                if not body:
                    await sleep_forever()
                return {"type": "http.request", "body": body.pop(), "more_body": False}

            await while_connected(request, self._app(scope, told, send))
