"""Run the program in separate processes, and kill it at a chosen point.

Importing the program takes longer than a small load. So one process imports it, and each command runs in a fork of this
process.
"""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: The program counts the calls of functions of four rooms in the main thread, and among them the calls in files that
#: write a graph. A command is killed some seconds after its call or write number `point`, or at once if the seconds
#: are 0. Leases expire soon and requests are retried soon, so that a kill does not cost ten seconds.
_PROGRAM = """
import json, os, signal, sys, time
from functools import partial
from pathlib import Path
import cypher, fuzzygraph, ingest, literature
from cypher.bolt import write as bolt_write
from literature import elastic, elastic_load
from tests.faults.late import import_late, leave_alone
from truthhypo.faces.cli import entry

import_late()
ROOMS = tuple(str(Path(room.__file__).parent) for room in (cypher, fuzzygraph, ingest, literature))
WRITERS = ("embedded/draft.py", "bolt/write.py")
for module in (bolt_write, elastic):
    module.Lease = partial(module.Lease, beat=0.25, patience=2.5)
elastic_load.FIRST_PAUSE, elastic_load.LONGEST_PAUSE = 0.05, 0.5

def command(told, argv, environment, counted, point, seconds, writing, out, err):
    leave_alone()
    os.environ.update(environment)
    for number, file in ((1, out), (2, err)):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    calls = writes = 0
    def hook(frame, event, _):
        nonlocal calls, writes
        if event == "call" and frame.f_code.co_filename.startswith(ROOMS):
            calls += 1
            write = frame.f_code.co_filename.endswith(WRITERS)
            writes += write
            if (write and writes == point) if writing else calls == point:
                if not seconds:
                    os.kill(os.getpid(), signal.SIGKILL)
                os.write(told, b"!")
    if counted:
        sys.settrace(hook)  # the hook returns None, so it gets calls only; sys.setprofile reports all returns too
    code = entry.run(argv)
    sys.settrace(None)
    sys.stdout.flush()
    sys.stderr.flush()
    os.write(told, f"{calls} {writes}".encode())
    os._exit(code)

for line in sys.stdin:
    asked = json.loads(line)
    heard, told = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(heard)
        command(told, *asked)
    os.close(told)
    said = os.read(heard, 50)
    if said == b"!":
        time.sleep(asked[4])
        os.kill(child, signal.SIGKILL)
        said = os.read(heard, 50)
    os.close(heard)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(json.dumps([status, *map(int, said.split() or (0, 0))]), flush=True)
"""

KILLED = -9
PROGRAM = str(Path(sys.executable).parent / "truthhypo")


@dataclass(frozen=True)
class Told:
    """The result of a command: exit code (or `KILLED`), stdout as JSON, stderr, the number of its calls and of its
    writes. The numbers are 0 unless they were to be counted."""

    code: int
    json: Any
    err: str
    calls: int
    writes: int

    def failed(self, code: int, *said: str) -> None:
        """Check that the command failed with this exit code and one message, without a traceback."""
        assert self.code == code, self.err
        assert "Traceback" not in self.err
        assert "an internal error" not in self.err
        assert self.err.count("truthhypo: ") == 1
        for words in said:
            assert words in self.err


class Commands:
    """A process that imports the program and is forked for each command.

    Args:
        folder: For the output of commands.
    """

    def __init__(self, folder: Path) -> None:
        self._out, self._err = folder / "out", folder / "err"
        self._process = _started()

    def run(
        self,
        *argv: object,
        counted: bool = False,
        point: int = 0,
        seconds: float = 0.0,
        writing: bool = False,
        settings: Mapping[str, object] | None = None,
    ) -> Told:
        """Run `truthhypo ARGV --json`, and count its calls if `counted`. If `point` is above 0, kill the command
        `seconds` after its call number `point`, or after its write of that number if `writing`."""
        environment = {f"TRUTHHYPO_{name.upper()}": str(value) for name, value in (settings or {}).items()}
        words, counted = [*map(str, argv), "--json"], counted or point > 0
        asked = [words, environment, counted, point, seconds, writing, str(self._out), str(self._err)]
        try:
            self._process.stdin.write(json.dumps(asked) + "\n")
            self._process.stdin.flush()
            status, calls, writes = json.loads(self._process.stdout.readline())
        except BaseException:  # the answer for a test that timed out must not reach the next test
            self._process.kill()
            self.close()
            self._process = _started()
            raise
        out = self._out.read_text()
        return Told(status, json.loads(out) if out and status != KILLED else None, self._err.read_text(), calls, writes)

    def done(self, *argv: object, counted: bool = False, settings: Mapping[str, object] | None = None) -> Told:
        """Run a command and check that it succeeds."""
        told = self.run(*argv, counted=counted, settings=settings)
        assert told.code == 0, told.err
        return told

    def close(self) -> None:
        """End the process."""
        self._process.stdin.close()
        self._process.wait(60)
        self._process.stdout.close()


def _started() -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", _PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def begun(*argv: object) -> subprocess.Popen[bytes]:
    """Start a command in its own process, as a console does, and do not wait for it."""
    return subprocess.Popen([PROGRAM, *map(str, argv)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
