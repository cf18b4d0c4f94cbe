"""Judgements by a language model on loopback: what is cached, what is reported, and which errors end the run."""

import json
import shutil
from threading import Barrier

import pytest

from groundwork.settings import Settings
from tests.loopback import Answer, claims_wanted, completion, serving, well

KEY = "sk-not-to-be-shown"
TEXTS = [
    "Simvastatin lowers cholesterol.",
    "Aspirin causes myocardial infarction.",
    "Metformin treats type 2 diabetes mellitus.",
    "Warfarin prevents thrombosis.",
]


@pytest.fixture
def server():
    with serving() as server:
        yield server


@pytest.fixture
def ask(command, sample_home, server, monkeypatch, tmp_path):
    """The command on a copy of the sample's HOME, so that each test has its own cache."""
    home = tmp_path / "home"
    shutil.copytree(sample_home, home)
    monkeypatch.setenv("OPENAI_BASE_URL", server.address)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("TRUTHHYPO_MODEL_WAIT", "0.001")
    monkeypatch.setenv("TRUTHHYPO_MODEL_TIMEOUT", "3")
    return lambda *argv: command("--home", home, "--model", "openai:m", *argv)


@pytest.fixture
def texts(tmp_path):
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(TEXTS), "utf-8")
    return path


def records(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def without_usage(found):
    return [{name: value for name, value in record.items() if name != "usage"} for record in found]


def test_a_question_is_not_asked_twice(ask, server):
    first = ask("ground", TEXTS[0])
    assert first.code == 0, first.err
    assert first.json["groundedness"]["both"] == 1.0
    assert first.json["usage"]["calls"] == len(server.requests) == 2
    assert first.json["usage"]["prompt_tokens"] == 1400
    again = ask("ground", TEXTS[0])
    assert len(server.requests) == 2
    assert (again.json["usage"]["calls"], again.json["usage"]["cached"]) == (0, 2)
    assert without_usage([again.json]) == without_usage([first.json])
    ask("ground", TEXTS[0], "--no-cache")
    assert len(server.requests) == 4
    ask("ground", TEXTS[0], "-k", 1)  # other evidence, another question; the claims are the same
    assert len(server.requests) == 5


def test_a_batch_asks_as_many_questions_at_once_as_set_and_writes_in_order(ask, server, texts, tmp_path):
    together = Barrier(4)  # no question is answered before four have arrived

    def answering(asked):
        if claims_wanted(asked):
            together.wait(30)
        return well(asked)

    server.answering = answering
    out = tmp_path / "out.jsonl"
    told = ask("ground", "--file", texts, "--out", out, "--concurrency", 4)
    assert told.code == 0, told.err
    assert server.most == 4
    assert [record["text"] for record in records(out)] == TEXTS
    assert [record["usage"]["calls"] for record in records(out)] == [2, 2, 2, 2], "each text has its own account"
    assert told.json["usage"]["calls"] == 8


def test_a_budget_stops_the_run_and_a_higher_one_continues(ask, server, texts, tmp_path):
    out, whole = tmp_path / "out.jsonl", tmp_path / "whole.jsonl"
    assert ask("ground", "--file", texts, "--out", whole, "--no-cache").code == 0
    server.requests.clear()
    told = ask("ground", "--file", texts, "--out", out, "--budget-tokens", 3500, "--concurrency", 1)
    assert told.code == 1, told.err
    assert "budget" in told.err
    assert told.json["written"] >= 1
    assert told.json["left"] == 4 - told.json["written"] > 0
    assert told.json["usage"]["unasked"] > 0
    assert told.json["usage"]["prompt_tokens"] + told.json["usage"]["completion_tokens"] <= 3500
    assert [record["text"] for record in records(out)] == TEXTS[: told.json["written"]]
    spent = len(server.requests)
    told = ask("ground", "--file", texts, "--out", out)
    assert (told.code, told.json["left"]) == (0, 0)
    assert len(server.requests) == 8, f"{spent} were paid for already"
    assert without_usage(records(out)) == without_usage(records(whole))


def test_a_budget_within_one_text_keeps_what_was_done(ask):
    text = " ".join(TEXTS)
    told = ask("ground", text, "--budget-tokens", 3500)
    assert told.code == 1
    verdicts = [claim["verdicts"]["both"] for claim in told.json["claims"]]
    assert {"supported", "failed"} == set(verdicts)
    assert "budget" in next(claim for claim in told.json["claims"] if claim["verdicts"]["both"] == "failed")["reason"]
    assert told.json["usage"]["unasked"] == verdicts.count("failed")
    assert ask("ground", text).json["usage"]["calls"] == verdicts.count("failed"), "the others are not paid for twice"


def test_a_budget_of_cost_needs_prices(ask, server):
    told = ask("ground", TEXTS[0], "--budget-cost", 1)
    assert (told.code, server.requests) == (2, [])
    assert "model_price_prompt" in told.err


BAD = {
    "garbage": completion("Certainly! The claim is supported."),
    "half JSON": completion('{"reason": "it s'),
    "refusal": completion(None, refusal=f"I cannot help with {KEY}"),
    "no choices": Answer('{"id": "1", "object": "chat.completion", "choices": []}'),
    "wrong types": Answer('{"choices": {"message": 7}, "usage": "much"}'),
    "no JSON": Answer("<html>busy</html>", headers={"Content-Type": "text/html"}),
    "too many": Answer('{"error": {"message": "slow down"}}', 429, {"Retry-After": "0"}),
    "too many for long": Answer('{"error": {"message": "slow down"}}', 429, {"Retry-After": "3600"}),
    "out of order": Answer(f'{{"error": {{"message": "trouble with {KEY}"}}}}', 500),
    "too large": Answer('{"error": {"message": "This is context_length_exceeded"}}', 400),
    "dropped": Answer(completion("{}").body, cut=20),
    "hanging": Answer(delay=9),
    "slow drip": Answer(completion("{}").body, trickle=0.3),
}


@pytest.mark.parametrize("kind", BAD)
def test_an_answer_however_bad_is_one_failed_claim_and_the_run_continues(ask, server, kind, monkeypatch):
    monkeypatch.setenv("TRUTHHYPO_MODEL_TIMEOUT", "1")
    text = " ".join(TEXTS[:2])
    server.answering = lambda asked: BAD[kind] if "Aspirin" in said(asked) and not claims_wanted(asked) else well(asked)
    told = ask("ground", text)
    assert told.code == 0, told.err
    good, bad = told.json["claims"]
    assert good["verdicts"]["both"] == "supported"
    assert bad["verdicts"]["both"] == "failed"
    assert told.json["claims_failed"]["both"] == 1
    assert told.json["usage"]["failed"] >= 1
    assert KEY not in json.dumps(told.json) + told.err
    server.answering = well
    assert ask("ground", text).json["claims"][1]["verdicts"]["both"] == "supported", "no bad answer is kept"


def said(asked):
    """The claim of a judgement's question."""
    return asked["messages"][1]["content"].split("</claim>")[0]


@pytest.mark.parametrize("kind", ["garbage", "half JSON", "refusal", "no JSON", "slow down", "out of order"])
def test_a_model_that_answers_at_once_however_badly_is_asked_a_few_times(ask, server, kind, monkeypatch):
    monkeypatch.delenv("TRUTHHYPO_MODEL_WAIT")  # use the default
    monkeypatch.delenv("TRUTHHYPO_MODEL_TIMEOUT")
    bad = BAD | {"slow down": Answer('{"error": {"message": "slow down"}}', 429)}
    server.answering = lambda asked: well(asked) if claims_wanted(asked) else bad[kind]
    told = ask("ground", " ".join(TEXTS[:2]))  # a third failure in a row would end the run
    assert (told.code, told.json["claims_failed"]["both"]) == (1, 2)
    assert len(server.requests) <= 1 + 2 * Settings().model_tries


@pytest.mark.parametrize(
    ("kind", "seen"),
    [
        ("hanging", "time limit of 1 s"),
        ("slow drip", "time limit of 1 s"),
        ("out of order", "refused the call"),
        ("too many", "asks for fewer calls"),
        ("too many for long", "wait 3600 s"),
        ("dropped", "cannot be reached"),
        ("no JSON", "did not return a chat completion"),
    ],
)
def test_a_model_that_never_answers_is_exit_code_3(ask, server, kind, seen, monkeypatch):
    monkeypatch.setenv("TRUTHHYPO_MODEL_TIMEOUT", "1")
    server.answering = lambda asked: BAD[kind]
    told = ask("ground", TEXTS[0])
    assert told.code == 3
    assert seen in told.err
    assert KEY not in json.dumps(told.json) + told.err


def test_a_text_the_model_fails_on_is_reported_and_judged_again(ask, server, texts, tmp_path, monkeypatch):
    out = tmp_path / "out.jsonl"
    server.answering = lambda asked: BAD["out of order"] if "Simvastatin" in said(asked) else well(asked)
    told = ask("ground", "--file", texts, "--out", out, "--concurrency", 1)
    assert told.code == 1
    assert told.json.items() >= {"written": 3, "failed": 1, "left": 0}.items()
    assert "refused the call" in records(out)[0]["error"]["seen"]
    assert KEY not in out.read_text("utf-8")
    server.answering = well
    told = ask("ground", "--file", texts, "--out", out)
    assert told.json.items() >= {"written": 1, "kept": 3, "failed": 0}.items()
    assert [record["text"] for record in records(out)] == TEXTS
    assert records(out)[0]["groundedness"]["both"] == 1.0


def test_a_model_that_is_gone_ends_a_batch(ask, server, texts, tmp_path):
    server.answering = lambda asked: BAD["out of order"]
    told = ask("ground", "--file", texts, "--out", tmp_path / "out.jsonl", "--concurrency", 1)
    assert told.code == 3
    assert len(server.requests) == 3 * 4, "three texts, four tries each"
    server.answering = lambda asked: Answer('{"error": {"message": "bad key"}}', 401)
    server.requests.clear()
    assert ask("ground", "--file", texts, "--out", tmp_path / "other.jsonl", "--concurrency", 1).code == 3
    assert len(server.requests) == 1, "a refused key is refused for all"


def test_without_out_a_failure_on_the_first_text_does_not_end_the_run(ask, server, texts):
    server.answering = lambda asked: BAD["out of order"] if "Simvastatin" in said(asked) else well(asked)
    told = ask("ground", "--file", texts, "--concurrency", 1)
    assert (told.code, [entry["text"] for entry in told.json]) == (1, TEXTS)
    assert ["error" in entry for entry in told.json] == [True, False, False, False]


def test_without_out_a_model_that_is_gone_ends_the_run(ask, server, texts):
    server.answering = lambda asked: BAD["out of order"]
    assert ask("ground", "--file", texts, "--concurrency", 1).code == 3
    assert len(server.requests) == 3 * 4, "three texts, four tries each"
    texts.write_text(TEXTS[0], "utf-8")
    assert ask("ground", "--file", texts).code == 3


def test_without_out_a_failed_text_is_reported_in_its_place(ask, server, texts):
    server.answering = lambda asked: (
        BAD["no JSON"] if "Warfarin" in said(asked) and claims_wanted(asked) else well(asked)
    )
    told = ask("ground", "--file", texts, "--concurrency", 2)
    assert [entry["text"] for entry in told.json] == TEXTS
    assert told.json[3]["claims"][0]["flags"] == ["undivided"] or "error" in told.json[3]
