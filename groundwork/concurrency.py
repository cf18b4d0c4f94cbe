"""Work on many items in a few threads, with results in the order of the items."""

from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, wait
from queue import SimpleQueue
from threading import Event, Thread
from typing import TypeVar

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
