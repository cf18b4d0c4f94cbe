"""The lease of a server, which one load at a time can hold. The lease of a process that has died can be taken over.

The holder changes a value on the server, the heartbeat, every few seconds. A process that wants the lease watches the
heartbeat. If it changes, the holder is alive. If it stays the same for long enough, the holder counts as dead, and the
lease is taken over, provided that the heartbeat has still not changed. No clocks are compared.

A load reports that it waits for a server (`Waiting`).
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from os import getpid
from platform import node
from threading import Event, Thread
from time import monotonic, sleep
from typing import Generic, TypeVar
from uuid import uuid4

from groundwork.errors import StoreBusy
from groundwork.ports import Progress, Silent

#: Minimum number of seconds between two messages.
_EVERY = 4.0


class Waiting:
    """Reports that a load waits for a server, with a minimum time between messages.

    Args:
        store: The server, in words that fit after "waiting for".
        progress: Receives the messages; None for no messages.
    """

    def __init__(self, store: str, progress: Progress | None = None) -> None:
        self._store, self._progress = store, progress or Silent()
        self._told = -_EVERY

    def tell(self, left: float, limit: float, setting: str, why: str = "it does not answer") -> None:
        """Report how long the load may still wait.

        Args:
            left: Number of seconds until the load gives up.
            limit: Total number of seconds that it waits.
            setting: Name of the setting that holds the limit.
            why: Why the load waits.
        """
        now = monotonic()
        if now - self._told < _EVERY:
            return
        self._told = now
        self._progress.note(
            f"waiting for {self._store}: {why}; the load gives up in {max(0.0, left):.0f} s "
            f"(limit {limit:g} s, setting {setting})"
        )


#: Seconds between two heartbeats, and seconds without a new heartbeat after which the holder counts as dead.
BEAT, PATIENCE = 2.0, 10.0
#: Seconds between two checks of the heartbeat of another holder.
LOOK = 0.25
#: Seconds that the end of a load waits for the server's answer to a heartbeat.
_BRIEFLY = 1.0

#: Type of the value that the server keeps as the heartbeat. Two heartbeats are only compared for equality.
Beat = TypeVar("Beat")


class Lease(ABC, Generic[Beat]):
    """The right of one process to write.

    Args:
        address: The address of the server, for messages.
        beat: Seconds between two heartbeats.
        patience: Seconds without a new heartbeat after which the holder counts as dead; several times `beat`.

    Attributes:
        token: A text that no other load has.
        holder: The machine, the process and the token of this load.
    """

    def __init__(self, address: str, beat: float, patience: float) -> None:
        self.address, self.beat, self.patience = address, beat, patience
        self.token = uuid4().hex
        self.holder = f"{node()}:{getpid()}:{self.token}"

    @contextmanager
    def held(self, progress: Progress | None = None) -> Iterator[None]:
        """Hold the lease inside the block, and send heartbeats.

        The lease is released at the end. If the server is unreachable then, the lease expires.

        Args:
            progress: Notified if the heartbeat of another load must be watched first, to see whether that load is
                alive.

        Raises:
            StoreBusy: If a living load holds the lease.
        """
        self.take(progress or Silent())
        over = Event()
        heart = Thread(target=self._keep_beating, args=(over,), name="lease", daemon=True)
        heart.start()
        try:
            yield
        finally:
            over.set()
            heart.join(_BRIEFLY)
            self._release()

    def take(self, progress: Progress) -> None:
        """Take the lease without sending heartbeats; see `held`."""
        holder, beat = self._attempt(None)
        seen_at, seen = monotonic(), beat
        if holder != self.holder:
            progress.note(
                f"{self.address} is locked by another load ({_shown(holder)}): "
                f"waiting for up to {self.patience:g} s to see whether that load is still alive"
            )
        while holder != self.holder:
            waited = monotonic() - seen_at
            sleep(LOOK)
            holder, beat = self._attempt(seen if waited > self.patience else None)
            if holder != self.holder and beat != seen:
                raise self._busy(holder)

    @abstractmethod
    def _attempt(self, seen: Beat | None) -> tuple[str, Beat]:
        """Take the lease if it is free or its heartbeat is still `seen`. Return the resulting holder and heartbeat.

        If `seen` is None, only a free lease is taken.
        """

    @abstractmethod
    def _renew(self) -> None:
        """Change the heartbeat, if this process still holds the lease.

        A failure raises no error, because the next heartbeat follows. If failures last, the next write reports them.
        """

    @abstractmethod
    def _release(self) -> None:
        """Release the lease if this process still holds it; if the server is unreachable, do nothing."""

    def _keep_beating(self, over: Event) -> None:
        while not over.wait(self.beat):
            self._renew()

    def _busy(self, holder: str) -> StoreBusy:
        return StoreBusy(
            f"{self.address} is being loaded by another process ({_shown(holder)})",
            "one load at a time",
            "wait until that load has ended, then run the same command again",
        )

    def _lost(self) -> StoreBusy:
        """Return the error for a load whose lease another process has taken over."""
        return StoreBusy(
            f"another load has taken over {self.address}, because this one gave no sign of life for "
            f"{self.patience:g} s",
            "one load at a time",
            "wait until the other load has ended, then run this command again",
        )


def _shown(holder: str) -> str:
    """Return the machine and process of a holder."""
    return holder.rpartition(":")[0] or holder
