"""Bulk writing to Elasticsearch: several threads, a short queue in front of them, and retries document by document.

Whoever hands on changes waits while the queue is full, so a slow server slows the load down instead of filling memory.
What the server does not take now (429, 503, a lost connection, no answer in time) is sent again after a pause that
doubles and is drawn at random, and only what it has not taken. An id names its document, so nothing is ever doubled.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
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

from groundwork.errors import StoreError
from groundwork.waiting import Waiting
from literature import server

Change = tuple[int, Mapping[str, Any] | None]

#: Requests under way at once, and requests made ready beside them.
THREADS = 4
QUEUE = 4

#: Documents and bytes in one request, at most (a single document may be larger).
DOCUMENTS = 1_000
BYTES = 5_000_000

#: Pauses between tries, s: the first and the longest.
FIRST_PAUSE = 0.2
LONGEST_PAUSE = 30.0

#: Seconds of failing tries before they are told: a full queue is soon empty.
_SOON = 2.0

#: PMIDs named in an error.
_NAMED = 10


@dataclass(frozen=True, slots=True)
class _Item:
    """A document on its way: its PMID, and the lines of a bulk request."""

    pmid: int
    lines: tuple[bytes, ...]

    @property
    def bytes(self) -> int:
        return sum(map(len, self.lines))


def write(
    client: Elasticsearch, door: str, changes: Iterable[Change], address: str, patience: float, waiting: Waiting
) -> None:
    """Write changes through an alias; all of them are on the server's disk when this returns.

    Args:
        client: The server.
        door: An alias of one index; a write through a door that is closed is refused, not a new index.
        changes: PMID with stored fields, or with None where it goes (absent already is no failure); each PMID once.
        address: The server's, for messages.
        patience: Seconds for which documents are sent again while none of them is taken (`literature_retry`).
        waiting: Is told of documents that are sent again.

    Raises:
        StoreError: The server refused documents for good, or took none of them for `patience` seconds; the error names
            PMIDs and the reason. Others of the load may have been written.
        elastic_transport.TransportError, elasticsearch.ApiError: It could not be asked at all for `patience` seconds.
    """
    sender = _Sender(client.options(max_retries=0), door, address, patience, waiting)
    under_way: deque[Future[None]] = deque()
    with ThreadPoolExecutor(THREADS, "literature-bulk") as pool:
        try:
            for batch in _batches(changes):
                under_way.append(pool.submit(sender.send, batch))
                if len(under_way) >= THREADS + QUEUE:
                    under_way.popleft().result()
            for future in under_way:
                future.result()
        finally:
            sender.stop()  # changes nothing where all are done
            pool.shutdown(cancel_futures=True)


def _batches(changes: Iterable[Change]) -> Iterator[list[_Item]]:
    """Changes in requests of bounded size."""
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
    """Sends batches through one door until every document of them is taken, or some cannot be."""

    def __init__(self, client: Elasticsearch, door: str, address: str, patience: float, waiting: Waiting) -> None:
        self._client = client
        self._door = door
        self._address = address
        self._patience = patience
        self._waiting = waiting
        self._stopped = Event()

    def stop(self) -> None:
        """Let those that pause give up."""
        self._stopped.set()

    def send(self, batch: Sequence[_Item]) -> None:
        """Send a batch, and what was not taken of it again."""
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
                raise self._refused(again, f"in {self._patience:g} s (setting literature_retry)")
            left = [item for item, _ in again]
            if left:
                self._pause(tries, self._patience - (monotonic() - taken), again[0][1])
                tries += 1

    def _pause(self, tries: int, left: float, why: str) -> None:
        """Wait before the next try, of which the last comes when no time is left."""
        if self._patience - left > _SOON:
            self._waiting.tell(left, self._patience, "literature_retry", f"it takes no documents ({why})")
        pause = uniform(0.5, 1.0) * min(LONGEST_PAUSE, FIRST_PAUSE * 2**tries)  # noqa: S311 - no secret
        self._stopped.wait(max(0.0, min(pause, left)))

    def _once(self, items: Sequence[_Item]) -> list[tuple[_Item, str]]:
        """Send documents; those to be sent again, each with the server's reason."""
        lines = cast("list[Mapping[str, Any]]", [line for item in items for line in item.lines])  # bytes do as well
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
            raise self._refused(lost, "for good")
        return [(item, reason) for item, reason, _ in failed]

    def _refused(self, failed: Sequence[tuple[_Item, str]], how: str) -> StoreError:
        named = ", ".join(str(item.pmid) for item, _ in islice(failed, _NAMED))
        more = f" and {len(failed) - _NAMED} more" if len(failed) > _NAMED else ""
        return StoreError(
            f"Elasticsearch at {self._address} did not take {len(failed)} of the load's documents {how}: "
            f"PMID {named}{more}: {failed[0][1]}",
            "every document of the load written",
            "see the server's reason, then run the same load again; nothing of it is visible yet",
        )


def _reason(result: Mapping[str, Any]) -> str:
    why = result["error"]
    if not isinstance(why, dict):
        return str(why)
    return f"{why.get('type')}: {why.get('reason')}"
