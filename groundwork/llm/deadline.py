"""A limit on the time of a call that has no sound limit of its own."""

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

Result = TypeVar("Result")


def within(seconds: float, call: Callable[[], Result]) -> Result:
    """The result of a call, waited for no longer than a limit.

    HTTP clients limit each read, not the whole: a server that sends a byte now and then is never too slow for them,
    and each retry starts their clock anew. So the call runs in a thread of its own and is left behind when its time is
    up. Python cannot end a thread; it ends with the client's own attempts, and being a daemon it holds up no exit.

    Args:
        seconds: The limit, more than 0.
        call: What to do.

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
    return outcome.result(seconds)
