"""Works that are done at the same time, so many at once."""

from collections.abc import Callable, Set
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from types import TracebackType
from typing import Any, Self


class Abreast:
    """Does works in threads. A context manager: left well, all works are done.

    Args:
        workers: How many are done at the same time. As many more wait, so that none of them is out of work while the
            next is made ready.
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
        """Say what the next works touch; if a work under way may touch some of it, all are waited for.

        Raises:
            Exception: As `settle`.
        """
        if not self._touched.isdisjoint(keys):
            self.settle()
            self._touched.clear()
        self._touched |= keys

    def begin(self, work: Callable[..., Any], *arguments: Any) -> None:
        """Begin a work, as soon as there is room for it.

        Raises:
            Exception: What a work begun before raised; those that were not begun are left then.
        """
        while len(self._under_way) >= self._most:
            self._take()
        self._under_way.add(self._threads.submit(work, *arguments))

    def settle(self) -> None:
        """Wait until all works are done.

        Raises:
            Exception: What one of them raised.
        """
        while self._under_way:
            self._take()

    def _take(self) -> None:
        """Take out what is done, at least one."""
        done, self._under_way = wait(self._under_way, return_when=FIRST_COMPLETED)
        for work in done:
            work.result()
