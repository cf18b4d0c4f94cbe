"""A lock on a server that ends when its holder dies: a lease, which a heartbeat keeps up.

The holder rewrites a document every second. A process that finds the lease taken watches this document. If the document
changes, the store is busy. If it does not change for a while, its holder is dead, and the process takes the lease over.
Only changes are observed, so no clocks are compared.
"""

from contextlib import suppress
from threading import Event, Thread
from time import monotonic, sleep
from typing import Any
from uuid import uuid4

from elastic_transport import TransportError
from elasticsearch import ApiError, BadRequestError, ConflictError, Elasticsearch, NotFoundError

from groundwork.errors import StoreBusy
from groundwork.ports import Progress
from literature import refusals

#: Seconds between two heartbeats, and seconds without a heartbeat after which the holder counts as dead.
BEAT = 1.0
DEAD_AFTER = 10.0

#: Time limit in seconds for a heartbeat, and for giving the lease back.
_BRIEF = 5.0

_ID = "load"


class Lease:
    """The right to load an index, held from `take` to `give_back`.

    Args:
        client: The client of the server.
        index: The index that holds the lease. It is created if absent.
        address: The address of the store, for messages.

    Attributes:
        owner: A name that no other load has.
    """

    def __init__(self, client: Elasticsearch, index: str, address: str) -> None:
        self._client = client
        self._brief = client.options(request_timeout=_BRIEF)
        self._index = index
        self._address = address
        self.owner = uuid4().hex
        self._version: dict[str, int] = {}
        self._over = Event()
        self._lost = False
        self._answered = monotonic()
        self._heart = Thread(target=self._beat, name="literature-lease", daemon=True)

    @property
    def silent(self) -> float:
        """Seconds since the server answered a heartbeat."""
        return monotonic() - self._answered

    def check(self) -> None:
        """Check that this load still holds the lease.

        Raises:
            StoreBusy: This process stood still for so long that another run took the lease over.
        """
        if self._lost:
            raise StoreBusy(
                f"another load has taken over {self._address}, because this one gave no sign of life for "
                f"{DEAD_AFTER:g} s",
                "one load at a time",
                "wait until the other load has ended, then run this command again",
            )

    def take(self, progress: Progress) -> None:
        """Take the lease if it is free or its holder is dead, and keep it up with heartbeats from then on.

        Args:
            progress: Is notified if another load holds the lease and must be watched to see whether it is alive.

        Raises:
            StoreBusy: The holder of the lease is alive.
        """
        self._make_index()
        self._acquire(progress)
        self._heart.start()

    def give_back(self) -> None:
        """Make the lease free for the next load at once. If the server does not answer, the lease expires by itself."""
        self._over.set()
        self._heart.join()
        if self._lost:
            return
        with suppress(ApiError, TransportError):
            self._brief.delete(
                index=self._index,
                id=_ID,
                if_seq_no=self._version["if_seq_no"],
                if_primary_term=self._version["if_primary_term"],
            )

    def _make_index(self) -> None:
        try:
            settings = {"number_of_shards": 1, "auto_expand_replicas": "0-1", "hidden": True}
            mappings = {"dynamic": False}
            self._client.indices.create(index=self._index, settings=settings, mappings=mappings)
        except BadRequestError as error:
            if error.error != "resource_already_exists_exception":
                raise

    def _acquire(self, progress: Progress) -> None:
        seen: dict[str, int] = {}
        since = monotonic()
        while True:
            try:
                self._write(self._client, op_type="create")
                return
            except ConflictError:
                held = self._held()
            if held and not seen:
                progress.note(
                    f"{self._address} is locked by another load: "
                    f"waiting for up to {DEAD_AFTER:g} s to see whether that load is still alive"
                )
            if seen and held and held != seen:
                raise refusals.busy(self._address)
            if held and monotonic() - since > DEAD_AFTER:
                try:
                    self._write(self._client, **held)
                    return
                except ConflictError:
                    raise refusals.busy(self._address) from None
            seen = held or seen
            sleep(BEAT / 4)

    def _held(self) -> dict[str, int]:
        """Return the current version of the lease; empty if it has just been given back."""
        try:
            found = self._client.get(index=self._index, id=_ID, source=False)
        except NotFoundError:
            return {}
        return {"if_seq_no": found["_seq_no"], "if_primary_term": found["_primary_term"]}

    def _write(self, client: Elasticsearch, **condition: Any) -> None:
        answer = client.index(index=self._index, id=_ID, document={"owner": self.owner}, **condition)
        self._version = {"if_seq_no": answer["_seq_no"], "if_primary_term": answer["_primary_term"]}
        self._answered = monotonic()

    def _beat(self) -> None:
        """Keep the lease up. If the server does not answer a heartbeat, try again at the next one."""
        while not self._over.wait(BEAT):
            try:
                self._write(self._brief, **self._version)
            except ConflictError:
                self._lost = True
                return
            except (ApiError, TransportError):
                continue
