"""Open files that a user names, and report the wait for the writer of a named pipe."""

import warnings
from collections.abc import Callable
from pathlib import Path
from threading import Timer
from typing import BinaryIO

from groundwork.errors import Notice

#: Seconds to wait for a writer of a named pipe before a message is shown.
_PATIENCE = 2.0


def open_file(path: Path, tell: Callable[[str], object] | None = None) -> BinaryIO:
    """Open a file for reading. Opening a named pipe waits until another program opens it for writing.

    Args:
        path: The file.
        tell: Receives a message if the wait is long. By default, the message is a warning.

    Raises:
        OSError: The file cannot be opened.
    """
    if not path.is_fifo():
        return path.open("rb")
    waiting = f"waiting for a program to write to the named pipe {path}; press Ctrl-C to stop"
    told = Timer(_PATIENCE, tell or _warn, [waiting])
    told.daemon = True
    told.start()
    try:
        return path.open("rb")
    finally:
        told.cancel()


def read_bytes(path: Path) -> bytes:
    """Return the content of a file.

    Raises:
        OSError: The file cannot be read.
    """
    with open_file(path) as file:
        return file.read()


def read_text(path: Path, encoding: str = "utf-8") -> str:
    """Return the content of a text file, with line ends as LF.

    Raises:
        OSError: The file cannot be read.
        UnicodeDecodeError: The file has another encoding.
    """
    return read_bytes(path).decode(encoding).replace("\r\n", "\n").replace("\r", "\n")


def _warn(message: str) -> None:
    warnings.warn(message, Notice, stacklevel=2)
