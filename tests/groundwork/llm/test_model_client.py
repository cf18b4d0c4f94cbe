"""The client of all model calls, with a scripted provider and without waiting."""

import json
import sqlite3
from threading import Barrier, Thread

import pytest
from pydantic import BaseModel, ConfigDict

from groundwork.errors import (
    BudgetSpent,
    CallFailed,
    ModelFaltered,
    ModelTooSlow,
    ModelUnreachable,
    ReplyError,
)
from groundwork.llm.model_client import AskingModel, ModelClient
from groundwork.ports import Accounting, LanguageModel
from groundwork.settings import Settings


class Answer(BaseModel):
    """An answer."""

    model_config = ConfigDict(extra="forbid")

    value: int


GOOD = '{"value": 4}'
BUSY = ModelFaltered("busy", again=True)
FULL = ModelFaltered("full", again=True, overload=True)
WRONG = ModelFaltered("wrong")


class ScriptedProvider:
    """Returns or raises what a test scripts. Each reply counts ten prompt tokens and five reply tokens."""

    name, address, remote = "told:", "", True

    def __init__(self, *outcomes):
        self.outcomes = list(outcomes)
        self.asked = []

    def say(self, turns, wanted, seconds, spent):
        self.asked.append((turns, wanted, seconds))
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        spent(10, 5)
        return outcome


@pytest.fixture
def made(tmp_path):
    def make(*outcomes, **values):
        provider, waits = ScriptedProvider(*outcomes), []
        client = ModelClient(provider, Settings(home=tmp_path, **values), waits.append)
        return AskingModel(client), provider, waits

    return make


def ask(model, prompt="p", **options):
    return model.ask("s", prompt, Answer, **options).value


def test_the_client_is_a_language_model_with_accounts(made):
    model, _, _ = made()
    assert isinstance(model, LanguageModel)
    assert isinstance(model, Accounting)


def test_temporary_errors_are_retried_after_doubling_waits(made):
    model, provider, waits = made(BUSY, BUSY, BUSY, GOOD, model_wait=1)
    assert ask(model) == 4
    assert model.usage().items() >= {"calls": 1, "retries": 3, "failed": 0}.items()
    assert [1 / 2 <= waits[0] <= 1, 1 <= waits[1] <= 2, 2 <= waits[2] <= 4] == [True] * 3
    assert len(provider.asked) == 4


def test_attempts_are_limited(made):
    model, provider, _ = made(*[BUSY] * 9, model_tries=3)
    with pytest.raises(ModelFaltered, match="busy"):
        ask(model)
    assert len(provider.asked) == 3
    assert model.usage()["failed"] == 1


@pytest.mark.parametrize("outcome", [WRONG, ModelUnreachable("no key")])
def test_permanent_errors_are_not_retried(made, outcome):
    model, provider, waits = made(outcome)
    with pytest.raises(ModelUnreachable):
        ask(model)
    assert (len(provider.asked), waits) == (1, [])


def test_a_retry_waits_as_long_as_the_server_asks(made):
    model, _, waits = made(ModelFaltered("full", again=True, after=0.02), GOOD, model_wait=0)
    assert ask(model) == 4
    assert waits == [0.02]


def test_a_server_that_asks_for_more_than_the_limit_is_given_up_at_once(made):
    model, provider, waits = made(ModelFaltered("full", again=True, after=200.0), model_timeout=100)
    with pytest.raises(ModelFaltered, match="full"):
        ask(model)
    assert (len(provider.asked), waits) == (1, [])


def test_a_timeout_is_retried_and_then_reported_with_its_limit(made):
    model, provider, _ = made(TimeoutError(), GOOD, model_timeout=30)
    assert ask(model) == 4
    assert [seconds for _, _, seconds in provider.asked] == [20, 20], "a try leaves time for another"
    model, _, _ = made(*[TimeoutError()] * 4, model_timeout=30, model_cache=False)
    with pytest.raises(ModelTooSlow, match="30 s"):
        ask(model)


