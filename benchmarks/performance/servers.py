"""The servers that benchmarks run on: Elasticsearch, and a Neo4j that is stopped and started at one address."""

import os
import shlex
import shutil
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.performance.measure import Unavailable, say
from tests.servers import neo4j, process
from tests.servers.errors import UnavailableError
from tests.servers.pool import stores
from tests.servers.process import Command, Server


@contextmanager
def elasticsearch(options: Namespace) -> Iterator[Server | None]:
    """Yield a server during the benchmark, or None if `--store` excludes it or this machine cannot run it."""
    if options.store == "embedded":
        yield None
        return
    _, store = stores(quick=False)
    try:
        server = store.start()
    except UnavailableError as error:
        say(f"no Elasticsearch here: {error}")
        yield None
        return
    with server:
        yield server


@dataclass(frozen=True)
class Stopped:
    """A server that is not running.

    Attributes:
        home: Its folder, with a configuration and no database.
        address: Where it answers while it runs.
    """

    home: Path
    address: str

    @classmethod
    def make(cls, home: Path) -> "Stopped":
        """Return a server whose data are empty, as if it was never started.

        Raises:
            Unavailable: This machine cannot run it.
        """
        try:
            with neo4j.start(home=home) as server:  # the server gets its configuration and ports
                address = server.address
        except UnavailableError as error:
            raise Unavailable(str(error)) from error
        shutil.rmtree(home / "data")
        return cls(home, address)

    @property
    def settings(self) -> dict[str, str]:
        """The variables that tell the program how to run the importer."""
        admin = shlex.join(neo4j.admin_command(self.home))
        return {"TRUTHHYPO_NEO4J_ADMIN": admin, "TRUTHHYPO_NEO4J_HOME": str(self.home)}

    @contextmanager
    def running(self, heap: str = "2g") -> Iterator[Server]:
        """Yield the running server, started with its own configuration."""
        *java, _ = neo4j.admin_command(self.home)  # the last argument is the class of the tool
        java.insert(java.index("-cp"), f"-Xmx{heap}")
        where = [f"--home-dir={self.home}", f"--config-dir={self.home / 'conf'}", "--console-mode"]
        command = Command([*java, "org.neo4j.server.Neo4jCommunity", *where], dict(os.environ))

        def probe(_: Path) -> str | None:
            return self.address if neo4j.answers(self.address) else None

        with process.start(neo4j.NAME, lambda _: command, probe, neo4j.START_SECONDS) as server:
            yield server
