"""How a service that keeps an embedded graph open and a load that needs the folder alone take turns.

They meet by two lock files, which die with their process. A service holds `served`. A load that finds the folder in
use while somebody serves holds `wanted` and waits; the service sees that, closes the graph, and opens it again when
`wanted` is free.
"""

from pathlib import Path
from time import monotonic, sleep

from cypher.embedded.contents import GRAPH
from cypher.lock import Lock
from groundwork.errors import StoreBusy, StoreUnreachable

SERVED, WANTED = "served", "wanted"
#: Seconds between two looks.
_PULSE = 0.05


class Turns:
    """The side of a service.

    Args:
        folder: The folder of the graph; it may not be there yet.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._served: Lock | None = None

    def wanted(self) -> bool:
        """Whether a load waits for the folder, or has it. From the first call on, loads wait for this service."""
        if not (self._folder / GRAPH).exists():
            return False
        try:
            self._served = self._served or Lock(self._folder / SERVED, shared=True)
            Lock(self._folder / WANTED, shared=True).release()
        except StoreBusy:
            return True
        except StoreUnreachable:  # nobody can load into a folder that cannot be written
            return False
        return False

    def end(self) -> None:
        """Serve no more. Calling it twice is no error."""
        served, self._served = self._served, None
        if served:
            served.release()


def alone(lock: Path, seconds: float) -> tuple[Lock, Lock | None]:
    """Take a folder's lock for a load, and wait for services to close the folder.

    Args:
        lock: The lock file of the folder.
        seconds: How long to wait for services.

    Returns:
        The lock, and the one that keeps services away until it is released; None if no service had to be asked.

    Raises:
        StoreBusy: Another process than a service uses the folder, or a service did not close it in time.
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
    """Whether a service has the folder."""
    try:
        Lock(folder / SERVED, shared=False).release()
    except StoreBusy:
        return True
    return False
