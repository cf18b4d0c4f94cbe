"""Stop the work on a request when its client disconnects before the answer."""

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from typing import TypeVar

from anyio import sleep_forever
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

Result = TypeVar("Result")


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
