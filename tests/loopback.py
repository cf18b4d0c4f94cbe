"""A server on loopback with the OpenAI protocol, and with the faults that a test wants."""

import json
import re
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen


@dataclass(frozen=True)
class Answer:
    """One HTTP answer.

    Attributes:
        body: Sent unchanged.
        status: HTTP status.
        headers: Headers in addition to content type and length.
        delay: Seconds to wait before the answer.
        trickle: Seconds between two bytes of the body; 0: send the body at once.
        cut: Close the connection after this many bytes of the body; None: send all.
    """

    body: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    trickle: float = 0.0
    cut: int | None = None


Answering = Callable[[dict[str, Any]], Answer]


class Loopback(ThreadingHTTPServer):
    """A server that passes each request to `answering`, stores it, and counts concurrent requests."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, answering: Answering) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answering = answering
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.now = self.most = 0
        self.lock = Lock()

    @property
    def address(self) -> str:
        """The value for OPENAI_BASE_URL."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: Loopback

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.requests.append(asked)
            self.server.keys.append(self.headers.get("Authorization", ""))
            self.server.now += 1
            self.server.most = max(self.server.most, self.server.now)
        try:
            with suppress(BrokenPipeError, ConnectionResetError):  # the client may have given up waiting
                self.send(self.server.answering(asked))
        finally:
            with self.server.lock:
                self.server.now -= 1

    def send(self, answer: Answer) -> None:
        time.sleep(answer.delay)
        data = answer.body.encode()
        self.send_response(answer.status)
        for name, value in {"Content-Type": "application/json", **answer.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if answer.cut is not None:
            self.wfile.write(data[: answer.cut])
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
        elif answer.trickle:
            for byte in data:
                self.wfile.write(bytes([byte]))
                time.sleep(answer.trickle)
        else:
            self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


def completion(content: str | None, finish: str = "stop", refusal: str | None = None) -> Answer:
    """A chat completion with 700 prompt tokens and 300 completion tokens."""
    return Answer(
        json.dumps(
            {
                "id": "1",
                "object": "chat.completion",
                "created": 1,
                "model": "m",
                "choices": [
                    {
                        "index": 0,
                        "finish_reason": finish,
                        "message": {"role": "assistant", "content": content, "refusal": refusal},
                    }
                ],
                "usage": {"prompt_tokens": 700, "completion_tokens": 300, "total_tokens": 1000},
            }
        )
    )


def passing_on(address: str, seconds: float = 400) -> Answering:
    """Return a function that answers like the server at this base URL, which ends in /v1."""

    def passed_on(asked: dict[str, Any]) -> Answer:
        data = json.dumps(asked).encode()
        request = Request(f"{address}/chat/completions", data, {"Content-Type": "application/json"})
        try:
            with urlopen(request, timeout=seconds) as reply:
                return Answer(reply.read().decode())
        except HTTPError as error:
            return Answer(error.read().decode(), error.code)

    return passed_on


def claims_wanted(asked: dict[str, Any]) -> bool:
    """Whether a request asks for the claims of a text, not for a judgement."""
    return "claims" in schema_of(asked)["properties"]


def schema_of(asked: dict[str, Any]) -> dict[str, Any]:
    """The JSON schema of a request."""
    schema: dict[str, Any] = asked["response_format"]["json_schema"]["schema"]
    return schema


def well(asked: dict[str, Any]) -> Answer:
    """Answer like a model for which each sentence is a claim, and the first piece of evidence supports the claim."""
    schema = schema_of(asked)
    if claims_wanted(asked):
        lines = re.findall(r"^(\d+)\. (.+)$", asked["messages"][1]["content"], re.MULTILINE)
        return completion(json.dumps({"claims": [{"text": said, "sentence": int(n)} for n, said in lines]}))
    return completion(json.dumps(_supported(schema, schema.get("$defs", {}))))


def _supported(schema: dict[str, Any], definitions: dict[str, Any]) -> Any:
    if "$ref" in schema:
        return _supported(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    parts = schema.get("properties")
    if parts is None:
        return "it says so"
    if "supporting" in parts:
        items = parts["supporting"]["items"]
        items = definitions[items["$ref"].rpartition("/")[2]] if "$ref" in items else items
        reason = {"reason": "it says so"} if "reason" in parts else {}
        return {**reason, "supporting": [least(items, definitions)], "contradicting": []}
    return {name: _supported(part, definitions) for name, part in parts.items()}


@contextmanager
def serving(answering: Answering = well) -> Iterator[Loopback]:
    """A server for the time of a test."""
    with Loopback(answering) as server:
        thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def least(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Any:
    """Return the smallest JSON value that fits a schema as pydantic makes it for this program's models.

    Args:
        schema: A JSON schema.
        definitions: The definitions that its `$ref`s name.
    """
    if "$ref" in schema:
        return least(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    for chosen in ("const", "default"):
        if chosen in schema:
            return schema[chosen]
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return least(schema["anyOf"][-1], definitions)
    kind = schema.get("type")
    if kind == "object":
        required = schema.get("required", ())
        return {
            name: least(part, definitions) for name, part in schema.get("properties", {}).items() if name in required
        }
    if kind == "array":
        return [least(schema["items"], definitions)] * schema.get("minItems", 0)
    plain: dict[Any, Any] = {
        "string": "-" * schema.get("minLength", 0),
        "integer": schema.get("minimum", 0),
        "number": schema.get("minimum", 0.0),
        "boolean": False,
    }
    return plain.get(kind)