def test_overload_lowers_the_concurrency_limit_and_answers_raise_it(made):
    model, _, _ = made(FULL, *[GOOD] * 3, model_concurrency=4, model_cache=False)
    for _ in range(3):
        ask(model)
    assert 2 <= model._client._concurrency_limit.width <= 3


def test_one_failure_is_a_missing_answer_and_several_in_a_row_mean_a_lost_model(made):
    model, _, _ = made(GOOD, WRONG, GOOD, WRONG, WRONG, WRONG, model_cache=False)
    assert ask(model) == 4
    with pytest.raises(CallFailed, match="wrong"):
        ask(model)
    assert ask(model) == 4
    for _ in range(2):
        with pytest.raises(CallFailed):
            ask(model)
    with pytest.raises(ModelFaltered):
        ask(model)


def test_an_unusable_reply_is_repaired_once_and_never_cached(made):
    model, provider, _ = made("no", GOOD, "no", "no", "", "", GOOD)
    assert ask(model) == 4
    assert ask(model) == 4
    assert model.usage().items() >= {"calls": 2, "repairs": 1, "cached": 1}.items()
    for _ in range(2):
        with pytest.raises(ReplyError, match="after one repair round"):
            ask(model, "q")
    assert ask(model, "q") == 4
    assert len(provider.asked) == 7


def test_a_failed_call_is_not_repaired(made):
    model, provider, _ = made(GOOD, WRONG, model_cache=False)
    ask(model)
    with pytest.raises(CallFailed):
        ask(model)
    assert len(provider.asked) == 2
    assert model.usage()["repairs"] == 0


def test_answers_are_cached_by_prompt_version_temperature_and_seed(made):
    model, provider, _ = made(*[GOOD] * 5)
    for options in ({}, {"version": "2"}, {"seed": 1}, {"temperature": 0.5}, {}, {"version": "2"}):
        assert ask(model, **options) == 4
    assert len(provider.asked) == 4
    assert model.usage()["cached"] == 2


def test_a_cached_answer_that_no_longer_fits_is_asked_again(made, tmp_path):
    model, provider, _ = made(GOOD, GOOD)
    ask(model)
    with sqlite3.connect(model._client._answers.path) as database:
        database.execute('UPDATE replies SET reply = \'{"value": "4"}\'')
    assert ask(model) == 4
    assert len(provider.asked) == 2


def test_without_the_setting_there_is_no_cache(made, tmp_path):
    model, _, _ = made(GOOD, GOOD, model_cache=False)
    assert [ask(model), ask(model)] == [4, 4]
    assert not (tmp_path / "cache").exists()


def test_a_spent_budget_stops_calls_but_cached_answers_are_still_returned(made):
    model, _, _ = made(*[GOOD] * 9, model_budget_tokens=40)
    assert [ask(model, "1"), ask(model, "2")] == [4, 4]
    with pytest.raises(BudgetSpent, match="--budget-tokens") as spent:
        ask(model, "3" * 80)
    assert spent.value.exit_code == 1
    assert ask(model, "1") == 4
    assert model.usage().items() >= {"calls": 2, "unasked": 1, "failed": 0, "cached": 1}.items()


def test_accounts_are_separate_and_their_sum_is_the_models_usage(made):
    model, _, _ = made(*[GOOD] * 3, model_cache=False)
    one, two = model.account(), model.account()
    ask(one)
    ask(two)
    ask(two)
    assert [each.usage()["calls"] for each in (one, two, model)] == [1, 2, 3]
    assert [each.usage()["prompt_tokens"] for each in (one, two, model)] == [10, 20, 30]


def test_threads_ask_concurrently_and_every_call_is_counted(made):
    model, provider, _ = made(model_concurrency=6, model_cache=False)
    together = Barrier(6)

    def say(turns, wanted, seconds, spent):
        together.wait(30)  # passes only if six calls are under way at a time
        spent(10, 5)
        return json.dumps({"value": int(turns[1].text)})

    provider.say = say
    found = []
    threads = [Thread(target=lambda n=n: found.append((n, ask(model, str(n))))) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(found) == [(n, n) for n in range(12)]
    assert model.usage().items() >= {"calls": 12, "prompt_tokens": 120, "completion_tokens": 60}.items()
