"""The lease of an Elasticsearch server (`groundwork.lease`): a document whose version changes with each heartbeat."""

from contextlib import suppress
from threading import Lock
from time import monotonic
from typing import Any

from elastic_transport import TransportError
from elasticsearch import ApiError, BadRequestError, ConflictError, Elasticsearch, NotFoundError

from groundwork import lease
from groundwork.ports import Progress

#: Time limit in seconds for a heartbeat, and for releasing the lease.
_BRIEF = 5.0

_ID = "load"

#: A version of the document.
_Version = dict[str, Any]


class Lease(lease.Lease[_Version]):
    """The right of one process to load an index.

    Args:
        client: The client of the server.
        index: The index that holds the lease. It is created if absent.
        address: The address of the store, for messages.
        beat: See `groundwork.lease.Lease`.
        patience: See `groundwork.lease.Lease`.
    """

    def __init__(
        self,
        client: Elasticsearch,
        index: str,
        address: str,
        beat: float = lease.BEAT,
        patience: float = lease.PATIENCE,
    ) -> None:
        super().__init__(address, beat, patience)
        self._client = client
        self._brief = client.options(request_timeout=_BRIEF)
        self._index = index
        self._version: _Version = {}
        self._is_lost = False
        self._unanswered: float | None = None
        self._turn = Lock()

    @property
    def silent(self) -> float:
        """Seconds since the first heartbeat that the server has not answered; 0 if it has answered all of them."""
        since = self._unanswered
        return monotonic() - since if since is not None else 0.0

    def check(self) -> None:
        """Check that this load still holds the lease.

        Raises:
            StoreBusy: This process stood still for so long that another run took the lease over.
        """
        if self._is_lost:
            raise self._lost()

    def take(self, progress: Progress) -> None:
        """See `groundwork.lease.Lease.take`. The index is created first."""
        self._make_index()
        super().take(progress)

    def _attempt(self, seen: _Version | None) -> tuple[str, _Version]:
        while True:
            with suppress(ConflictError):
                self._write(self._client, **(seen or {"op_type": "create"}))
                return self.holder, self._version
            with suppress(NotFoundError):  # it has just been released
                found = self._client.get(index=self._index, id=_ID)
                return found["_source"]["owner"], _version(found)
            seen = None

    def _make_index(self) -> None:
        try:
            settings = {"number_of_shards": 1, "auto_expand_replicas": "0-1", "hidden": True}
            mappings = {"dynamic": False}
            self._client.indices.create(index=self._index, settings=settings, mappings=mappings)
        except BadRequestError as error:
            if error.error != "resource_already_exists_exception":
                raise

    def _write(self, client: Elasticsearch, **condition: Any) -> None:
        answer = client.index(index=self._index, id=_ID, document={"owner": self.holder}, **condition)
        self._version = _version(answer)
        self._unanswered = None

    def _renew(self) -> None:
        with self._turn, suppress(ApiError, TransportError):
            if self._unanswered is None:
                self._unanswered = monotonic()
            try:
                self._write(self._brief, **self._version)
            except ConflictError:
                self._is_lost = True

    def _release(self) -> None:
        with self._turn, suppress(ApiError, TransportError):
            self._brief.delete(index=self._index, id=_ID, **self._version)


def _version(answer: Any) -> _Version:
    return {"if_seq_no": answer["_seq_no"], "if_primary_term": answer["_primary_term"]}
