"""A lock on a folder for many readers or one writer, in one or several processes.

A lock ends with the process that holds it.
"""

import os
import sys
from contextlib import suppress
from errno import EACCES, EPERM, EROFS
from pathlib import Path

from groundwork.errors import StoreBusy, StoreUnreachable

_NOT_WRITABLE = frozenset({EACCES, EPERM, EROFS})


class Lock:
    """A lock that is held from its creation until `release`.

    Args:
        path: The lock file. It is created if missing, and never removed, so that all processes lock the same file.
        shared: Whether others may read at the same time. (On Windows there is no shared lock; readers take turns.)

    Raises:
        StoreBusy: If the lock is held elsewhere and cannot be shared.
        StoreUnreachable: If the file cannot be created or opened.
    """

    def __init__(self, path: Path, *, shared: bool) -> None:
        self._descriptor = _opened(path)
        try:
            _hold(self._descriptor, shared)
        except OSError as error:
            holder = _holder(self._descriptor)
            self.release()
            raise StoreBusy(
                f"the store {path.parent} is in use by another process{holder}",
                "one process that writes while none reads, or any number that read",
                "wait until that process has ended, or end it",
            ) from error
        if not shared:
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, str(os.getpid()).encode(), 0)

    @property
    def descriptor(self) -> int:
        """The descriptor of the open lock file; a process that inherits it holds the lock as well."""
        return self._descriptor

    def release(self) -> None:
        """Release the lock. Calling it twice is allowed."""
        with suppress(OSError):
            os.close(self._descriptor)
        self._descriptor = -1


def _opened(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        if error.errno in _NOT_WRITABLE:
            with suppress(OSError):
                return os.open(path, os.O_RDONLY)
            raise StoreUnreachable(f"{path} cannot be opened", "a readable store", "check its permissions") from None
        raise StoreUnreachable(
            f"{path} cannot be opened: {error.strerror}", "a folder that can be written", "check its permissions"
        ) from error


def _hold(descriptor: int, shared: bool) -> None:
    """Take the lock at once, or raise OSError."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)


def _holder(descriptor: int) -> str:
    """Return a hint on who holds the lock: the ID of the last writing process. Readers do not record their IDs."""
    with suppress(OSError, ValueError):
        number = int(os.pread(descriptor, 20, 0))
        os.kill(number, 0)
        return f" (perhaps {number})"
    return ""
