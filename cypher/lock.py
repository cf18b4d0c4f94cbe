"""A lock on a folder: many readers or one writer, among processes and within one. It dies with its process."""

import os
import sys
from contextlib import suppress
from errno import EACCES, EPERM, EROFS
from pathlib import Path

from groundwork.errors import StoreBusy, StoreUnreachable

_NOT_WRITABLE = frozenset({EACCES, EPERM, EROFS})


class Lock:
    """Held from the moment it is made until `release`.

    Args:
        path: The lock file; made if absent, and never removed, so that nobody locks a file that is gone.
        shared: Whether others may read meanwhile. (Windows knows no shared lock here: readers take turns.)

    Raises:
        StoreBusy: Somebody else holds it in a way that excludes us.
        StoreUnreachable: The file cannot be made or opened.
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
                "one process that writes, and none that reads meanwhile; or any number that read",
                "wait for it to end, or end it",
            ) from error
        if not shared:
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, str(os.getpid()).encode(), 0)

    @property
    def descriptor(self) -> int:
        """The open file that holds it; a process that inherits it holds the lock too."""
        return self._descriptor

    def release(self) -> None:
        """Let go. Calling it twice is no error."""
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
            raise StoreUnreachable(f"cannot open {path}", "a store we may read", "check its rights") from None
        raise StoreUnreachable(f"cannot open {path}: {error.strerror}", "a folder we may use", "check it") from error


def _hold(descriptor: int, shared: bool) -> None:
    """Take the lock at once or raise OSError."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)


def _holder(descriptor: int) -> str:
    """The number of the process that wrote last: a hint, since readers do not leave theirs."""
    with suppress(OSError, ValueError):
        number = int(os.pread(descriptor, 20, 0))
        os.kill(number, 0)
        return f" (perhaps {number})"
    return ""
