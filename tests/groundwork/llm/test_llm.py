"""The chat models against a real HTTP server on loopback that speaks just enough of the OpenAI protocol."""

import json
import sys
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from threading import Thread

import pytest
from pydantic import BaseModel, ConfigDict, Field, SecretStr

from groundwork.errors import CallFailed, InputError, ModelFaltered, ModelUnreachable, ReplyError, TimeLimit
from groundwork.llm import connect
from groundwork.llm.providers import PROVIDERS
from groundwork.settings import Settings

KEY = "sk-not-to-be-shown"


class Answer(BaseModel):
    """An answer."""

    model_config = ConfigDict(extra="forbid")

    value: int


class Server(ThreadingHTTPServer):
    """Answers each request with the next (status, content, finish reason) and keeps the request."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers, self.requests, self.delay = [], [], 0.0
        self.page, self.trickle = None, 0.0  # (type, body) sent unchanged with status 200; seconds between bytes


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.requests.append((self.path, headers, body))
        time.sleep(self.server.delay)
        if self.server.page is not None:
            self.send_page(*self.server.page)
            return
        status, content, finish = self.server.answers.pop(0)
        reply = content
        if not isinstance(content, dict):
            wrong = {"error": {"message": content, "code": finish or status}}
            reply = completion(content, finish) if status == 200 else wrong
        data = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        with suppress(BrokenPipeError):  # the client may have given up waiting
            self.wfile.write(data)

    def send_page(self, kind, text):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        with suppress(BrokenPipeError, ConnectionResetError):
            for byte in text.encode():
                self.wfile.write(bytes([byte]))
                time.sleep(self.server.trickle)

    def log_message(self, *args):
        pass


def completion(content, finish):
    message = {"role": "assistant", "content": content}
    if finish == "refusal":
        message, finish = {"role": "assistant", "content": None, "refusal": content}, "stop"
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "finish_reason": finish, "message": message}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
    }


def quick(**values):
    """Settings without a cache and without pauses between attempts."""
    return Settings(**{"model_cache": False, "model_wait": 0.001, **values})


@pytest.fixture
def server():
    with Server() as server:
        thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def model(server):
    address = f"http://127.0.0.1:{server.server_address[1]}/v1"
    return connect("openai:m", quick(openai_base_url=address, openai_api_key=SecretStr(KEY), model_timeout=5))


def good(value=1):
    return 200, json.dumps({"value": value}), "stop"


def test_a_question_is_sent_with_its_schema_and_read_into_the_shape(server, model):
    server.answers = [good(4)]
    assert model.ask("be brief", "how many?", Answer, temperature=0.5, seed=9).value == 4
    path, headers, body = server.requests[0]
    assert path == "/v1/chat/completions"
    assert headers["authorization"] == f"Bearer {KEY}"
    assert [m["content"] for m in body["messages"]] == ["be brief", "how many?"]
    assert (body["model"], body["temperature"], body["seed"]) == ("m", 0.5, 9)
    assert body["response_format"]["type"] == "json_schema"
    assert body["response_format"]["json_schema"]["strict"] is True
    assert body["response_format"]["json_schema"]["schema"]["required"] == ["value"]


def test_usage_counts_every_call_and_repair(server, model):
    server.answers = [good(), (200, "no idea", "stop"), good(2)]
    assert model.ask("s", "p", Answer).value == 1
    assert model.ask("s", "p", Answer).value == 2
    used = {"calls": 3, "prompt_tokens": 21, "completion_tokens": 9, "repairs": 1, "cached": 0, "cost": None}
    assert model.usage().items() >= used.items()
    assert "not one JSON document" in server.requests[2][2]["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ((200, '{"val', "length"), "cut off after 4096 tokens"),
        ((200, "I would rather not", "refusal"), "refused by the model: I would rather not"),
        ((200, "", "content_filter"), "content filter"),
        ((200, '{"value": "1"}', "stop"), "value"),
    ],
)
def test_an_unusable_reply_is_repaired_once_then_an_error(server, model, answer, why):
    server.answers = [answer, good(5)]
    assert model.ask("s", "p", Answer).value == 5
    assert why in server.requests[1][2]["messages"][-1]["content"]
    server.answers = [answer, answer]
    with pytest.raises(ReplyError, match="after one repair round"):
        model.ask("s", "p", Answer)


@pytest.mark.parametrize(
    ("status", "said", "check"),
    [
        (401, f"Incorrect API key provided: {KEY}", "key"),
        (403, "not for you", "key"),
        (404, "no such model", "name"),
        (400, f"bad request with {KEY} in it", "bad request with *** in it"),
        (400, "This is context_length_exceeded", "longer context"),
    ],
)
def test_a_refusal_says_what_to_check_and_shows_no_key(server, model, status, said, check):
    server.answers = [(status, said, "")]
    with pytest.raises(CallFailed if "context" in said else ModelUnreachable) as refused:
        model.ask("s", "p", Answer)
    assert check in str(refused.value)
    assert KEY not in str(refused.value)
    assert refused.value.exit_code == 3


@pytest.mark.parametrize(("status", "check"), [(429, "quota"), (500, "refused the call")])
def test_a_temporary_error_is_retried_and_then_reported(server, model, status, check):
    server.answers = [(status, "trouble", "")] * 4
    with pytest.raises(ModelFaltered, match=check):
        model.ask("s", "p", Answer)
    server.answers = [(status, "trouble", ""), good(3)]
    assert model.ask("s", "p", Answer).value == 3
    assert model.usage().items() >= {"calls": 2, "retries": 4, "failed": 1}.items()
    server.answers = [(status, "trouble", "")] * 4
    with pytest.raises(CallFailed, match=check):  # the server has answered before, so only this answer is missing
        model.ask("s", "p", Answer)


def test_a_model_that_is_not_there_is_named_without_the_password_in_its_address():
    settings = quick(openai_base_url="http://user:hidden@127.0.0.1:9/v1")
    with pytest.raises(ModelUnreachable, match=r"openai:m at http://127\.0\.0\.1:9 cannot be reached") as gone:
        connect("openai:m", settings).ask("s", "p", Answer)
    assert "hidden" not in str(gone.value)


def test_a_model_that_takes_too_long_names_the_limit(server):
    server.delay, server.answers = 0.5, [good()] * 9
    address = f"http://127.0.0.1:{server.server_address[1]}/v1"
    model = connect("openai:m", quick(openai_base_url=address, model_timeout=0.1))
    with pytest.raises(TimeLimit, match=r"0\.1 s"):
        model.ask("s", "p", Answer)


def test_a_reply_that_trickles_in_does_not_outlast_the_limit(server):
    # Each byte arrives well within the limit, but the whole body takes ten times as long as the limit.
    server.page, server.trickle = ("application/json", " " * 60), 0.05
    address = f"http://127.0.0.1:{server.server_address[1]}/v1"
    model = connect("openai:m", quick(openai_base_url=address, model_timeout=0.3))
    start = time.monotonic()
    with pytest.raises(TimeLimit, match="model_timeout"):
        model.ask("s", "p", Answer)
    assert time.monotonic() - start < 2


def test_the_limit_holds_for_a_call_with_all_its_retries(server):
    server.delay, server.answers = 0.3, [(500, "trouble", "")] * 9
    address = f"http://127.0.0.1:{server.server_address[1]}/v1"
    model = connect("openai:m", quick(openai_base_url=address, model_timeout=0.6))
    with pytest.raises(TimeLimit, match=r"0\.6 s"):
        model.ask("s", "p", Answer)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("text/html", "<html><body>Welcome</body></html>"),
        ("text/plain", "ok"),
        ("application/json", "not json"),
        ("application/json", "[]"),
        ("application/json", "{}"),
        ("application/json", "null"),
        ("application/json", '"ok"'),
        ("application/json", '{"choices": []}'),
        ("application/json", '{"choices": null}'),
        ("application/json", '{"choices": [1]}'),
        ("application/json", '{"choices": [{"message": null}]}'),
    ],
)
def test_a_server_of_another_protocol_is_reported_with_the_setting_to_check(server, model, kind, body):
    server.page = (kind, body)
    with pytest.raises(ModelUnreachable, match="did not return a chat completion") as refused:
        model.ask("s", "p", Answer)
    assert "OpenAI protocol" in refused.value.wanted
    assert "OPENAI_BASE_URL" in refused.value.remedy
    assert "/v1" in refused.value.remedy


def test_a_refusal_that_echoes_the_prompt_is_one_short_line(server, model):
    server.answers = [(400, "you said: " + "x" * 140 + KEY + " private words" * 500 + "\nand more", "")]
    with pytest.raises(ModelUnreachable) as refused:
        model.ask("s", "p", Answer)
    assert "you said" in refused.value.seen
    assert len(refused.value.seen) < 300
    assert "\n" not in refused.value.seen
    assert KEY[:5] not in refused.value.seen


@pytest.mark.parametrize("name", ["rules", "openai:", "mystery:model", "scripted:"])
def test_a_name_that_is_not_a_model_says_what_one_looks_like(name):
    with pytest.raises(InputError, match="PROVIDER:NAME"):
        connect(name, Settings(openai_api_key=SecretStr(KEY)))


def test_openai_itself_needs_a_key():
    with pytest.raises(InputError, match="OPENAI_API_KEY"):
        connect("openai:m", Settings())


@pytest.mark.parametrize("provider", ["anthropic", "ollama"])
def test_a_provider_that_is_not_installed_names_its_extra(provider):
    if find_spec(PROVIDERS[provider].module):
        pytest.skip(f"the extra {provider} is installed")
    with pytest.raises(InputError, match=rf"truthhypo\[{provider}\]"):
        connect(f"{provider}:m", Settings())


@pytest.mark.parametrize(
    ("said", "spared"),
    [
        ("'response_format.type' json_schema is not supported with this model", "response_format"),
        ("Unsupported value: 'temperature' does not support 0.0 with this model", "temperature"),
        ("Unknown parameter: 'seed'", "seed"),
    ],
)
def test_an_option_that_a_server_refuses_is_not_sent_again(server, model, said, spared):
    server.answers = [(400, said, ""), good(4), good(5)]
    assert [model.ask("s", "p", Answer).value for _ in range(2)] == [4, 5]
    bodies = [body for _, _, body in server.requests]
    assert [spared in body for body in bodies] == [True, False, False]
    if spared == "response_format":
        assert '"value"' in bodies[1]["messages"][0]["content"], "the schema is asked for in words"


@pytest.mark.parametrize("status", [400, 500, 200])
def test_an_option_is_left_out_also_if_the_error_has_another_form(server, model, status):
    server.answers = [(status, {"error": "response_format is not supported", "error_type": "validation"}, ""), good(4)]
    assert model.ask("s", "p", Answer).value == 4
    assert "response_format" not in server.requests[1][2]


def test_arguments_of_a_tool_call_may_be_an_object(server, model):
    called = {"id": "c", "type": "function", "function": {"name": "Answer", "arguments": {"value": 4}}}
    answer = completion(None, "tool_calls")
    answer["choices"][0]["message"]["tool_calls"] = [called]
    server.answers = [(200, answer, "")]
    assert model.ask("s", "p", Answer).value == 4


def test_a_model_without_a_system_role_gets_its_words_in_the_first_message(server, model):
    server.answers = [(400, "System role not supported", ""), good(4), good(5)]
    assert [model.ask("be brief", prompt, Answer).value for prompt in ("one?", "two?")] == [4, 5]
    messages = [[(m["role"], m["content"]) for m in body["messages"]] for _, _, body in server.requests]
    assert messages[1:] == [[("user", "be brief\n\none?")], [("user", "be brief\n\ntwo?")]]


TOO_LONG = [
    "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens. Please reduce the length.",
    "the request exceeds the available context size, try increasing it",
    "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length "
    "of only 4096 tokens",
    "Input validation error: `inputs` must have less than 4096 tokens. Given: 5000",
    "prompt is too long: 210000 tokens > 200000 maximum",
]
FILTERED = [
    "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
    "Your request was rejected as a result of our safety system.",
]


@pytest.mark.parametrize("said", [*TOO_LONG, *FILTERED])
def test_a_refusal_of_one_prompt_is_no_lost_model(server, model, said):
    server.answers = [(400, said, "")]
    with pytest.raises(CallFailed, match="too long" if said in TOO_LONG else "filters this prompt"):
        model.ask("s", "p", Answer)  # the first call of all: the model has never answered
    server.answers = [good(4)]
    assert model.ask("s", "q", Answer).value == 4
    assert model.usage()["failed"] == 1


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "no room left"}},
        {"error": "no room left"},
        {"detail": "no room left"},
        {"detail": [{"loc": ["body"], "msg": "no room left"}]},
        {"error": "no room left", "error_type": "overloaded"},
        {"object": "error", "message": "no room left", "code": 418},
    ],
)
@pytest.mark.parametrize("status", [200, 418])
def test_what_a_server_says_is_shown_in_whatever_form_it_says_it(server, model, body, status):
    server.answers = [(status, body, "")]
    with pytest.raises(ModelUnreachable, match=r"\bno room left\b") as refused:
        model.ask("s", "p", Answer)
    assert "{" not in refused.value.seen


class Bounded(BaseModel):
    """A shape with limits, and with a property that has the name of a limit."""

    model_config = ConfigDict(extra="forbid")

    maximum: str = Field(min_length=1, max_length=9)


def test_a_server_that_refuses_limits_in_a_schema_is_sent_the_schema_without_them(server, model):
    refused = "Invalid schema for response_format 'Bounded': In context=('properties',), 'maxLength' is not permitted."
    server.answers = [(400, refused, ""), (200, '{"maximum": ""}', "stop"), (200, '{"maximum": "one"}', "stop")]
    assert model.ask("s", "p", Bounded).maximum == "one"  # limits are still checked when the reply is read
    first, second, third = (body["response_format"]["json_schema"]["schema"] for _, _, body in server.requests)
    assert first["properties"]["maximum"].keys() >= {"minLength", "maxLength"}
    for later in (second, third):
        assert later["properties"]["maximum"].keys() == {"title", "type"}
    server.answers = [(400, "response_format is not supported", ""), (200, '{"maximum": "two"}', "stop")]
    assert model.ask("s", "q", Bounded).maximum == "two"
    assert "response_format" not in server.requests[-1][2]


def test_a_shape_can_be_asked_for_in_words_from_the_start(server):
    address = f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.answers = [(200, '```json\n{"value": 3}\n```', "stop")]
    assert connect("openai:m", quick(openai_base_url=address, model_answers="prompt")).ask("s", "p", Answer).value == 3
    assert "response_format" not in server.requests[0][2]


def test_a_call_does_not_wait_for_a_quota_that_is_used_up(server, model):
    server.page = None
    server.answers = [(429, "You exceeded your current quota", "insufficient_quota")]
    with pytest.raises(ModelUnreachable, match="quota is used up"):
        model.ask("s", "p", Answer)
    assert len(server.requests) == 1


def test_a_budget_of_cost_needs_prices():
    with pytest.raises(InputError, match="prices are unknown"):
        connect("openai:m", Settings(openai_api_key=SecretStr(KEY), model_budget_cost=1))


@pytest.mark.parametrize("provider", ["groq", "mistralai"])
def test_langchains_other_providers_name_their_package(provider):
    if find_spec(PROVIDERS[provider].module):
        pytest.skip(f"{provider} is installed")
    with pytest.raises(InputError, match=f"pip install langchain-{provider}"):
        connect(f"{provider}:m", Settings())


def test_a_package_that_follows_langchains_naming_convention_is_found(tmp_path, monkeypatch):
    package = tmp_path / "langchain_ourown.py"
    package.write_text(
        "from langchain_core.language_models.fake_chat_models import FakeListChatModel\n"
        "class ChatOurOwn(FakeListChatModel):\n"
        "    model: str = ''\n"
        "    responses: list[str] = ['{\"value\": 8}']\n"
        "__all__ = ['ChatOurOwn']\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert connect("ourown:small", quick()).ask("s", "p", Answer).value == 8


@pytest.mark.parametrize("parsed", ["model | parser", "parser"])
def test_we_parse_the_text_of_a_model_whichever_parser_langchain_returns(tmp_path, monkeypatch, parsed):
    package = tmp_path / "langchain_formed.py"
    package.write_text(
        "from langchain_core.language_models.fake_chat_models import FakeListChatModel\n"
        "from langchain_core.runnables import RunnableLambda\n"
        "class ChatFormed(FakeListChatModel):\n"
        "    model: str = ''\n"
        "    responses: list[str] = ['{\"value\": 8}']\n"
        "    def bind_tools(self, tools, **more):\n"
        "        return self\n"
        "    def with_structured_output(self, schema, *, method='json_schema', include_raw=False, **more):\n"
        "        model = self\n"
        "        parser = RunnableLambda(lambda asked: {'raw': model.invoke(asked)} if include_raw else 'not ours')\n"
        f"        return {parsed}\n"
        "__all__ = ['ChatFormed']\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "langchain_formed", raising=False)
    assert connect("formed:small", quick()).ask("s", "p", Answer).value == 8


def test_local_models_name_their_extra():
    if find_spec("transformers"):
        pytest.skip("transformers is installed")
    with pytest.raises(InputError, match=r"truthhypo\[huggingface\]"):
        connect("huggingface:m", Settings())
