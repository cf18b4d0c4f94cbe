"""Work in threads: results have the order of the items, and no item is started after an error."""

from threading import Barrier, Event

import pytest

from groundwork.threads import map_in_order


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
