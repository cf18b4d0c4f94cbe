"""Share the work for equal questions that are in progress at the same time: later callers wait for the first result."""

from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from threading import Lock
from typing import Any, TypeVar

Result = TypeVar("Result")


class CallDeduplication:
    """Work in progress by key; safe for several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._under_way: dict[str, Future[Any]] = {}

    def once(self, key: str, work: Callable[[], Result]) -> tuple[Result, bool]:
        """Return the result of some work, and whether another thread did it.

        Results are not cached: if the same work is requested after its end, it is done again. If the thread that does
        the work is interrupted, one of the waiting threads does the work instead.

        Args:
            key: Equal keys mean equal work.
            work: The work to do. It must not call `once` with its own key.

        Raises:
            Exception: The exception that the work raised, in every thread that waited for it.
        """
        while True:
            own: Future[Any] = Future()
            with self._lock:
                future = self._under_way.setdefault(key, own)
            if future is own:
                return self._led(key, own, work), False
            try:
                return future.result(), True
            except CancelledError:
                continue

    def _led(self, key: str, own: "Future[Any]", work: Callable[[], Result]) -> Result:
        try:
            result = work()
        except BaseException as error:
            self._landed(key)
            if isinstance(error, Exception):
                own.set_exception(error)
            else:
                own.cancel()  # an interrupt concerns this thread only
            raise
        self._landed(key)
        own.set_result(result)
        return result

    def _landed(self, key: str) -> None:
        with self._lock:
            del self._under_way[key]
