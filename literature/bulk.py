"""Bulk writing to Elasticsearch: several threads, a short queue, and retries of single documents.

The caller waits while the queue is full, so a slow server slows the load down instead of filling memory. Documents that
the server cannot take now (status 429, 502, 503 or 504, a lost connection, a timeout) are sent again after a random
pause. The bounds of this pause double with each try. Only these documents are sent again. The id of a document is its
PMID, so no retry creates a duplicate.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from json import dumps
from random import uniform
from threading import Event
from time import monotonic
from typing import Any, cast

from elastic_transport import ConnectionError as NoConnection
from elastic_transport import ConnectionTimeout
from elasticsearch import ApiError, Elasticsearch

from groundwork.bounded_threads import BoundedThreads
from groundwork.errors import StoreError
from groundwork.waiting import Waiting
from literature import server

Change = tuple[int, Mapping[str, Any] | None]

#: Number of requests in flight. The same number of further requests may wait in the queue.
THREADS = 4

#: Largest number of documents and bytes in one request. A single document may be larger.
DOCUMENTS = 1_000
BYTES = 5_000_000

#: Upper limits in seconds: of the first pause between two tries, and of all later pauses.
FIRST_PAUSE = 0.2
LONGEST_PAUSE = 30.0

#: Seconds of failed tries before the user is told. A full queue on the server is often empty again sooner.
_SOON = 2.0

#: Largest number of PMIDs that an error names.
_NAMED = 10


@dataclass(frozen=True, slots=True)
class _Item:
    """A document to write or delete: its PMID and its lines in a bulk request."""

    pmid: int
    lines: tuple[bytes, ...]

    @property
    def bytes(self) -> int:
        return sum(map(len, self.lines))


def write(
    client: Elasticsearch, door: str, changes: Iterable[Change], address: str, patience: float, waiting: Waiting
) -> None:
    """Write changes through an alias. All of them are on the server's disk when this function returns.

    Args:
        client: The client of the server.
        door: An alias of one index. If the alias is gone, the server refuses the write and creates no new index.
        changes: (PMID, stored fields), or (PMID, None) for a deletion; each PMID once. It is no error to delete a
            document that does not exist.
        address: The server's address, for messages.
        patience: Seconds to retry while the server takes no document (`literature_retry`).
        waiting: Is notified of retries.

    Raises:
        StoreError: The server refused documents permanently, or accepted no document for `patience` seconds. The error
            names PMIDs and the reason. Other documents of the load may have been written.
        elastic_transport.TransportError, elasticsearch.ApiError: No request reached a ready server for `patience`
            seconds, or the server refused a whole request.
    """
    sender = _Sender(client.options(max_retries=0), door, address, patience, waiting)
    with BoundedThreads(THREADS) as threads:
        try:
            for batch in _batches(changes):
                threads.begin(sender.send, batch)
            threads.settle()
        finally:
            sender.stop()  # no effect if all batches are done


def _batches(changes: Iterable[Change]) -> Iterator[list[_Item]]:
    """Yield the changes in batches of bounded size."""
    batch: list[_Item] = []
    size = 0
    for pmid, fields in changes:
        item = _item(pmid, fields)
        if batch and (len(batch) == DOCUMENTS or size + item.bytes > BYTES):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += item.bytes
    if batch:
        yield batch


def _item(pmid: int, fields: Mapping[str, Any] | None) -> _Item:
    if fields is None:
        return _Item(pmid, (dumps({"delete": {"_id": str(pmid)}}).encode(),))
    source = dumps(fields, separators=(",", ":"), ensure_ascii=False).encode("utf-8")
    return _Item(pmid, (dumps({"index": {"_id": str(pmid)}}).encode(), source))


class _Sender:
    """Sends batches through one alias until the server has taken all documents or refuses some."""

    def __init__(self, client: Elasticsearch, door: str, address: str, patience: float, waiting: Waiting) -> None:
        self._client = client
        self._door = door
        self._address = address
        self._patience = patience
        self._waiting = waiting
        self._stopped = Event()

    def stop(self) -> None:
        """End all pauses and begin no further try."""
        self._stopped.set()

    def send(self, batch: Sequence[_Item]) -> None:
        """Send a batch. Repeat this for the documents that the server did not take."""
        left, tries, taken = list(batch), 0, monotonic()
        while left and not self._stopped.is_set():
            patience = self._patience - (monotonic() - taken)
            try:
                again = self._once(left)
            except (NoConnection, ConnectionTimeout, ApiError) as error:
                if patience <= 0 or (isinstance(error, ApiError) and error.status_code not in server.NOT_NOW):
                    raise
                again = [(item, str(error)) for item in left]
            if len(again) < len(left):
                tries, taken = 0, monotonic()
            elif patience <= 0:
                raise self._refused(again, f" within {self._patience:g} s (setting literature_retry)")
            left = [item for item, _ in again]
            if left:
                self._pause(tries, self._patience - (monotonic() - taken), again[0][1])
                tries += 1

    def _pause(self, tries: int, left: float, why: str) -> None:
        """Wait before the next try, at most `left` seconds. The last try follows when the time for retries is over."""
        if self._patience - left > _SOON:
            self._waiting.tell(left, self._patience, "literature_retry", f"it accepts no documents ({why})")
        pause = uniform(0.5, 1.0) * min(LONGEST_PAUSE, FIRST_PAUSE * 2**tries)  # noqa: S311 - no secret
        self._stopped.wait(max(0.0, min(pause, left)))

    def _once(self, items: Sequence[_Item]) -> list[tuple[_Item, str]]:
        """Send documents once. Return those to send again, each with the server's reason."""
        lines = cast("list[Mapping[str, Any]]", [line for item in items for line in item.lines])  # bytes work too
        answer = self._client.bulk(
            operations=lines, index=self._door, require_alias=True, filter_path="items.*.status,items.*.error"
        )
        results = [next(iter(result.values())) for result in answer["items"]]
        failed = [
            (item, _reason(result), result["status"])
            for item, result in zip(items, results, strict=True)
            if "error" in result
        ]
        lost = [(item, reason) for item, reason, status in failed if status not in server.NOT_NOW]
        if lost:
            raise self._refused(lost)
        return [(item, reason) for item, reason, _ in failed]

    def _refused(self, failed: Sequence[tuple[_Item, str]], time: str = "") -> StoreError:
        named = ", ".join(str(item.pmid) for item, _ in islice(failed, _NAMED))
        more = f" and {len(failed) - _NAMED} more" if len(failed) > _NAMED else ""
        return StoreError(
            f"Elasticsearch at {self._address} did not accept {len(failed)} of the load's documents{time}: "
            f"PMID {named}{more}: {failed[0][1]}",
            "all documents of the load in the index",
            "correct the cause, then run the same load again; none of its documents is visible yet",
        )


def _reason(result: Mapping[str, Any]) -> str:
    why = result["error"]
    if not isinstance(why, dict):
        return str(why)
    return f"{why.get('type')}: {why.get('reason')}"
