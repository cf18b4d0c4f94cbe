"""The limit on concurrent calls: raised by answers, halved by overload, zero while the server asks to wait."""

from threading import Event, Semaphore, Thread
from time import sleep

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwork.llm.model_client import ConcurrencyLimit


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        self.now += 1.0
        return self.now


def test_a_call_waits_until_a_place_is_free():
    limit, release, inside = ConcurrencyLimit(1), Event(), Event()

    def hold():
        with limit.place():
            inside.set()
            release.wait(10)

    first = Thread(target=hold)
    first.start()
    inside.wait(10)
    got = Event()

    def second():
        with limit.place():
            got.set()

    other = Thread(target=second)
    other.start()
    assert not got.wait(0.05)
    release.set()
    assert got.wait(10)
    first.join()
    other.join()


def test_overload_halves_the_width_once_for_all_concurrent_calls():
    limit = ConcurrencyLimit(8, Clock())
    with limit.place() as first, limit.place() as second:
        limit.narrow(first)
        limit.narrow(second)
    assert limit.width == 4
    with limit.place() as later:
        limit.narrow(later)
    assert limit.width == 2


def test_a_round_of_answers_opens_one_more_place():
    limit = ConcurrencyLimit(8, Clock())
    with limit.place() as began:
        limit.narrow(began)
    assert limit.width == 4
    for _ in range(5):  # 4 + 1/4 + 1/4.25 + ... exceeds 5 with the fifth answer
        limit.widen()
    assert limit.width == 5


@given(st.lists(st.booleans(), max_size=60), st.integers(1, 16))
def test_the_width_stays_between_one_and_its_maximum(overloads, most):
    limit = ConcurrencyLimit(most, Clock())
    for overload in overloads:
        with limit.place() as began:
            limit.narrow(began) if overload else limit.widen()
        assert 1 <= limit.width <= most


def test_a_closed_limit_admits_no_call_before_its_time():
    now = [0.0]
    limit = ConcurrencyLimit(2, lambda: now[0])
    limit.close_for(0.05)
    entered = Event()

    def enter():
        with limit.place():
            entered.set()

    thread = Thread(target=enter, daemon=True)
    thread.start()
    assert not entered.wait(0.15)
    now[0] = 1.0
    assert entered.wait(10)
    thread.join()


def test_a_freed_place_wakes_exactly_one_waiting_call():
    looks, inside, release = [], Semaphore(0), Semaphore(0)
    limit = ConcurrencyLimit(1, lambda: looks.append(1) or 0.0)

    def enter():
        with limit.place():
            inside.release()
            release.acquire(timeout=10)

    threads = [Thread(target=enter) for _ in range(20)]
    for thread in threads:
        thread.start()
    inside.acquire(timeout=10)
    while len(looks) <= len(threads):  # each waiting call has read the clock once, the running one twice
        sleep(0.001)
    for _ in threads[1:]:
        release.release()
        assert inside.acquire(timeout=10)
        sleep(0.002)  # gives calls that are woken without a free place the time to read the clock
    release.release()
    for thread in threads:
        thread.join(10)
    assert len(looks) <= 4 * len(threads)  # grows with the square of the threads if a free place wakes all


def test_no_waiting_call_is_forgotten_while_the_width_changes():
    limit, passed = ConcurrencyLimit(4), []

    def enter(number):
        with limit.place() as began:
            limit.narrow(began) if number % 5 == 0 else limit.widen()
        passed.append(number)

    threads = [Thread(target=enter, args=(number,)) for number in range(200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert sorted(passed) == list(range(200))


def test_a_place_is_given_back_after_an_error():
    limit = ConcurrencyLimit(1)
    with pytest.raises(KeyError), limit.place():
        raise KeyError
    with limit.place():
        pass
