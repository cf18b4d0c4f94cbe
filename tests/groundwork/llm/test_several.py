"""Several questions at a time: in order, with the error of the first, and nothing begun after it."""

from threading import Barrier, Event
from unittest.mock import Mock, call

import pytest
from pydantic import BaseModel

from groundwork.errors import CallFailed, ModelFaltered, ReplyError
from groundwork.llm.asking import AskingModel
from groundwork.llm.desk import PATIENCE, Desk
from groundwork.llm.scripted import ScriptedModel
from groundwork.llm.several import answers, each
from groundwork.ports import Question
from groundwork.settings import Settings


class Number(BaseModel):
    """An answer."""

    value: int


def asked(*prompts):
    return [Question("s", prompt, Number) for prompt in prompts]


@pytest.mark.parametrize("workers", [1, 3, 50])
def test_results_stand_in_the_order_of_the_items(workers):
    assert each(lambda n: n * n, range(20), workers) == [n * n for n in range(20)]
    assert each(str, [], workers) == []


def test_so_many_are_under_way_at_a_time():
    together = Barrier(3)
    assert each(lambda n: together.wait(30) >= 0, range(6), 3) == [True] * 6


@pytest.mark.parametrize("workers", [1, 3])
def test_the_error_of_the_first_item_is_raised_and_nothing_begun_after_it(workers):
    begun = []

    def work(n):
        begun.append(n)
        return 1 // (n % 10 - 4)

    with pytest.raises(ZeroDivisionError):
        each(work, range(1000), workers)
    assert len(begun) <= 5 + workers


def test_what_was_begun_before_an_error_is_waited_for():
    failed, finished = Event(), []

    def work(n):
        if n:
            failed.set()
            raise ValueError(n)
        failed.wait(30)
        finished.append(n)

    with pytest.raises(ValueError, match="1"):
        each(work, range(9), 2)
    assert finished == [0]


def test_a_model_without_accounts_is_asked_one_after_the_other():
    model = ScriptedModel([{"value": 1}, "?", "?", {"value": 3}])
    first, second, third = answers(model, asked("a", "b", "c"))
    assert (first.value, third.value) == (1, 3)
    assert isinstance(second, ReplyError)


class Speaker:
    """Refuses some; what is slow is under way before the first refusal and answered after the last."""

    name, address, remote = "told:", "", True

    def __init__(self, refusals):
        self.left, self.begun, self.refused = refusals, Event(), Event()

    def say(self, turns, wanted, seconds, spent):
        spent(1, 1)
        if "no" in turns[1].text:
            self.begun.wait(30)
            self.left -= 1
            if not self.left:
                self.refused.set()
            raise ModelFaltered("refused")
        if "slow" in turns[1].text:
            self.begun.set()
            self.refused.wait(30)
        return '{"value": 4}'


def model(tmp_path, speaker, concurrency):
    settings = Settings(home=tmp_path, model_cache=False, model_concurrency=concurrency)
    return AskingModel(Desk(speaker, settings))


def test_refusals_that_overtake_an_answer_are_no_model_that_is_gone(tmp_path):
    one = model(tmp_path, Speaker(PATIENCE), 2)
    assert one.ask("s", "first", Number).value == 4
    slow, *refused = one.ask_all(asked("slow", *["no"] * PATIENCE))
    assert slow.value == 4
    assert all(isinstance(each, CallFailed) for each in refused)
    assert one.usage().items() >= {"calls": 2 + PATIENCE, "failed": PATIENCE}.items()


def test_a_model_that_answers_none_of_several_is_gone(tmp_path):
    speaker = Speaker(99)
    speaker.begun.set()
    one = model(tmp_path, speaker, 4)
    assert one.ask("s", "first", Number).value == 4
    with pytest.raises(ModelFaltered):
        one.ask_all(asked(*["no"] * 20))


class Together:
    """Answers the first question, and refuses the others when so many of them are there."""

    name, address, remote = "told:", "", True

    def __init__(self, others):
        self.there = Barrier(others)

    def say(self, turns, wanted, seconds, spent):
        if "no" not in turns[1].text:
            return '{"value": 4}'
        self.there.wait(30)
        raise ModelFaltered("refused")


def test_the_last_questions_failing_together_are_missing_answers_and_no_model_that_is_gone(tmp_path):
    one = model(tmp_path, Together(5), 5)
    found = one.ask_all(asked("first"))
    found += one.ask_all(asked(*["no"] * 5))
    assert [type(each) for each in found] == [Number, *[CallFailed] * 5]
    assert one.usage()["failed"] == 5


def test_each_answer_is_told_whoever_is_asked(tmp_path):
    speaker = Speaker(99)
    speaker.begun.set()
    speaker.refused.set()
    for one in (ScriptedModel([{"value": 1}, "?", "?"]), model(tmp_path, speaker, 2)):
        seen = Mock()
        assert len(answers(one, asked("a", "b"), seen)) == 2
        assert seen.mock_calls == [call.begin("asking", 2, "questions"), call.advance(1), call.advance(1)]
