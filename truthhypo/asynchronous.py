"""Make asynchronous methods that run another method in a thread, so that the event loop stays free."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from contextvars import ContextVar, copy_context
from functools import partial, update_wrapper
from threading import Event
from typing import Any, Concatenate, ParamSpec, TypeVar

Owner = TypeVar("Owner")
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

#: Event that is set when the task of the asynchronous method is cancelled. A worker pool then starts no further item.
CANCELLED = ContextVar[Event | None]("CANCELLED", default=None)


def was_cancelled() -> bool:
    """Return whether this code runs for an asynchronous method whose task was cancelled."""
    cancelled = CANCELLED.get()
    return cancelled is not None and cancelled.is_set()


def asynchronous(
    method: Callable[Concatenate[Owner, Parameters], Result],
) -> Callable[[Callable[[Owner], None]], Callable[Concatenate[Owner, Parameters], Coroutine[Any, Any, Result]]]:
    """Return a decorator that replaces an empty function by an asynchronous method.

    The asynchronous method has the name and docstring of the function, and the arguments and result of `method`. If
    its task is cancelled, the asynchronous method waits until the thread has finished the current text, because the
    caller may close the stores next. Then it raises `CancelledError` and discards the result of the thread.
    """

    def decorate(named: Callable[[Owner], None]) -> Callable[..., Coroutine[Any, Any, Result]]:
        async def call(owner: Owner, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
            context, cancelled = copy_context(), Event()
            context.run(CANCELLED.set, cancelled)
            work = partial(context.run, method, owner, *args, **kwargs)
            running = asyncio.get_running_loop().run_in_executor(None, work)
            try:
                return await asyncio.shield(running)
            except asyncio.CancelledError:
                cancelled.set()
                while not running.done():
                    with suppress(asyncio.CancelledError):
                        await asyncio.wait([running])
                raise

        return update_wrapper(update_wrapper(call, named), method, ("__annotations__",), ())  # signature of `method`

    return decorate
