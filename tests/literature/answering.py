"""A server on loopback in the place of Elasticsearch, which gives answers that were seen from real servers."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from time import sleep

#: Returns the status and the body of the answer to a request, given its path.
Answer = Callable[[str], tuple[int, str]]


@contextmanager
def answering(answer: Answer, *, product: bool = True, wait: float = 0.0) -> Iterator[str]:
    """Yield the address of a server that waits some seconds and answers. `product`: whether it names Elasticsearch."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            sleep(wait)
            status, body = answer(self.path)
            self.send_response(status)
            self.send_header("Content-Type", "application/json" if body.startswith("{") else "text/html")
            if product:
                self.send_header("X-Elastic-Product", "Elasticsearch")
            self.end_headers()
            self.wfile.write(body.encode())

        do_GET = do_PUT = do_POST  # noqa: N815  # the names that http.server calls

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
