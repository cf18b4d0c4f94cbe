"""Serve the style and the guide for Neo4j Browser on this machine.

Neo4j Browser fetches them from another origin, from `localhost` only, and asks for permission by an OPTIONS request.
"""

from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from typing import Any, Self

#: The files that are served. Other paths are answered with 404.
SERVED = ("style.grass", "guide.html")


class _Handler(SimpleHTTPRequestHandler):
    def __init__(self, *args: Any) -> None:
        super().__init__(*args, directory=str(_folder()))

    def do_OPTIONS(self) -> None:
        """Allow the request that Neo4j Browser asks about."""
        self.send_response(204)
        self.end_headers()

    def send_head(self) -> Any:
        """Send the headers of one of the served files; see the base class."""
        if self.path.partition("?")[0].lstrip("/") not in SERVED:
            self.send_error(404)
            return None
        return super().send_head()

    def end_headers(self) -> None:
        """End the headers with the permission to read the files from any page."""
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Access-Control-Allow-Methods", "GET, OPTIONS")
        self.send_header("Access-Control-Allow-Headers", "*")
        self.send_header("Access-Control-Allow-Private-Network", "true")
        super().end_headers()

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


class BrowserFiles:
    """A file server on loopback, for the time of a `with` block.

    Args:
        port: Port to listen on; 0 takes a free one.

    Raises:
        OSError: The port is in use.
    """

    def __init__(self, port: int = 0) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", port), _Handler)

    def address(self, name: str) -> str:
        """Return the address of a file, by the name `localhost`, because Neo4j Browser refuses 127.0.0.1."""
        return f"http://localhost:{self._server.server_address[1]}/{name}"

    def serve(self) -> None:
        """Answer requests until `close`, or until the process is interrupted."""
        self._server.serve_forever()

    def close(self) -> None:
        """Stop answering, and release the port."""
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.server_close()


def _folder() -> Path:
    return Path(str(files("cypher").joinpath("browser")))
