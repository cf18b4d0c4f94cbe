"""Files: open those that a user names, read JSON, lock a file, replace a folder, and say why a write failed.

If a command stops because the disk is full or too many files are open, remove the cause and run the same command again.
It continues the work.
"""

import json
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from errno import EDQUOT, EFBIG, EMFILE, ENFILE, ENOSPC, EROFS
from pathlib import Path
from shutil import disk_usage
from threading import Timer
from typing import Any, BinaryIO

from groundwork.errors import InputError, Notice, Refused, StoreBusy

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
    told = Timer(_PATIENCE, tell or (lambda message: warnings.warn(message, Notice, stacklevel=2)), [waiting])
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


#: Error numbers of the system for a disk that is full, over quota or read-only, and for a limit on a file's size.
FULL = frozenset({ENOSPC, EDQUOT, EROFS, EFBIG})
#: Error numbers for too many open files in a process or in the system, and the text of such errors.
MANY = frozenset({EMFILE, ENFILE})
_MANY = "Too many open files"
#: If fewer bytes than this are free, a failed write is attributed to a full disk.
_LEAST = 1 << 20


def full(what: object, why: object) -> Refused:
    """Return the error for a disk that is full or, if the message says so, for too many open files.

    Args:
        what: File or folder that could not be written.
        why: The message of the system or the driver.
    """
    if _MANY in str(why):
        return Refused(
            f"{what} cannot be written: {why}",
            "a process that may open more files",
            "raise the limit on open files, for example with ulimit -n 4096; then run the same command again",
        )
    return Refused(
        f"{what} cannot be written: {why}",
        "enough free space for the release beside the existing data",
        "make room on the disk, or choose another folder with --home; then run the same command again",
    )


def is_full(path: Path, said: str = "") -> bool:
    """Return whether a write failed because the disk is full.

    Drivers hide the system's error number and may report the failure late. Therefore the message and the free space are
    examined.

    Args:
        path: The file or folder that was written.
        said: The driver's message.
    """
    if "No space left" in said or "disk is full" in said:
        return True
    there = next((folder for folder in (path, *path.absolute().parents) if folder.exists()), None)
    return there is not None and disk_usage(there).free < _LEAST


@contextmanager
def held(path: Path, busy: StoreBusy) -> Iterator[None]:
    """Hold a lock during a block.

    Args:
        path: The lock file. It is created if missing.
        busy: The error to raise if another process, or another block of this process, holds the lock.

    Raises:
        StoreBusy: `busy`, if the lock is held already.
    """
    from filelock import FileLock, Timeout  # imported here because it is slow

    try:
        lock = FileLock(path).acquire(blocking=False)
    except Timeout:
        raise busy from None
    with lock:
        yield


def swap(target: Path, fresh: Path) -> Path | None:
    """Put a folder in the place of another one. The old folder is kept beside the new one.

    If the process is killed in between, there is no folder at `target`, but never an incomplete one.

    Args:
        target: The path of the folder to replace.
        fresh: The new folder, on the same file system.

    Returns:
        The new path of the old folder; None if there was none.

    Raises:
        OSError: If a folder cannot be renamed.
    """
    aside = None
    if target.exists():
        aside = target.with_name(f"{target.name}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%S}")
        target.rename(aside)
    fresh.rename(target)
    return aside


def embedded_folder(address: str) -> Path | None:
    """Return the absolute path of the embedded store's folder, given its address; None for another kind of address.

    A relative path starts at the current folder.

    Raises:
        InputError: If the path names the home folder of an unknown user.
    """
    kind, _, path = address.partition(":")
    if kind != "embedded" or not path:
        return None
    try:
        return Path(path).expanduser().absolute()
    except RuntimeError as error:
        raise InputError(
            f"no home folder for {path!r}", "a path that starts with ~ and the name of a user", "write the full path"
        ) from error


def loads(text: str | bytes) -> Any:
    """Return the value of a JSON text.

    Raises:
        json.JSONDecodeError: If the text is not JSON, or its brackets are nested too deeply for the parser.
        UnicodeDecodeError: If the bytes are not UTF-8.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise json.JSONDecodeError("brackets nested too deep", "", 0) from None


def written_value(value: Any) -> Any:
    """Return the value that a model means: a text that is JSON stands for its value, and 4.0 for the integer 4.

    The values in a list are read in the same way. Any other value is returned unchanged.
    """
    if isinstance(value, str):
        try:
            value = loads(value)
        except ValueError:
            return value
    if isinstance(value, list):
        return [written_value(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
