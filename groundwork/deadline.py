"""A time limit for calls whose own limits are not reliable."""

from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Thread
from time import monotonic
from typing import TypeVar

Result = TypeVar("Result")

#: Seconds between two calls of `waiting`.
EVERY = 5.0


def within(seconds: float, call: Callable[[], Result], waiting: Callable[[float], None] | None = None) -> Result:
    """Return the result of a call, or raise TimeoutError if it takes longer than a limit.

    HTTP clients limit each read but not the whole call. If a server sends a single byte from time to time, no read
    exceeds its limit, and each retry restarts the limit. The Neo4j driver sets no limit on reads at all. Therefore the
    call runs in a thread of its own, which is abandoned when the limit has passed. Python cannot stop this thread: it
    ends when the client gives up or the connection is closed. It is a daemon thread, so it does not delay the exit of
    the process.

    Args:
        seconds: The limit, > 0.
        call: The function to call.
        waiting: Called every `EVERY` seconds during the call, with the number of seconds left.

    Raises:
        TimeoutError: If the limit has passed.
        Exception: Any exception that the call raised.
    """
    outcome: Future[Result] = Future()

    def work() -> None:
        try:
            outcome.set_result(call())
        except BaseException as error:  # noqa: BLE001 - raised again by result(), in the thread that waits
            outcome.set_exception(error)

    Thread(target=work, name="within", daemon=True).start()
    ends = monotonic() + seconds
    while waiting and (left := ends - monotonic()) > EVERY:
        if wait([outcome], EVERY).done:
            break
        waiting(left - EVERY)
    return outcome.result(max(0.0, ends - monotonic()))
