"""A limit on the time of a call that has no sound limit of its own."""

from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Thread
from time import monotonic
from typing import TypeVar

Result = TypeVar("Result")

#: Seconds between two calls of `waiting`.
EVERY = 5.0


def within(seconds: float, call: Callable[[], Result], waiting: Callable[[float], None] | None = None) -> Result:
    """Return the result of a call, and wait for it no longer than a limit.

    HTTP clients limit each read, not the whole call: a server that sends a byte now and then is never too slow for
    them, and each retry starts their clock anew. The Neo4j driver sets no limit on reads at all. So the call runs in a
    thread of its own, which is abandoned when its time is up. Python cannot end a thread. It ends when the client gives
    up or its connection is closed, and being a daemon it does not delay the exit of the process.

    Args:
        seconds: The limit, more than 0.
        call: What to do.
        waiting: Called every `EVERY` seconds while the call runs, with the seconds that are left.

    Raises:
        TimeoutError: The limit has passed. Whatever the call raises is raised here.
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
