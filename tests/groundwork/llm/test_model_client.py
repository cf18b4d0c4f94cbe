"""The client of all model calls, with a scripted provider and without waiting."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from threading import Barrier, Event, Semaphore, Thread
from time import sleep
from unittest.mock import Mock, call

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from groundwork.errors import BudgetSpent, CallFailed, ModelFaltered, ModelTooSlow, ModelUnreachable, ReplyError
from groundwork.llm.model_client import PATIENCE, Answers, AskingModel, ConcurrencyLimit, ModelClient, ReplyRequest
from groundwork.llm.model_client import answers as answers_of
from groundwork.llm.scripted import ScriptedModel
from groundwork.ports import Accounting, LanguageModel, Question
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


ASKED = ReplyRequest("openai:m", "", "system", "1", "prompt", {"type": "object"}, {"temperature": 0.0, "seed": 0})


@pytest.fixture
def answers(tmp_path):
    return Answers(tmp_path / "cache" / "answers.sqlite", 2**20)


def test_a_stored_answer_is_returned(answers):
    assert answers.get(ASKED) is None
    answers.put(ASKED, '{"value": "é"}')
    assert answers.get(ASKED) == '{"value": "é"}'


@pytest.mark.parametrize(
    "change",
    [
        {"model": "openai:n"},
        {"address": "http://other"},
        {"system": "System"},
        {"version": "2"},
        {"prompt": "prompt "},
        {"schema": {"type": "array"}},
        {"parameters": {"temperature": 0.0, "seed": 1}},
        {"parameters": {"temperature": 0.7, "seed": 0}},
    ],
)
def test_the_key_holds_everything_that_an_answer_depends_on(answers, change):
    answers.put(ASKED, "{}")
    assert answers.get(replace(ASKED, **change)) is None
    assert answers.get(replace(ASKED, parameters=dict(reversed(ASKED.parameters.items())))) == "{}"


def test_the_file_holds_no_question(answers):
    answers.put(replace(ASKED, prompt="a patient's own words"), "{}")
    assert b"own words" not in answers.path.read_bytes()


def test_the_log_is_moved_into_the_file_at_the_end_and_not_at_each_answer(answers):
    log = answers.path.with_name(f"{answers.path.name}-wal")
    answers.put(ASKED, "{}")
    assert log.exists()
    again = Answers(answers.path, 2**20)
    assert again.get(ASKED) == "{}"
    del again
    assert log.exists()


def test_the_cache_keeps_its_size_limit_and_drops_the_least_recently_used_answers(answers):
    first, reply = replace(ASKED, prompt="first"), '"' + "x" * 10_000 + '"'
    answers.put(first, reply)
    for number in range(300):
        answers.put(replace(ASKED, prompt=str(number)), reply)
        if number < 150:
            assert answers.get(first), "it is used all the time"
    assert answers.path.stat().st_size < 2 * 2**20
    assert answers.get(replace(ASKED, prompt="299"))
    assert answers.get(replace(ASKED, prompt="0")) is None


def test_a_file_that_is_not_a_database_is_removed_and_made_again(answers):
    answers.path.parent.mkdir()
    answers.path.write_bytes(b"something else" * 100)
    assert answers.get(ASKED) is None
    answers.put(ASKED, "{}")
    assert answers.get(ASKED) == "{}"


def test_where_nothing_can_be_written_there_is_no_cache_and_no_error(tmp_path):
    (tmp_path / "file").write_text("in the way")
    answers = Answers(tmp_path / "file" / "answers.sqlite", 2**20)
    answers.put(ASKED, "{}")
    assert answers.get(ASKED) is None


def test_a_locked_file_is_a_miss(answers, monkeypatch):
    answers.put(ASKED, "{}")
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda path, timeout: connect(path, timeout=0.01))
    with closing(connect(answers.path)) as other:
        other.execute("BEGIN EXCLUSIVE")
        answers.put(replace(ASKED, prompt="other"), "{}")
        other.rollback()
    assert answers.get(ASKED) == "{}"
    assert answers.get(replace(ASKED, prompt="other")) is None


def test_several_processes_write_at_the_same_time(answers):
    code = (
        "import sys; from pathlib import Path; from groundwork.llm.model_client import Answers, ReplyRequest\n"
        "answers = Answers(Path(sys.argv[1]), 2**20)\n"
        "for n in range(40):\n"
        "    answers.put(ReplyRequest('m', '', '', '', f'{sys.argv[2]} {n}', {}, {}), sys.argv[2])\n"
    )
    runs = [subprocess.Popen([sys.executable, "-c", code, str(answers.path), name]) for name in "abc"]
    assert [run.wait(60) for run in runs] == [0, 0, 0]
    for name in "abc":
        asked = [ReplyRequest("m", "", "", "", f"{name} {n}", {}, {}) for n in range(40)]
        assert [answers.get(each) for each in asked] == [name] * 40


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


class Number(BaseModel):
    """An answer."""

    value: int


def asked(*prompts):
    return [Question("s", prompt, Number) for prompt in prompts]


def test_a_model_without_accounts_is_asked_one_question_at_a_time():
    model = ScriptedModel([{"value": 1}, "?", "?", {"value": 3}])
    first, second, third = answers_of(model, asked("a", "b", "c"))
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
        assert len(answers_of(one, asked("a", "b"), seen)) == 2
        assert seen.mock_calls == [call.begin("asking", 2, "questions"), call.advance(1), call.advance(1)]
