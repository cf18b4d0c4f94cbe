"""Real drivers of other providers against a server on loopback that speaks just enough of their protocols."""

import json

import pytest
from pydantic import BaseModel, ConfigDict

from groundwork.errors import ModelFaltered, ModelUnreachable, ReplyError
from groundwork.llm import connect
from groundwork.settings import Settings
from tests.loopback import Answer, serving

pytestmark = pytest.mark.models

KEY = "not-to-be-shown-at-all"


class Value(BaseModel):
    """A value."""

    model_config = ConfigDict(extra="forbid")

    value: int


def anthropic(asked, value, reason="tool_use"):
    block = {"type": "tool_use", "id": "t", "name": asked["tools"][0]["name"], "input": {"value": value}}
    message = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [block]}
    message |= {"stop_reason": reason, "stop_sequence": None, "usage": {"input_tokens": 7, "output_tokens": 3}}
    return Answer(json.dumps(message))


def ollama(_, value, reason="stop"):
    message = {"role": "assistant", "content": json.dumps({"value": value})}
    counts = {"done": True, "done_reason": reason, "prompt_eval_count": 7, "eval_count": 3}
    return Answer(json.dumps({"model": "m", "created_at": "2026-01-01T00:00:00Z", "message": message, **counts}) + "\n")


PROTOCOLS = {"anthropic": anthropic, "ollama": ollama}


@pytest.fixture(params=PROTOCOLS)
def provider(request):
    return request.param


@pytest.fixture
def connected(provider, monkeypatch):
    """A model, its server on loopback, and a function that makes a good answer."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    with serving() as server:
        settings = Settings(model_cache=False, model_wait=0.001, model_address=server.address.removesuffix("/v1"))
        yield connect(f"{provider}:m", settings), server, PROTOCOLS[provider]


def test_a_question_goes_out_with_its_schema_and_comes_back_in_shape(connected):
    model, server, answer = connected
    server.answering = lambda asked: answer(asked, 4)
    assert model.ask("be brief", "how many?", Value, temperature=0.5, seed=3).value == 4
    assert '"additionalProperties": false' in json.dumps(server.requests[0])
    assert model.usage().items() >= {"calls": 1, "prompt_tokens": 7, "completion_tokens": 3}.items()


def test_an_answer_out_of_shape_is_repaired_once(connected):
    model, server, answer = connected
    values = ["four", 4]
    server.answering = lambda asked: answer(asked, values.pop(0))
    assert model.ask("s", "p", Value).value == 4
    assert model.usage()["repairs"] == 1


def test_an_answer_that_was_cut_off_is_no_answer(connected, provider):
    model, server, answer = connected
    server.answering = lambda asked: answer(asked, 4, "max_tokens" if provider == "anthropic" else "length")
    with pytest.raises(ReplyError, match="cut off"):
        model.ask("s", "p", Value)


def test_a_call_is_retried_after_429_and_500(connected):
    model, server, answer = connected
    bad = [Answer('{"error": {"message": "slow down"}}', 429, {"Retry-After": "0"}), Answer("{}", 500)]
    server.answering = lambda asked: bad.pop(0) if bad else answer(asked, 4)
    assert model.ask("s", "p", Value).value == 4
    assert model.usage()["retries"] == 2
    assert model.usage()["calls"] == 1


@pytest.mark.parametrize(
    ("status", "kind", "said"),
    [(401, ModelUnreachable, "key"), (404, ModelUnreachable, "name"), (400, ModelFaltered, "refused the call")],
)
def test_a_refusal_is_reported_without_the_key(connected, status, kind, said):
    model, server, _ = connected
    server.answering = lambda asked: Answer(json.dumps({"error": {"message": f"bad {KEY}"}}), status)
    with pytest.raises(kind, match=said) as refused:
        model.ask("s", "p", Value)
    assert KEY not in str(refused.value)
    assert len(server.requests) == 1


def test_a_server_that_is_not_there_is_reported(provider, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    settings = Settings(model_cache=False, model_wait=0.001, model_address="http://127.0.0.1:9")
    with pytest.raises(ModelFaltered, match="cannot be reached"):
        connect(f"{provider}:m", settings).ask("s", "p", Value)
