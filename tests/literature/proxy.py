"""A proxy on loopback in front of Elasticsearch that causes faults in bulk requests.

It refuses some requests, reports wrong results for others, stalls, and cuts connections before and after the server has
done its work. The faults are drawn from a seed.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from urllib.parse import urlsplit

REJECTED = {"type": "es_rejected_execution_exception", "reason": "rejected execution of primary operation"}

#: Chooses what happens to a bulk request with this many documents.
Trouble = Callable[[int], str]


class Proxy:
    """A proxy: `trouble` chooses the fault of each bulk request, `done` counts faults by kind, and `largest` is the
    maximum number of concurrent requests."""

    def __init__(self, address: str, target: str) -> None:
        self.address = address
        self.target = target
        self.trouble: Trouble = lambda _documents: "pass"
        self.done: Counter[str] = Counter()
        self.lock = Lock()
        self.now = self.largest = 0
        self.over = Event()


@contextmanager
def in_front_of(target: str) -> Iterator[Proxy]:
    """A proxy for the time of a block."""
    holder: list[Proxy] = []

    class Handler(_Handler):
        proxy = property(lambda _self: holder[0])

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        holder.append(Proxy(f"http://127.0.0.1:{server.server_port}", target))
        thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield holder[0]
        finally:
            holder[0].over.set()
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    proxy: Proxy

    def _any(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if "/_bulk" not in self.path:
            self._answer(*self._ask(body))
            return
        proxy = self.proxy
        with proxy.lock:
            what = proxy.trouble(len(_operations(body)))
            proxy.done[what] += 1
            proxy.now += 1
            proxy.largest = max(proxy.largest, proxy.now)
        try:
            getattr(self, f"_{what}")(body)
        finally:
            with proxy.lock:
                proxy.now -= 1

    do_GET = do_POST = do_PUT = do_HEAD = do_DELETE = _any  # noqa: N815  # the names that http.server calls

    def _pass(self, body: bytes) -> None:
        self._answer(*self._ask(body))

    def _refuse(self, _body: bytes) -> None:
        error = {"error": REJECTED, "status": 429}
        self._answer(429, {"Content-Type": "application/json"}, json.dumps(error).encode())

    def _unready(self, _body: bytes) -> None:
        self._answer(503, {"Content-Type": "application/json"}, b'{"error": "not ready", "status": 503}')

    def _cut(self, _body: bytes) -> None:
        self.close_connection = True
        self.connection.close()

    def _cut_after(self, body: bytes) -> None:
        """The server has done its work, but its answer is lost."""
        self._ask(body)
        self._cut(body)

    def _stall(self, body: bytes) -> None:
        self._ask(body)
        self.proxy.over.wait(2.0)
        self._cut(body)

    def _refuse_some(self, body: bytes) -> None:
        """Every second document is refused, as by a full queue; the others reach the server."""
        operations = _operations(body)
        taken = b"".join(line for lines in operations[1::2] for line in lines)
        status, headers, answer = self._ask(taken) if taken else (200, {"Content-Type": "application/json"}, b"{}")
        items = iter(json.loads(answer).get("items", []))
        merged = [
            next(items) if number % 2 else {"index": {"status": 429, "error": REJECTED}}
            for number in range(len(operations))
        ]
        self._answer(status, headers, json.dumps({"items": merged}).encode())

    def _ask(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
        host = urlsplit(self.proxy.target)
        connection = HTTPConnection(host.hostname, host.port, timeout=60)
        headers = {name: value for name, value in self.headers.items() if name.lower() not in _HOPS}
        try:
            connection.request(self.command, self.path, body, headers)
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def _answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        named = {name.lower(): value for name, value in headers.items()}
        for name, value in ({"x-elastic-product": "Elasticsearch"} | named).items():
            if name not in _HOPS:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


_HOPS = frozenset({"content-length", "transfer-encoding", "connection", "host", "accept-encoding", "content-encoding"})


def _operations(body: bytes) -> list[tuple[bytes, ...]]:
    """Return the lines of a bulk request, grouped by document."""
    lines, found = iter(body.splitlines(keepends=True)), []
    for line in lines:
        found.append((line,) if b'"delete"' in line[:12] else (line, next(lines)))
    return found
