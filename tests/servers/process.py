"""A server process on loopback. It is stopped by its process id, and ends when the process that started it ends."""

import contextlib
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.servers import keeper
from tests.servers.errors import StartError

LOG_LINES = 40
POLL_SECONDS = 0.25

# Below the ports that systems give to outgoing connections, so that no connection takes a port before the server does.
PORTS = range(20000, 32000)

# What every program that starts a server is given. Servers start in threads, and a program without an environment of its
# own gets the memory that C keeps it in: while a test sets a variable, the start fails there with "Bad address".
ENVIRONMENT = dict(os.environ)


@dataclass(frozen=True)
class Command:
    """How to run a server."""

    arguments: Sequence[str]
    environment: Mapping[str, str]  # all of it
    user: str | None = None  # the user that runs it; None: the user of this process
    grace: float = 20.0  # seconds that it may take to end after SIGTERM; then it is killed
    afterwards: Sequence[str] = ()  # a command to run after it has ended


@dataclass
class Server:
    """A running server. Leaving its `with` block stops it."""

    name: str
    pid: int
    folder: Path  # scratch, removed when the server is stopped
    keeper: subprocess.Popen[str]  # closing its standard input ends the server
    address: str = ""
    page: str = ""  # address of a page for a web browser; empty: none
    guide: int = 0  # the port at which the page looks for its style and guide; whoever opens the page serves them

    def alive(self) -> bool:
        """Says whether the process still runs."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        return True

    def log_tail(self) -> str:
        """Returns the last lines that the server has written."""
        text = _log(self.folder).read_text(encoding="utf-8", errors="replace")
        return "\n".join(text.splitlines()[-LOG_LINES:])

    def stop(self) -> None:
        """Ends the process (SIGTERM, then SIGKILL) and removes its folder. Stopping again does nothing."""
        _dismiss(self.keeper)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def start(name: str, prepare: Callable[[Path], Command], probe: Callable[[Path], str | None], seconds: float) -> Server:
    """Starts a server and waits until it answers.

    Args:
        name: for messages, such as "Neo4j".
        prepare: writes what the server needs into the empty folder it is given, and says how to run it.
        probe: asks the server in that folder a real question; returns its address, None while it does not answer.
        seconds: how long to wait for the answer.

    Raises:
        StartError: it ended, or did not answer in time; the message ends with the tail of its log.
    """
    folder = Path(tempfile.mkdtemp(prefix=f"truthhypo-{name.lower()}-"))
    # Start the keeper first: from now on it removes the folder, whatever ends this process.
    process = _keeper(folder)
    try:
        server = Server(name, _launch(name, prepare(folder), folder, process), folder, process)
        server.address = _wait(server, probe, seconds)
    except BaseException:
        _dismiss(process)
        raise
    return server


def free_ports(count: int) -> list[int]:
    """Returns this many different free loopback ports."""
    ports: list[int] = []
    for port in random.sample(PORTS, len(PORTS)):
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            ports.append(port)
        if len(ports) == count:
            return ports
    raise StartError(f"fewer than {count} free ports between {PORTS.start} and {PORTS.stop}")


def _log(folder: Path) -> Path:
    return folder / "server.log"


def _keeper(folder: Path) -> subprocess.Popen[str]:
    try:
        with _log(folder).open("wb") as log:
            return subprocess.Popen(
                # -I keeps the keeper's own folder off its module path: `neo4j` would be found there.
                [sys.executable, "-I", keeper.__file__, str(folder)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=ENVIRONMENT,
                text=True,
                # Ctrl-C in the terminal is for this process; the keeper learns of its end through the pipe.
                start_new_session=True,
            )
    except BaseException:
        shutil.rmtree(folder)
        raise


def _launch(name: str, command: Command, folder: Path, process: subprocess.Popen[str]) -> int:
    """Has the keeper start the server; returns its process id."""
    task = keeper.Task(
        arguments=list(command.arguments),
        environment=dict(command.environment),
        user=command.user,
        grace=command.grace,
        afterwards=list(command.afterwards),
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with _log(folder).open("rb") as log:  # opened now, because a keeper that fails removes it
        process.stdin.write(json.dumps(task) + "\n")
        process.stdin.flush()
        if pid := process.stdout.readline():
            return int(pid)
        process.wait()
        raise StartError(f"{name} could not be run:\n{log.read().decode(errors='replace')}")


def _dismiss(process: subprocess.Popen[str]) -> None:
    """Has the keeper end its server and remove its folder; waits until it has."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    process.wait()
    process.stdout.close()


def _wait(server: Server, probe: Callable[[Path], str | None], seconds: float) -> str:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if address := probe(server.folder):
            return address
        if not server.alive():
            raise StartError(f"{server.name} ended while starting. Its log ends with:\n{server.log_tail()}")
        time.sleep(POLL_SECONDS)
    raise StartError(f"{server.name} did not answer within {seconds:.0f} s. Its log ends with:\n{server.log_tail()}")
