"""Let services and loads take turns on the folder of an embedded graph.

A service keeps the graph open, but a load needs the folder alone. Services and loads communicate through two lock
files. The locks end with the processes that hold them. A service holds `served`. If a load finds that a service uses
the folder, the load takes `wanted` and waits. The service notices this lock, closes the graph, and opens it again when
`wanted` is free.
"""

from pathlib import Path
from time import monotonic, sleep

from cypher.embedded.contents import GRAPH
from cypher.lock import Lock
from groundwork.errors import StoreBusy, StoreUnreachable

SERVED, WANTED = "served", "wanted"
#: Seconds between two attempts of a load to take the lock of the folder.
_PULSE = 0.05


class Turns:
    """A service's side of the protocol by which services and loads take turns on a folder (see the module docstring).

    Args:
        folder: The folder of the graph. It need not exist yet.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._served: Lock | None = None

    def wanted(self) -> bool:
        """Return whether a load waits for the folder, or has waited for it and now uses it.

        The first call that finds a graph in the folder takes the lock `served`. From then on, loads wait for this
        service.
        """
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
        """Release the lock `served`, so that loads no longer wait for this service. A second call does nothing."""
        served, self._served = self._served, None
        if served:
            served.release()


def alone(lock: Path, seconds: float) -> tuple[Lock, Lock | None]:
    """Take a folder's lock for a load. Wait until services have closed the graph in the folder.

    Args:
        lock: The lock file of the folder.
        seconds: How long to wait for services.

    Returns:
        The folder's lock, and the lock `wanted`, which keeps services away until it is released. The second item is
        None if no service had to close the graph.

    Raises:
        StoreBusy: A process that is not a service uses the folder, or a service did not close the graph in time.
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
    """Return whether a service uses the folder, that is, holds the lock `served`."""
    try:
        Lock(folder / SERVED, shared=False).release()
    except StoreBusy:
        return True
    return False
