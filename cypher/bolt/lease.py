"""The lease: one load at a time on a server, and none that waits for a dead one.

The holder changes a random `beat` every few seconds. Whoever wants the lease watches: a beat that changes is a living
holder's; one that stays the same long enough is a dead one's, and is replaced if it still is the one that was seen.
So no clocks are compared. The lease has hands, and every write transaction ends by locking one of them until it is
committed; who takes the lease over locks them all. So a holder that was thought dead can commit nothing once another
has taken over, and its own transactions do not wait for each other's commits, as they would at a single lock.
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

#: Seconds between two beats, and how long a beat may stay the same before its holder counts as dead.
BEAT, PATIENCE = 2.0, 10.0
_LOOK = 0.25
#: The lease's node, which shows the heartbeat, and its hands: one for each transaction that writes at the same time.
_HEART, _HANDS = "load", ("load 1", "load 2", "load 3")
#: Seconds for which a server that does not answer is asked again to take a lease back.
_BRIEFLY = 1.0


class Lease:
    """The right to write, for one process.

    Args:
        server: Where.
        beat: Seconds between two beats.
        patience: How long a beat may stay the same; several times `beat`.
    """

    def __init__(self, server: Server, beat: float = BEAT, patience: float = PATIENCE) -> None:
        self.server, self.beat, self.patience = server, beat, patience
        self.holder = f"{node()}:{getpid()}:{uuid4()}"
        self._free: SimpleQueue[str] = SimpleQueue()
        for hand in _HANDS:
            self._free.put(hand)

    @contextmanager
    def held(self, progress: Progress | None = None) -> Iterator[None]:
        """Hold the lease, beating.

        It is given back at the end, unless the server is gone: what stays of it then is a dead one's.

        Args:
            progress: Is told if another load has to be watched first, to see whether it is still alive.

        Raises:
            StoreBusy: A living load holds it.
        """
        self._take(progress or Silent())
        over = Event()
        heart = Thread(target=self._keep_beating, args=(over,), name="lease", daemon=True)
        heart.start()
        try:
            yield
        finally:
            over.set()
            heart.join(_BRIEFLY)  # a beat that comes after this changes nothing, since the lease is nobody's then
            with suppress(StoreUnreachable, TimeLimit):
                self.server.write(lambda tx: run(tx, "lease_release", holder=self.holder), most=_BRIEFLY)

    def check_idle(self) -> None:
        """Look whether a living load holds the lease: one whose heart beats while we look.

        Raises:
            StoreBusy: One does.
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
        """A hand that no other transaction of ours uses meanwhile, for `check`."""
        hand = self._free.get()
        try:
            yield hand
        finally:
            self._free.put(hand)

    def check(self, transaction: ManagedTransaction, hand: str = _HEART) -> None:
        """Make sure that the lease is still ours until this transaction ends.

        Raises:
            StoreBusy: Another load has taken over.
        """
        if not run(transaction, "lease_beat", holder=self.holder, name=hand):
            raise StoreBusy(
                f"another load has taken over {self.server.address}, since this one was silent for {self.patience:g} s",
                "one load at a time",
                "wait for the other to end, then run this command again",
            )

    def _take(self, progress: Progress) -> None:
        holder, beat = self._attempt(None)
        seen_at, seen = monotonic(), beat
        if holder != self.holder:
            progress.note(
                f"{self.server.address} is held by another load ({_shown(holder)}): "
                f"watching for up to {self.patience:g} s whether it is still alive"
            )
        while holder != self.holder:
            waited = monotonic() - seen_at
            sleep(_LOOK)
            holder, beat = self._attempt(seen if waited > self.patience else None)
            if holder != self.holder and beat != seen:
                raise self._busy(holder)

    def _seen(self) -> tuple[str, str] | None:
        """Who holds the lease, and the beat; None if nobody does."""
        held = [(holder, beat) for holder, beat in self.server.read("lease_seen") if holder]
        return held[0] if held else None

    def _busy(self, holder: str) -> StoreBusy:
        return StoreBusy(
            f"{self.server.address} is being loaded by another process ({_shown(holder)})",
            "one load at a time",
            "wait for it to end, then run the same command again",
        )

    def _attempt(self, seen: str | None) -> tuple[str, str]:
        """Take the lease if it is free, or if its beat still is the one seen; who holds it then, and the beat."""
        asked = {"holder": self.holder, "seen": seen, "hands": list(_HANDS)}
        [[holder, beat]] = self.server.write(lambda tx: run(tx, "lease_take", **asked))
        return holder, beat

    def _keep_beating(self, over: Event) -> None:
        while not over.wait(self.beat):
            # Not tried again: the next beat is. If the server stays away or the lease is lost, the next write says so.
            with suppress(StoreError):
                self.server.write(self.check, most=0)


def _shown(holder: str) -> str:
    """The machine and process of a holder."""
    return holder.rpartition(":")[0]
