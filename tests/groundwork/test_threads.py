"""Tasks that run at the same time."""

import time
from datetime import UTC, datetime
from threading import Barrier, Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwork.threads import BoundedThreads, backoff, map_in_order, retry_after, within

SECONDS = 20.0  # seconds after which a waiting test fails


def test_as_many_tasks_as_workers_run_at_the_same_time():
    met = Barrier(2)
    with BoundedThreads(2) as works:
        for _ in range(6):
            works.begin(met.wait, SECONDS)


def test_a_task_waits_for_earlier_tasks_that_touch_the_same_keys():
    done, free = [], Event()
    with BoundedThreads(2) as works:
        works.touch({"a"})
        works.begin(lambda: (free.wait(SECONDS), done.append("first")))
        works.touch({"b"})
        works.begin(lambda: (free.set(), done.append("beside it")))
        works.touch({"a", "c"})
        assert sorted(done) == ["beside it", "first"]
        works.touch({"b"})
        works.begin(lambda: done.append("after them"))
    assert done[-1] == "after them"


def test_the_error_of_an_item_is_raised_and_waiting_items_are_not_started():
    begun, free = [], Event()

    def fail():
        free.wait(SECONDS)
        raise KeyError("anything")

    with pytest.raises(KeyError), BoundedThreads(1) as works:
        works.begin(fail)
        works.begin(lambda: begun.append("second"))
        free.set()
        for _ in range(4):
            works.begin(free.wait, SECONDS)
        works.settle()
    assert len(begun) <= 1


@pytest.mark.parametrize("workers", [1, 3, 50])
def test_results_stand_in_the_order_of_the_items(workers):
    assert map_in_order(lambda n: n * n, range(20), workers) == [n * n for n in range(20)]
    assert map_in_order(str, [], workers) == []


def test_as_many_items_as_workers_are_worked_on_at_a_time():
    together = Barrier(3)
    assert map_in_order(lambda n: together.wait(30) >= 0, range(6), 3) == [True] * 6


@pytest.mark.parametrize("workers", [1, 3])
def test_the_error_of_the_first_item_is_raised_and_nothing_begun_after_it(workers):
    begun = []

    def work(n):
        begun.append(n)
        return 1 // (n % 10 - 4)

    with pytest.raises(ZeroDivisionError):
        map_in_order(work, range(1000), workers)
    assert len(begun) <= 5 + workers


def test_what_was_begun_before_an_error_is_waited_for():
    begun, failed, finished = Event(), Event(), []

    def work(n):
        if n:
            begun.wait(30)
            failed.set()
            raise ValueError(n)
        begun.set()
        failed.wait(30)
        finished.append(n)

    with pytest.raises(ValueError, match="1"):
        map_in_order(work, range(9), 2)
    assert finished == [0]


def test_an_interrupt_is_raised_and_nothing_is_begun_after_it():
    begun = []

    def work(n):
        begun.append(n)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        map_in_order(work, range(9), 1)
    assert begun == [0]


def test_a_result_is_returned():
    assert within(5, lambda: 7) == 7


def test_an_error_is_raised_unchanged():
    with pytest.raises(KeyError, match="lost"):
        within(5, lambda: {}["lost"])


def test_a_call_that_exceeds_its_limit_is_not_waited_for():
    release = Event()
    start = time.monotonic()
    with pytest.raises(TimeoutError):
        within(0.05, release.wait)
    assert time.monotonic() - start < 2
    release.set()


NOW = datetime(2026, 11, 22, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 0 "}, 0.0),
        ({"retry-after": "9" * 4000}, None),
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after-ms": "1500", "retry-after": "7"}, 1.5),
        ({"retry-after": "Sun, 22 Nov 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Sunday, 22-Nov-26 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Sun, 22 Nov 2026 11:59:30 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "Sun, 99 Nov 2026 12:00:30 GMT"}, None),
        ({}, None),
    ],
)
def test_the_wait_that_a_server_asks_for_is_read(headers, seconds):
    assert retry_after(headers, NOW) == seconds


@given(st.text(max_size=40))
def test_any_header_is_read_without_an_error(text):
    found = retry_after({"retry-after": text}, NOW)
    assert found is None or found >= 0


@pytest.mark.parametrize(("attempt", "seconds"), [(1, 2), (2, 4), (3, 8), (7, 128), (99, 128)])
def test_waits_double_up_to_a_limit(attempt, seconds):
    assert backoff(attempt, 2.0) == seconds
