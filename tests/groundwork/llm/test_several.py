"""Several questions at a time."""

from threading import Barrier, Event
from unittest.mock import Mock, call

import pytest
from pydantic import BaseModel

from groundwork.errors import CallFailed, ModelFaltered, ReplyError
from groundwork.llm.model_client import PATIENCE, AskingModel, ModelClient, answers
from groundwork.llm.scripted import ScriptedModel
from groundwork.ports import Question
from groundwork.settings import Settings


class Number(BaseModel):
    """An answer."""

    value: int


def asked(*prompts):
    return [Question("s", prompt, Number) for prompt in prompts]


def test_a_model_without_accounts_is_asked_one_question_at_a_time():
    model = ScriptedModel([{"value": 1}, "?", "?", {"value": 3}])
    first, second, third = answers(model, asked("a", "b", "c"))
    assert (first.value, third.value) == (1, 3)
    assert isinstance(second, ReplyError)


class ChatProvider:
    """Refuses some questions. A slow question begins before the first refusal and is answered after the last."""

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


def model(tmp_path, provider, concurrency):
    settings = Settings(home=tmp_path, model_cache=False, model_concurrency=concurrency)
    return AskingModel(ModelClient(provider, settings))


def test_refusals_that_overtake_an_answer_do_not_mean_a_lost_model(tmp_path):
    one = model(tmp_path, ChatProvider(PATIENCE), 2)
    assert one.ask("s", "first", Number).value == 4
    slow, *refused = one.ask_all(asked("slow", *["no"] * PATIENCE))
    assert slow.value == 4
    assert all(isinstance(each, CallFailed) for each in refused)
    assert one.usage().items() >= {"calls": 2 + PATIENCE, "failed": PATIENCE}.items()


def test_a_model_that_answers_none_of_several_is_gone(tmp_path):
    provider = ChatProvider(99)
    provider.begun.set()
    one = model(tmp_path, provider, 4)
    assert one.ask("s", "first", Number).value == 4
    with pytest.raises(ModelFaltered):
        one.ask_all(asked(*["no"] * 20))


class Together:
    """Answers the first question, and refuses the others once `others` of them have arrived."""

    name, address, remote = "told:", "", True

    def __init__(self, others):
        self.there = Barrier(others)

    def say(self, turns, wanted, seconds, spent):
        if "no" not in turns[1].text:
            return '{"value": 4}'
        self.there.wait(30)
        raise ModelFaltered("refused")


def test_last_questions_that_fail_together_are_missing_answers_not_a_lost_model(tmp_path):
    one = model(tmp_path, Together(5), 5)
    found = one.ask_all(asked("first"))
    found += one.ask_all(asked(*["no"] * 5))
    assert [type(each) for each in found] == [Number, *[CallFailed] * 5]
    assert one.usage()["failed"] == 5


def test_progress_counts_each_answer_of_any_model(tmp_path):
    provider = ChatProvider(99)
    provider.begun.set()
    provider.refused.set()
    for one in (ScriptedModel([{"value": 1}, "?", "?"]), model(tmp_path, provider, 2)):
        seen = Mock()
        assert len(answers(one, asked("a", "b"), seen)) == 2
        assert seen.mock_calls == [call.begin("asking", 2, "questions"), call.advance(1), call.advance(1)]
