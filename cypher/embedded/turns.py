"""How a service that keeps an embedded graph open and a load that needs the folder alone take turns.

They communicate by two lock files. The locks end with the processes that hold them. A service holds `served`. If a load
finds the folder in use by a service, it holds `wanted` and waits. The service notices this lock, closes the graph, and
opens it again when `wanted` is free.
"""

from pathlib import Path
from time import monotonic, sleep

from cypher.embedded.contents import GRAPH
from cypher.lock import Lock
from groundwork.errors import StoreBusy, StoreUnreachable

SERVED, WANTED = "served", "wanted"
#: Seconds between two checks.
_PULSE = 0.05


class Turns:
    """The service's side of the protocol.

    Args:
        folder: The folder of the graph. It need not exist yet.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._served: Lock | None = None

    def wanted(self) -> bool:
        """Return whether a load waits for the folder or has it. From the first call on, loads wait for this service."""
        if not (self._folder / GRAPH).exists():
            return False
        try:
            self._served = self._served or Lock(self._folder / SERVED, shared=True)
            Lock(self._folder / WANTED, shared=True).release()
        except StoreBusy:
            return True
        except StoreUnreachable:  # no load can run in a folder that is not writable
            return False
        return False

    def end(self) -> None:
        """Stop serving. A second call does nothing."""
        served, self._served = self._served, None
        if served:
            served.release()


def alone(lock: Path, seconds: float) -> tuple[Lock, Lock | None]:
    """Take a folder's lock for a load, and wait for services to close the folder.

    Args:
        lock: The lock file of the folder.
        seconds: How long to wait for services.

    Returns:
        The folder's lock, and the lock that keeps services away until it is released; None if no service had to close
        the folder.

    Raises:
        StoreBusy: A process that is not a service uses the folder, or a service did not close it in time.
    """
    try:
        return Lock(lock, shared=False), None
    except StoreBusy:
        if not _served(lock.parent):
            raise
    wanted = Lock(lock.parent / WANTED, shared=False)
    until = monotonic() + seconds
    while True:
        try:
            return Lock(lock, shared=False), wanted
        except StoreBusy:
            if monotonic() > until:
                wanted.release()
                raise
        sleep(_PULSE)


def _served(folder: Path) -> bool:
    """Return whether a service has the folder open."""
    try:
        Lock(folder / SERVED, shared=False).release()
    except StoreBusy:
        return True
    return False
