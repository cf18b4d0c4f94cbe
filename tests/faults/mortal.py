"""A Neo4j that can be killed and started again on the same data and at the same address."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.faults.tunnel import Tunnel, tunnel
from tests.servers import neo4j
from tests.servers.process import Server


class Mortal:
    """The server.

    Args:
        home: The data folder of the server, which outlives it.
        way: The tunnel to the server.
    """

    def __init__(self, home: Path, way: Tunnel, server: Server) -> None:
        self._home, self.way, self._server = home, way, server

    def kill(self) -> None:
        """Kill the server by its process id."""
        os.kill(self._server.pid, signal.SIGKILL)
        while self._server.alive():
            time.sleep(0.01)

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Suspend the process of the server in a `with` block: its port still accepts connections, but nothing
        answers."""
        os.kill(self._server.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self._server.pid, signal.SIGCONT)

    def start(self) -> None:
        """Start the server again after a kill."""
        self._server.stop()
        self._server = neo4j.start(home=self._home, heap="512m", quick=True)
        self.way.lead_to(self._server.address)

    def stop(self) -> None:
        """End the server."""
        self._server.stop()


@contextmanager
def mortal(home: Path) -> Iterator[Mortal]:
    """Run a separate server for the time of a block."""
    home.mkdir()
    server = neo4j.start(home=home, heap="512m", quick=True)
    with tunnel(server.address) as way:
        made = Mortal(home, way, server)
        try:
            yield made
        finally:
            made.stop()
