"""A lock on a file that one process at a time can hold. The operating system releases it when the process ends."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from groundwork.errors import StoreBusy


@contextmanager
def held(path: Path, busy: StoreBusy) -> Iterator[None]:
    """Hold a lock during a block.

    Args:
        path: The lock file. It is created if missing.
        busy: The error to raise if another process, or another block of this process, holds the lock.

    Raises:
        StoreBusy: `busy`, if the lock is held already.
    """
    try:
        lock = FileLock(path).acquire(blocking=False)
    except Timeout:
        raise busy from None
    with lock:
        yield
