"""`python -m tests.servers` runs both servers until Ctrl-C. Its output on stdout can be pasted into a shell."""

import contextlib
import signal
import sys
from threading import Thread
from typing import TextIO

from cypher.browser_files import BrowserFiles
from tests.servers.errors import StartError, UnavailableError
from tests.servers.pool import Pool, stores

NEO4J, ELASTICSEARCH = STORES = stores(quick=False)


def main() -> int:
    """Starts both servers, prints their addresses, waits to be interrupted, stops them."""
    # A shell without job control starts background jobs with SIGINT ignored, and Ctrl-C must end this program.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _say(sys.stderr, "Starting Neo4j and Elasticsearch; the first time, they are fetched ...")
    with Pool() as pool:
        try:
            with contextlib.suppress(KeyboardInterrupt):
                _serve(pool)
        except (UnavailableError, StartError) as error:
            _say(sys.stderr, f"The servers cannot be started here: {error}")
            return 1
        finally:
            # A second Ctrl-C must not interrupt the stop that the first one began.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            _say(sys.stderr, "Stopping ...")
    return 0


def _serve(pool: Pool) -> None:
    pool.begin(STORES)
    graph, literature = pool.acquire(NEO4J), pool.acquire(ELASTICSEARCH)
    _say(sys.stdout, f"export TRUTHHYPO_GRAPH={graph.address}")
    _say(sys.stdout, f"export TRUTHHYPO_LITERATURE={literature.address}")
    _say(sys.stderr, f"Neo4j Browser, which opens our style and guide: {graph.page}")
    for server in (graph, literature):
        _say(sys.stderr, f"{server.name} is process {server.pid}; it keeps the address {server.address}")
    _say(sys.stderr, "Ctrl-C stops both; their data is lost then.")
    with BrowserFiles(graph.guide) as files:
        Thread(target=files.serve, daemon=True).start()
        signal.pause()


def _say(stream: TextIO, line: str) -> None:
    stream.write(f"{line}\n")
    stream.flush()


if __name__ == "__main__":
    raise SystemExit(main())
