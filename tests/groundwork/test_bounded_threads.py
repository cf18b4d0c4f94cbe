"""Tasks that run at the same time."""

from threading import Barrier, Event

import pytest

from groundwork.threads import BoundedThreads

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
