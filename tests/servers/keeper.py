"""Keeps one server process: starts it, waits until it should end, and cleans up.

Run as a script, with the server's scratch folder as the only argument. It reads one line, the task as JSON, starts the
server, prints its process id, and waits for the end of its standard input. The input ends when the process at the other
end closes the pipe or dies for any reason. Then the keeper ends the server by its process id and removes the folder. So
nothing outlives a killed test run, even if it was killed before the server started.

A parent-death signal is not enough: it is sent when the starting *thread* ends, it is lost when the user changes,
and it leaves nobody to clean up.

This module imports only the standard library, and no module of this folder, because one of them is called `neo4j`.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from types import FrameType
from typing import NoReturn, TypedDict


class Task(TypedDict):
    """What the keeper reads."""

    arguments: list[str]  # the server's command line
    environment: dict[str, str]  # its whole environment
    user: str | None  # the user that runs it; None: the user of this process
    grace: float  # seconds that it may take to end after SIGTERM; then it is killed
    afterwards: list[str]  # a command to run once it has ended; may be empty


def keep(task: Task, folder: str) -> None:
    """Runs the server in the folder until standard input ends. The server's output goes to our standard error."""
    # Set the groups too: otherwise a server that drops root would keep root's groups.
    identity = {"user": task["user"], "group": _group(task["user"]), "extra_groups": []} if task["user"] else {}
    server = subprocess.Popen(
        task["arguments"],
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
        env=task["environment"],
        cwd=folder,
        start_new_session=True,
        **identity,
    )
    # A server that ends by itself must not stay a zombie, because the process id of a zombie looks alive.
    threading.Thread(target=server.wait, daemon=True).start()
    try:
        print(server.pid, flush=True)  # noqa: T201 - the reply to the process that started us
        sys.stdin.read()
    finally:
        _end(server, task["grace"])
        if task["afterwards"]:
            subprocess.run(task["afterwards"], env=task["environment"], stdout=sys.stderr, check=False)


def _group(user: str) -> int:
    import pwd  # not on every system; only needed where users change

    return pwd.getpwnam(user).pw_gid


def _end(server: subprocess.Popen[bytes], grace: float) -> None:
    server.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        server.wait(grace)
    # Also end the processes that the server started: it leads a separate process group.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGKILL)
    server.wait()


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _stop)
    try:
        if line := sys.stdin.readline():
            keep(json.loads(line), sys.argv[1])
    finally:
        shutil.rmtree(sys.argv[1], ignore_errors=True)
