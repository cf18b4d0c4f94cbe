"""Run functions in threads: in a limited number, in the order of items, or within a time limit, and wait to retry.

Before a retry, the program waits as long as the server asks (Retry-After), otherwise with exponential backoff.
"""

from collections import deque
from collections.abc import Callable, Generator, Mapping, Sequence, Set
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from queue import SimpleQueue
from threading import Event, Thread
from time import monotonic
from types import TracebackType
from typing import Any, Self, TypeVar


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


Item = TypeVar("Item")
Result = TypeVar("Result")

#: Maximum number of items per worker that are queued, in progress or done, but not yet yielded. It is above 1, so that
#: a slow item does not hold up the items after it.
_AHEAD = 4


def results_in_order(
    work: Callable[[Item], Result], items: Sequence[Item], workers: int, stopped: Event
) -> Generator[tuple[Item, "Future[Result]"], None, None]:
    """Yield each item with the future of its result, in the order of the items. The future may not be done yet.

    The threads are daemons, unlike the threads of `concurrent.futures.ThreadPoolExecutor`: an interrupted command ends
    at once and does not wait for a call that is in progress. If you do not use all items, close the generator.

    Args:
        work: The function to call with each item; safe for several threads. With one worker, it is called in the
            caller's thread.
        items: The items. They are started in this order.
        workers: Maximum number of calls at the same time, >= 1.
        stopped: If this event is set, no further item is started. Items that wait for a thread are still yielded, and
            their futures are cancelled. Calls in progress are finished.
    """
    threads = min(workers, len(items)) if workers > 1 else 0
    jobs: SimpleQueue[tuple[Item, Future[Result]] | None] = SimpleQueue()
    waiting: deque[tuple[Item, Future[Result]]] = deque()
    for _ in range(threads):
        Thread(target=_serve, args=(work, jobs, stopped), name="worker", daemon=True).start()
    pending = iter(items)
    complete = False
    try:
        while True:
            while len(waiting) < max(1, _AHEAD * threads) and not stopped.is_set():
                try:
                    job = next(pending), Future[Result]()
                except StopIteration:
                    break
                waiting.append(job)
                if threads:
                    jobs.put(job)
                else:
                    _complete(work, *job)
            if not waiting:
                complete = True
                return
            yield waiting.popleft()
    finally:
        if not complete:
            stopped.set()
        for _ in range(threads):
            jobs.put(None)


def map_in_order(work: Callable[[Item], Result], items: Sequence[Item], workers: int) -> list[Result]:
    """Return the results of all items, in the order of the items.

    After an error, no further item is started, and `map_in_order` waits for the calls in progress.

    Args:
        work: The function to call with each item; safe for several threads.
        items: The items.
        workers: Maximum number of calls at the same time, >= 1.

    Raises:
        Exception: The error of the first item, in the order of `items`, that failed.
    """
    stopped = Event()

    def stopping(item: Item) -> Result:
        try:
            return work(item)
        except BaseException:
            stopped.set()
            raise

    try:
        futures = [future for _, future in results_in_order(stopping, items, workers, stopped)]
        wait(futures)
    finally:
        stopped.set()  # if the caller is interrupted, the threads end after their present item
    for future in futures:
        if not future.cancelled() and (error := future.exception()):
            raise error
    return [future.result() for future in futures]


def _serve(
    work: Callable[[Item], Result], jobs: "SimpleQueue[tuple[Item, Future[Result]] | None]", stopped: Event
) -> None:
    while (job := jobs.get()) is not None:
        if stopped.is_set():
            job[1].cancel()
            job[1].set_running_or_notify_cancel()  # without it `wait` would not count the future as done
        else:
            _complete(work, *job)


def _complete(work: Callable[[Item], Result], item: Item, future: "Future[Result]") -> None:
    try:
        future.set_result(work(item))
    except BaseException as error:  # noqa: BLE001 - raised again by result(), where the results are taken
        future.set_exception(error)


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


def backoff(attempt: int, first: float) -> float:
    """Return the seconds to wait after a failed attempt: first * 2^(attempt - 1), at most 64 * first.

    Args:
        attempt: Number of failed attempts so far, >= 1.
        first: The first wait in seconds.
    """
    return first * 2.0 ** min(attempt - 1, 6)


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Return how many seconds a server asks to wait, according to its headers.

    The header `retry-after-ms` has priority over Retry-After, which gives seconds or a date (RFC 9110).

    Args:
        headers: Headers of the answer; names are looked up in lower case.
        now: The present time, for tests.

    Returns:
        Seconds, >= 0; None if no header contains a readable time.
    """
    milliseconds, text = _number(headers.get("retry-after-ms")), headers.get("retry-after")
    if milliseconds is not None:
        return milliseconds / 1000
    if (seconds := _number(text)) is not None:
        return seconds
    try:
        then = parsedate_to_datetime(text) if text else None
    except (ValueError, TypeError, OverflowError):
        return None
    if then is None:
        return None
    then = then if then.tzinfo else then.replace(tzinfo=UTC)
    return max(0.0, (then - (now or datetime.now(UTC))).total_seconds())


def _number(text: str | None) -> float | None:
    try:
        value = float(text) if text else None
    except ValueError:
        return None
    return value if value is not None and isfinite(value) and value >= 0 else None
