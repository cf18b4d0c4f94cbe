"""The lease of a Neo4j server (`groundwork.lease`), kept in nodes of the graph.

The lease has several nodes, called hands. Every write transaction locks one hand until it is committed, and a process
that takes the lease over locks all hands. So a holder that lost its lease cannot commit anything. With a single hand,
the transactions of one holder would wait for each other.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from time import monotonic, sleep

from neo4j import ManagedTransaction

from cypher.bolt.server import Server, run
from groundwork import lease
from groundwork.errors import StoreError, StoreUnreachable, TimeLimit

#: Names of the lease's nodes on the server: the node with the heartbeat, and the hands, one per concurrent transaction.
_HEART, _HANDS = "load", ("load 1", "load 2", "load 3")
#: Seconds during which an unreachable server is asked again to release a lease.
_BRIEFLY = 1.0


class Lease(lease.Lease[str]):
    """The right of one process to write into a Neo4j server. Each heartbeat writes a new random text.

    Args:
        server: The server.
        beat: See `groundwork.lease.Lease`.
        patience: See `groundwork.lease.Lease`.
    """

    def __init__(self, server: Server, beat: float = lease.BEAT, patience: float = lease.PATIENCE) -> None:
        super().__init__(server.address, beat, patience)
        self.server = server
        self._free: SimpleQueue[str] = SimpleQueue()
        for hand in _HANDS:
            self._free.put(hand)

    def check_idle(self) -> None:
        """Check that no living load holds the lease, by watching whether its heartbeat changes.

        Raises:
            StoreBusy: If a living load holds the lease.
        """
        first, until = self._seen(), monotonic() + 2 * self.beat
        while first and monotonic() < until:
            sleep(lease.LOOK)
            now = self._seen()
            if now and now != first:
                raise self._busy(now[0])
            first = first and now

    @contextmanager
    def hand(self) -> Iterator[str]:
        """Yield the name of a hand (a node of the lease) for `check`.

        Inside the block, no other transaction of this process gets this hand.
        """
        hand = self._free.get()
        try:
            yield hand
        finally:
            self._free.put(hand)

    def check(self, transaction: ManagedTransaction, hand: str = _HEART) -> None:
        """Check that this process holds the lease, and lock a node of the lease until the end of the transaction.

        While the node is locked, no other process can take the lease over.

        Raises:
            StoreBusy: If another load has taken the lease over.
        """
        if not run(transaction, "lease_beat", holder=self.holder, name=hand):
            raise self._lost()

    def _seen(self) -> tuple[str, str] | None:
        """Return the holder of the lease and its last heartbeat; None if nobody holds the lease."""
        held = [(holder, beat) for holder, beat in self.server.read("lease_seen") if holder]
        return held[0] if held else None

    def _attempt(self, seen: str | None) -> tuple[str, str]:
        asked = {"holder": self.holder, "seen": seen, "hands": list(_HANDS)}
        [[holder, beat]] = self.server.write(lambda tx: run(tx, "lease_take", **asked))
        return holder, beat

    def _renew(self) -> None:
        with suppress(StoreError):
            self.server.write(self.check, most=0)

    def _release(self) -> None:
        # A heartbeat that arrives after the release changes nothing, because nobody holds the lease then.
        with suppress(StoreUnreachable, TimeLimit):
            self.server.write(lambda tx: run(tx, "lease_release", holder=self.holder), most=_BRIEFLY)
