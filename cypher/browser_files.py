"""Serve the style sheet and the guide for Neo4j Browser on this machine.

Neo4j Browser fetches these two files only from `localhost`. The files do not come from the origin of its own page, so
it first asks for permission by an OPTIONS request (CORS).

docker/compose.yml runs this file alone, as `python browser_files.py HOST PORT`, so it uses the standard library only.
"""

import re
import sys
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cypher.atlas.atlas import ranges
from groundwork.records import Concept
from groundwork.vocabulary import VARIANTS, links

#: Short address of PubMed, which forwards to the long one. With the long one, a store of Neo4j would be larger.
_PUBMED = "https://pubmed.gov/"
#: Maximum number of PMIDs in the address of an edge.
_LINKED = 20
#: The HGVS name, or the RS number, in a variant's id.
_HGVS = re.compile(r"(?:^|;)HGVS:([^;]+)")
_RS = re.compile(r"(?:(?:^|;)RS#:(?:rs)?|^(?:tmVar:)?rs)(\d+)(?=;|$)", re.IGNORECASE)


def caption(concept: Concept) -> str:
    """Return the name of a concept.

    If no name is known, return the type and the id (`Gene 5743`, `Chemical D001241`). For a variant without a name,
    return its HGVS name or rs number, or else its id.
    """
    if concept.synonyms:
        return concept.name
    if concept.type not in VARIANTS:
        return f"{concept.type} {concept.id.removeprefix('MESH:')}"
    if found := _HGVS.search(concept.id):
        return found[1]
    return f"rs{found[1]}" if (found := _RS.search(concept.id)) else concept.id


def url(concept: Concept) -> str | None:
    """Return the address of a page about a concept in a public database; None if no database is known for its id."""
    return next(iter(links(concept.key).values()), None)


def article_urls(pmids: pa.ListArray) -> pa.StringArray:
    """Return an address in PubMed for each list of ascending PMIDs: its only article, or its newest articles."""
    ends = pmids.offsets.to_numpy()
    counts = np.minimum(np.diff(ends), _LINKED)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    numbers = pmids.values.take(pa.array(ranges(ends[1:] - counts, counts))).cast(pa.string())
    terms = pc.binary_join(pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), numbers), ",")
    one = pc.binary_join_element_wise(_PUBMED, terms, "")
    return pc.if_else(pa.array(counts == 1), one, pc.binary_join_element_wise(f"{_PUBMED}?term=", terms, ""))


#: The files that are served. Other paths are answered with 404.
SERVED = ("style.grass", "guide.html")

_FOLDER = Path(__file__).with_name("browser")
#: Where a saved query stands in the guide, and the parts of a saved query: title, `:param` command if any, query.
_QUERY = re.compile(r"<query>([\w-]+)</query>")
_PARTS = re.compile(r"// (.+?)(?:  \((:param .+)\))?\n((?s:.+))")


def addresses(port: int) -> tuple[str, str]:
    """Return the addresses of style and guide at a port. The host is `localhost`: Neo4j Browser refuses 127.0.0.1."""
    style, guide = (f"http://localhost:{port}/{name}" for name in SERVED)
    return style, guide


def post_connect(port: int) -> str:
    """Return the setting `browser.post_connect_cmd` with which Neo4j Browser opens style and guide when it connects."""
    return "style {}; guide {}".format(*addresses(port))


def guide(style: str) -> str:
    """Return the guide as HTML, with the saved queries in their places.

    Args:
        style: Address of the style sheet. The guide contains a command that sets this style in Neo4j Browser.
    """
    text = _FOLDER.joinpath("guide.html").read_text("utf-8")
    return _QUERY.sub(_query, text).replace("<style-command/>", _runnable(f":style {style}"))


def _query(found: re.Match[str]) -> str:
    """Return the title, the `:param` command and the text of a saved query as HTML."""
    parts = _PARTS.fullmatch(_FOLDER.joinpath(f"{found[1]}.cypher").read_text("utf-8"))
    if parts is None:
        raise ValueError(f"{found[1]}.cypher does not begin with a title")
    title, parameters, text = parts.groups()
    return "\n".join([f"<p><b>{escape(title)}</b></p>", *map(_runnable, filter(None, [parameters, text]))])


def _runnable(text: str) -> str:
    return f'<pre class="pre-scrollable code runnable">{escape(text.strip(), quote=False)}</pre>'


class _Handler(BaseHTTPRequestHandler):
    def do_OPTIONS(self) -> None:
        """Answer the OPTIONS request with which Neo4j Browser asks whether it may fetch the files."""
        self.send_response(204)
        self.end_headers()

    def do_GET(self) -> None:
        """Send one of the served files."""
        name = self.path.partition("?")[0].lstrip("/")
        if name not in SERVED:
            self.send_error(404)
            return
        # Use the address that the browser asked for. A container may publish the port under another number.
        style = f"http://{self.headers['Host']}/{SERVED[0]}"
        text = guide(style) if name == SERVED[1] else _FOLDER.joinpath(name).read_text("utf-8")
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", f"text/{'html' if name == SERVED[1] else 'plain'}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

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
    """A file server for the time of a `with` block.

    Args:
        port: Port to listen on; 0 takes a free one.
        host: Address to listen on; loopback by default.

    Attributes:
        port: The port.

    Raises:
        OSError: The port is in use.
    """

    def __init__(self, port: int = 0, host: str = "127.0.0.1") -> None:
        self._server = ThreadingHTTPServer((host, port), _Handler)
        self.port: int = self._server.server_address[1]

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


if __name__ == "__main__":
    BrowserFiles(int(sys.argv[2]), sys.argv[1]).serve()
