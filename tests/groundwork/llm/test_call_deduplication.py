"""Equal work at the same time is done once."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier, Event, Lock

import pytest

from groundwork.llm.call_deduplication import CallDeduplication


class Work:
    """Counts how often it is done; waits to be let go."""

    def __init__(self, *errors):
        self.done, self.begun, self.leave = 0, Event(), Event()
        self._errors, self._lock = list(errors), Lock()

    def __call__(self):
        with self._lock:
            self.done += 1
            error = self._errors.pop(0) if self._errors else None
        self.begun.set()
        assert self.leave.wait(30)
        if error is not None:
            raise error
        return self.done


def waiting(calls):
    """Set when somebody is told to wait for the work of another."""
    joined = Event()

    class Watched(dict):
        def setdefault(self, key, value):
            held = super().setdefault(key, value)
            if held is not value:
                joined.set()
            return held

    calls._under_way = Watched()
    return joined


@contextmanager
def both(calls, work):
    """What two hear who ask for the same work, the second while the first is at it; then the work goes on."""
    joined = waiting(calls)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(calls.once, "a", work)
        work.begun.wait(30)
        second = pool.submit(calls.once, "a", work)
        assert joined.wait(30)
        work.leave.set()
        yield first, second


def test_who_comes_later_hears_what_the_first_one_heard():
    calls, work = CallDeduplication(), Work()
    with both(calls, work) as (first, second):
        assert (first.result(30), second.result(30)) == ((1, False), (1, True))
    assert calls.once("a", work) == (2, False), "what has ended is forgotten"


def test_other_work_goes_on_beside():
    calls, together = CallDeduplication(), Barrier(2)
    with ThreadPoolExecutor(2) as pool:
        found = [pool.submit(calls.once, key, lambda: together.wait(30)) for key in "ab"]
        assert sorted(each.result(30)[0] for each in found) == [0, 1]


def test_an_error_is_that_of_all_and_forgotten_after():
    calls, work = CallDeduplication(), Work(ValueError("no"))
    with both(calls, work) as (first, second):
        for each in (first, second):
            with pytest.raises(ValueError, match="no"):
                each.result(30)
    assert calls.once("a", work) == (2, False)


def test_an_interruption_is_nobody_elses_answer():
    calls, work = CallDeduplication(), Work(KeyboardInterrupt())
    with both(calls, work) as (first, second):
        with pytest.raises(KeyboardInterrupt):
            first.result(30)
        assert second.result(30) == (2, False)
