"""A command that is killed while it writes."""

import os
import signal
import subprocess
import time
from pathlib import Path


def killed_at(path: Path, wanted: int, words: list[str]) -> None:
    """Run the command `words`, and kill it when the file `path` has the wanted number of lines."""
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 400
    while not (path.exists() and path.read_bytes().count(b"\n") >= wanted):
        assert process.poll() is None and time.monotonic() < until
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
