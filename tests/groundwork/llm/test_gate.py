"""How many calls are under way: opened by answers, halved by overload, closed while the server wants peace."""

from threading import Event, Semaphore, Thread
from time import sleep

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwork.llm.gate import Gate


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        self.now += 1.0
        return self.now


def test_a_place_is_waited_for():
    gate, release, inside = Gate(1), Event(), Event()

    def hold():
        with gate.place():
            inside.set()
            release.wait(10)

    first = Thread(target=hold)
    first.start()
    inside.wait(10)
    got = Event()

    def second():
        with gate.place():
            got.set()

    other = Thread(target=second)
    other.start()
    assert not got.wait(0.05)
    release.set()
    assert got.wait(10)
    first.join()
    other.join()


def test_overload_halves_once_for_all_that_were_under_way_together():
    gate = Gate(8, Clock())
    with gate.place() as first, gate.place() as second:
        gate.narrow(first)
        gate.narrow(second)
    assert gate.width == 4
    with gate.place() as later:
        gate.narrow(later)
    assert gate.width == 2


def test_a_round_of_answers_opens_one_more_place():
    gate = Gate(8, Clock())
    with gate.place() as began:
        gate.narrow(began)
    assert gate.width == 4
    for _ in range(5):  # 4 + 1/4 + 1/4.25 + ... passes 5 with the fifth
        gate.widen()
    assert gate.width == 5


@given(st.lists(st.booleans(), max_size=60), st.integers(1, 16))
def test_the_width_stays_between_one_and_the_most(overloads, most):
    gate = Gate(most, Clock())
    for overload in overloads:
        with gate.place() as began:
            gate.narrow(began) if overload else gate.widen()
        assert 1 <= gate.width <= most


def test_a_closed_gate_lets_nobody_in_before_its_time():
    now = [0.0]
    gate = Gate(2, lambda: now[0])
    gate.close_for(0.05)
    entered = Event()

    def enter():
        with gate.place():
            entered.set()

    thread = Thread(target=enter, daemon=True)
    thread.start()
    assert not entered.wait(0.15)
    now[0] = 1.0
    assert entered.wait(10)
    thread.join()


def test_a_free_place_wakes_one_of_those_who_wait():
    looks, inside, release = [], Semaphore(0), Semaphore(0)
    gate = Gate(1, lambda: looks.append(1) or 0.0)

    def enter():
        with gate.place():
            inside.release()
            release.acquire(timeout=10)

    threads = [Thread(target=enter) for _ in range(20)]
    for thread in threads:
        thread.start()
    inside.acquire(timeout=10)
    while len(looks) <= len(threads):  # each that waits has looked once, and who is in twice
        sleep(0.001)
    for _ in threads[1:]:
        release.release()
        assert inside.acquire(timeout=10)
        sleep(0.002)  # time for those who would be woken in vain
    release.release()
    for thread in threads:
        thread.join(10)
    assert len(looks) <= 4 * len(threads)  # with all woken at each place it is the square


def test_nobody_is_forgotten_while_the_width_falls_and_grows():
    gate, passed = Gate(4), []

    def enter(number):
        with gate.place() as began:
            gate.narrow(began) if number % 5 == 0 else gate.widen()
        passed.append(number)

    threads = [Thread(target=enter, args=(number,)) for number in range(200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert sorted(passed) == list(range(200))


def test_a_place_is_given_back_after_an_error():
    gate = Gate(1)
    with pytest.raises(KeyError), gate.place():
        raise KeyError
    with gate.place():
        pass
