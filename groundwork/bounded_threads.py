"""Run functions in a limited number of threads."""

from collections.abc import Callable, Set
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from types import TracebackType
from typing import Any, Self


class BoundedThreads:
    """Runs functions in threads. It is a context manager; when the block ends without an error, all functions are done.

    Args:
        workers: Number of threads. The same number of further functions may wait, so that no thread is idle while the
            caller prepares the next function.
    """

    def __init__(self, workers: int) -> None:
        self._most = 2 * workers
        self._threads = ThreadPoolExecutor(workers)
        self._under_way: set[Future[Any]] = set()
        self._touched: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                self.settle()
        finally:
            self._threads.shutdown(cancel_futures=True)

    def touch(self, keys: Set[str]) -> None:
        """Declare the keys of the data that the next functions use.

        If an earlier function may use one of these keys, wait until all earlier functions are done.

        Raises:
            Exception: The exception of an earlier function; see `settle`.
        """
        if not self._touched.isdisjoint(keys):
            self.settle()
            self._touched.clear()
        self._touched |= keys

    def begin(self, work: Callable[..., Any], *arguments: Any) -> None:
        """Hand a function to the threads. If too many functions are running or waiting, wait until one is done.

        Raises:
            Exception: The exception of an earlier function. If it leaves the `with` block, functions that have not
                started are dropped.
        """
        while len(self._under_way) >= self._most:
            self._take()
        self._under_way.add(self._threads.submit(work, *arguments))

    def settle(self) -> None:
        """Wait until all functions are done.

        Raises:
            Exception: The exception of one of the functions.
        """
        while self._under_way:
            self._take()

    def _take(self) -> None:
        """Wait until at least one function is done, and forget the functions that are done."""
        done, self._under_way = wait(self._under_way, return_when=FIRST_COMPLETED)
        for work in done:
            work.result()
