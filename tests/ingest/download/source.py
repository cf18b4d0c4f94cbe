"""A real HTTP file server on loopback. It supports ranges and conditional requests, and breaks connections on
request."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ssl import SSLContext, SSLError
from threading import Event, Thread
from urllib.parse import unquote, urlsplit

DATE = 1_790_000_000  # 2026-09-21


@dataclass
class Fault:
    """The fault of one answer.

    Attributes:
        status: Answer with this status and without the file.
        headers: Replace these headers of the answer. None removes a header.
        cut: Close the connection after so many bytes of the body.
        stall: Keep the connection open after `cut` bytes, but send nothing more.
        deaf: Ignore Range and conditions.
        content: Replace the content of the file, also for later requests.
    """

    status: int | None = None
    headers: dict[str, str | None] = field(default_factory=dict)
    cut: int | None = None
    stall: bool = False
    deaf: bool = False
    content: bytes | None = None


class Source:
    """The files, the faults of the next requests (one for each), and the requests received."""

    def __init__(self, server: ThreadingHTTPServer, scheme: str) -> None:
        self.url = f"{scheme}://127.0.0.1:{server.server_address[1]}/"
        self.over = Event()
        self.clear()

    def clear(self) -> None:
        self.files: dict[str, bytes] = {}
        self.faults: list[Fault] = []
        self.always: Fault | None = None
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.etags = True

    def headers_of(self, name: str) -> dict[str, str]:
        etag = {"ETag": f'"{hashlib.sha1(self.files[name]).hexdigest()}"'} if self.etags else {}
        return {"Last-Modified": formatdate(DATE, usegmt=True), **etag}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    source: Source

    def do_GET(self) -> None:
        source = self.source
        name = unquote(urlsplit(self.path).path).lstrip("/")  # a request to a proxy has the whole address
        source.asked.append((name, {key.lower(): value for key, value in self.headers.items()}))
        fault = source.always or (source.faults.pop(0) if source.faults else Fault())
        if fault.content is not None:
            source.files[name] = fault.content
        if fault.status is not None or name not in source.files:
            self.send(fault.status or 404, {}, b"no", fault)
            return
        content, headers = source.files[name], source.headers_of(name)
        if not fault.deaf and self.unchanged(headers):
            self.send(304, headers, b"", fault)
            return
        start = None if fault.deaf else self.start(headers)
        if start is None:
            self.send(200, headers, content, fault)
        elif start >= len(content):
            self.send(416, {"Content-Range": f"bytes */{len(content)}"}, b"", fault)
        else:
            ranged = {"Content-Range": f"bytes {start}-{len(content) - 1}/{len(content)}"}
            self.send(206, headers | ranged, content[start:], fault)

    def unchanged(self, headers: dict[str, str]) -> bool:
        if "If-None-Match" in self.headers:
            return self.headers["If-None-Match"] == headers.get("ETag")
        return self.headers.get("If-Modified-Since") == headers["Last-Modified"]

    def start(self, headers: dict[str, str]) -> int | None:
        if "Range" not in self.headers or self.headers.get("If-Range") not in headers.values():
            return None
        return int(self.headers["Range"].removeprefix("bytes=").removesuffix("-"))

    def send(self, status: int, headers: dict[str, str], body: bytes, fault: Fault) -> None:
        self.send_response(status)
        for key, value in ({"Content-Length": str(len(body))} | headers | fault.headers).items():
            if value is not None:
                self.send_header(key, value)
        self.end_headers()
        self.wfile.write(body if fault.cut is None else body[: fault.cut])
        self.wfile.flush()
        if fault.stall:
            self.source.over.wait()
        # a body that is shorter than its Content-Length ends only when the connection closes
        self.close_connection = self.close_connection or fault.cut is not None or bool(fault.headers)

    def handle(self) -> None:
        with suppress(ConnectionError, SSLError):  # tests close the connection during the answer
            super().handle()

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def serving(tls: SSLContext | None = None) -> Iterator[Source]:
    """A server on a free port of loopback, with TLS if a certificate is given."""
    handler = type("Bound", (Handler,), {})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        if tls is not None:
            # each connection does its handshake in its own thread, so that a failed handshake does not end the server
            server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        source = handler.source = Source(server, "https" if tls else "http")
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield source
        finally:
            source.over.set()
            server.shutdown()
            thread.join()
