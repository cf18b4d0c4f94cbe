"""Equal questions under way at the same time, asked once: who comes later waits, and hears what the first one heard."""

from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from threading import Lock
from typing import Any, TypeVar

Result = TypeVar("Result")


class CallDeduplication:
    """Work by key; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._under_way: dict[str, Future[Any]] = {}

    def once(self, key: str, work: Callable[[], Result]) -> tuple[Result, bool]:
        """What the work came to, and whether another did it meanwhile.

        Work that has ended is forgotten: what comes after it is done anew. Where whoever works is interrupted, one of
        those who wait works instead.

        Args:
            key: Equal for equal work.
            work: Must not ask for its own key.

        Raises:
            Exception: What the work raised, for all who wait for it.
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
                own.cancel()  # interrupted: that is nobody else's answer
            raise
        self._landed(key)
        own.set_result(result)
        return result

    def _landed(self, key: str) -> None:
        with self._lock:
            del self._under_way[key]
