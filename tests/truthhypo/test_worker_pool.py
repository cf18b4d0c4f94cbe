"""Several items at a time, with results in order."""

from concurrent.futures import CancelledError
from contextlib import closing, suppress
from threading import Barrier, Event, Lock, Semaphore
from time import sleep

import pytest
from pydantic import BaseModel

from groundwork.llm.scripted import ScriptedModel
from groundwork.ports import Question
from truthhypo.worker_pool import WorkerPool, YieldingModel


@pytest.mark.parametrize("workers", [1, 3])
def test_results_come_in_the_order_of_the_items(workers):
    pool = WorkerPool(workers)
    assert [(item, done.result()) for item, done in pool.run(lambda n: n * n, range(20))] == [
        (n, n * n) for n in range(20)
    ]


@pytest.mark.parametrize("workers", [1, 3])
def test_errors_are_kept_with_their_item(workers):
    found = dict(WorkerPool(workers).run(lambda n: 1 // n, [0, 1]))
    assert found[1].result() == 1
    with pytest.raises(ZeroDivisionError):
        found[0].result()


def test_workers_take_turns_except_while_the_model_is_asked():
    turn, together = Lock(), Barrier(3)

    class Asked(ScriptedModel):
        def ask(self, *args, **options):
            together.wait(30)  # all three wait for the model at the same time

    model = YieldingModel(Asked([]), turn)

    def work(_):
        assert turn.locked()
        model.ask("s", "p", None)
        assert turn.locked()
        return "done"

    assert [done.result() for _, done in WorkerPool(3, turn).run(work, range(6))] == ["done"] * 6
    assert not turn.locked()


def test_other_workers_continue_while_one_asks_several_questions():
    turn, asked, worked = Lock(), Event(), Event()

    class Asked(ScriptedModel):
        def ask(self, *args, **options):
            asked.set()
            assert worked.wait(30)  # until another worker had the turn
            return "answer"

    model = YieldingModel(Asked([]), turn)

    def work(asks):
        if asks:
            return model.ask_all([Question("s", "p", BaseModel)] * 2)
        assert turn.locked()
        worked.set()
        return []

    assert [done.result() for _, done in WorkerPool(2, turn).run(work, [True, False])] == [["answer", "answer"], []]
    assert not turn.locked()
    assert asked.is_set()


@pytest.mark.parametrize("workers", [1, 2])
def test_after_a_stop_no_item_is_begun(workers):
    pool, begun = WorkerPool(workers), []
    for item, done in pool.run(begun.append, range(1000)):
        with suppress(CancelledError):
            done.result()
        if item == 3:
            pool.stop()
    assert 4 <= len(begun) <= 4 + 4 * workers


def test_leaving_early_stops_the_workers():
    pool, begun = WorkerPool(2), []
    for _ in pool.run(begun.append, range(1000)):
        break
    assert len(begun) < 100


def test_without_items_there_are_no_results():
    assert list(WorkerPool(4).run(str, [])) == []


def test_after_the_caller_has_left_no_worker_takes_a_turn_again():
    turn, asked, answered, back = Lock(), Semaphore(0), Event(), []

    class Asked(ScriptedModel):
        def ask(self, *args, **options):
            asked.release()
            assert answered.wait(30)

    model = YieldingModel(Asked([]), turn)

    def work(number):
        if number == 0:
            raise KeyError(number)
        model.ask("s", "p", None)
        back.append(number)

    with pytest.raises(KeyError), closing(WorkerPool(3, turn).run(work, range(9))) as outcomes:
        _, first = next(outcomes)
        for _ in range(2):
            assert asked.acquire(timeout=30)  # two wait for the model
        first.result()
    answered.set()
    sleep(0.1)
    assert back == []
    assert turn.locked()
