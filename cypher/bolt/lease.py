"""The lease of a server, which one load at a time can hold. The lease of a process that has died can be taken over.

The holder changes a random text, the `beat`, every few seconds. A process that wants the lease watches the beat. If the
beat changes, the holder is alive. If the beat stays the same for long enough, the holder counts as dead, and the lease
is taken over, provided that the beat has still not changed. So no clocks are compared.

The lease has several rows, called hands. Every write transaction locks one hand until it is committed, and a process
that takes the lease over locks all hands. So a holder that lost its lease cannot commit anything. With a single hand,
the transactions of one holder would wait for each other.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import getpid
from platform import node
from queue import SimpleQueue
from threading import Event, Thread
from time import monotonic, sleep
from uuid import uuid4

from neo4j import ManagedTransaction

from cypher.bolt.server import Server, run
from groundwork.errors import StoreBusy, StoreError, StoreUnreachable, TimeLimit
from groundwork.ports import Progress, Silent

#: Seconds between two beats, and seconds without a new beat after which the holder counts as dead.
BEAT, PATIENCE = 2.0, 10.0
_LOOK = 0.25
#: Names of the lease's nodes on the server: the node with the heartbeat, and the hands, one per concurrent transaction.
_HEART, _HANDS = "load", ("load 1", "load 2", "load 3")
#: Seconds during which an unreachable server is asked again to release a lease.
_BRIEFLY = 1.0


class Lease:
    """The right of one process to write.

    Args:
        server: The server.
        beat: Seconds between two beats.
        patience: Seconds without a new beat after which the holder counts as dead; several times `beat`.
    """

    def __init__(self, server: Server, beat: float = BEAT, patience: float = PATIENCE) -> None:
        self.server, self.beat, self.patience = server, beat, patience
        self.holder = f"{node()}:{getpid()}:{uuid4()}"
        self._free: SimpleQueue[str] = SimpleQueue()
        for hand in _HANDS:
            self._free.put(hand)

    @contextmanager
    def held(self, progress: Progress | None = None) -> Iterator[None]:
        """Hold the lease inside the block, and send heartbeats.

        The lease is released at the end. If the server is unreachable then, the lease expires.

        Args:
            progress: Notified if the heartbeat of another load must be watched first, to see whether it is alive.

        Raises:
            StoreBusy: If a living load holds the lease.
        """
        self._take(progress or Silent())
        over = Event()
        heart = Thread(target=self._keep_beating, args=(over,), name="lease", daemon=True)
        heart.start()
        try:
            yield
        finally:
            over.set()
            heart.join(_BRIEFLY)  # a later beat changes nothing, because nobody holds the lease then
            with suppress(StoreUnreachable, TimeLimit):
                self.server.write(lambda tx: run(tx, "lease_release", holder=self.holder), most=_BRIEFLY)

    def check_idle(self) -> None:
        """Check that no living load holds the lease, by watching whether its beat changes.

        Raises:
            StoreBusy: If a living load holds it.
        """
        first, until = self._seen(), monotonic() + 2 * self.beat
        while first and monotonic() < until:
            sleep(_LOOK)
            now = self._seen()
            if now and now != first:
                raise self._busy(now[0])
            first = first and now

    @contextmanager
    def hand(self) -> Iterator[str]:
        """Yield the name of a hand for `check`. No other transaction of this process gets it inside the block."""
        hand = self._free.get()
        try:
            yield hand
        finally:
            self._free.put(hand)

    def check(self, transaction: ManagedTransaction, hand: str = _HEART) -> None:
        """Check that this process holds the lease, and lock a row of it, so that nobody can take it over meanwhile.

        Raises:
            StoreBusy: If another load has taken the lease over.
        """
        if not run(transaction, "lease_beat", holder=self.holder, name=hand):
            raise StoreBusy(
                f"another load has taken over {self.server.address}, because this one gave no sign of life for "
                f"{self.patience:g} s",
                "one load at a time",
                "wait until the other load has ended, then run this command again",
            )

    def _take(self, progress: Progress) -> None:
        holder, beat = self._attempt(None)
        seen_at, seen = monotonic(), beat
        if holder != self.holder:
            progress.note(
                f"{self.server.address} is locked by another load ({_shown(holder)}): "
                f"waiting for up to {self.patience:g} s to see whether that load is still alive"
            )
        while holder != self.holder:
            waited = monotonic() - seen_at
            sleep(_LOOK)
            holder, beat = self._attempt(seen if waited > self.patience else None)
            if holder != self.holder and beat != seen:
                raise self._busy(holder)

    def _seen(self) -> tuple[str, str] | None:
        """Return the holder of the lease and its beat; None if nobody holds it."""
        held = [(holder, beat) for holder, beat in self.server.read("lease_seen") if holder]
        return held[0] if held else None

    def _busy(self, holder: str) -> StoreBusy:
        return StoreBusy(
            f"{self.server.address} is being loaded by another process ({_shown(holder)})",
            "one load at a time",
            "wait until that load has ended, then run the same command again",
        )

    def _attempt(self, seen: str | None) -> tuple[str, str]:
        """Take the lease if it is free or its beat is still the one seen; return the holder and the beat afterwards."""
        asked = {"holder": self.holder, "seen": seen, "hands": list(_HANDS)}
        [[holder, beat]] = self.server.write(lambda tx: run(tx, "lease_take", **asked))
        return holder, beat

    def _keep_beating(self, over: Event) -> None:
        while not over.wait(self.beat):
            # A failed beat is not retried, since the next one follows. If the failure lasts, the next write reports it.
            with suppress(StoreError):
                self.server.write(self.check, most=0)


def _shown(holder: str) -> str:
    """Return the machine and process of a holder."""
    return holder.rpartition(":")[0]
