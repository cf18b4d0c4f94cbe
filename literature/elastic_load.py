"""A load of the Elasticsearch store: the lease that it holds, and the documents that it writes in bulk.

The load collects changes in a `Spool`, writes them into a generation (see `generations`) that readers do not see, and
then shows this generation to readers. The lease (`groundwork.lease`) is a document whose version changes with each
heartbeat.

Several threads write, with a short queue. The caller waits while the queue is full, so a slow server slows the load
down instead of filling memory. Documents that the server cannot take now (status 429, 502, 503 or 504, a lost
connection, a timeout) are sent again after a random pause. The bounds of this pause double with each try. Only these
documents are sent again. The id of a document is its PMID, so no retry creates a duplicate.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from json import dumps
from pathlib import Path
from random import uniform
from tempfile import TemporaryFile
from threading import Event, Lock
from time import monotonic
from typing import Any, TypeVar, cast

from elastic_transport import ConnectionError as NoConnection
from elastic_transport import ConnectionTimeout, TransportError
from elasticsearch import ApiError, BadRequestError, ConflictError, Elasticsearch, NotFoundError

from groundwork import lease
from groundwork.errors import StoreError, TimeLimit
from groundwork.lease import Waiting
from groundwork.ports import Progress
from groundwork.settings import Settings
from groundwork.threads import EVERY, BoundedThreads, within
from literature import generations, manifest, server
from literature.generations import Draft
from literature.spool import Spool, SpooledLoad

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


def write_documents(
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


T = TypeVar("T")


class ElasticLoad(SpooledLoad):
    """A load that holds the lease of the store.

    Changes go into a `Spool` until the next `keep` or the end of the load. Only then are they sent to the server,
    through an alias that only this load uses.

    Args:
        client: The client of the server.
        address: The server's address, for messages.
        settings: Settings with the alias, k1 and b, and HOME, where the spool is kept.
        lease: The lease, already taken.
        waiting: Is notified when the load waits for the server.
        resume: See `LiteratureWriter.writing`.
        fresh: See `LiteratureWriter.writing`.
    """

    def __init__(
        self,
        client: Elasticsearch,
        address: str,
        settings: Settings,
        lease: Lease,
        waiting: Waiting,
        resume: Collection[str],
        fresh: bool,
    ) -> None:
        self._client = client
        self._address = address
        self._settings = settings
        self._lease = lease
        self._waiting = waiting
        self._fresh = fresh
        self._alias = settings.literature_index
        self._door = f"{self._alias}-{lease.token}"
        self._draft: Draft | None = generations.resume(client, self._alias, self._door, resume) if resume else None
        self.releases = dict(self._draft.releases) if self._draft else {}
        self.spool = _spool(settings.home)
        self.reached = self._draft.note if self._draft else ""

    def keep(self, note: str) -> None:
        """See `LiteratureWriter.keep`. The server acknowledges every document before the note is written."""
        draft = self._write()
        self._lease.check()
        generations.keep(self._client, draft, note, manifest.in_order(self.releases.values()))
        self.spool.close()
        self.spool = _spool(self._settings.home)

    def finish(self) -> None:
        """Show the changes to readers.

        Raises:
            StoreBusy: The lease was lost meanwhile; readers see nothing of the load.
            TimeLimit: The server has answered no heartbeat for `literature_retry` seconds.
        """
        releases_alone = self._draft is None and not self._fresh and self.releases and not len(self.spool)
        if releases_alone and self._record_releases():
            return
        draft = self._write()
        self._lease.check()
        self._wait_for(partial(generations.finish, self._client, draft.name))
        before = draft.current.releases if draft.current and not self._fresh else {}
        self._lease.check()
        generations.publish(self._client, self._alias, self._door, draft, {**before, **self.releases})

    def _record_releases(self) -> bool:
        """Record the releases in the live generation, and return whether there is a live generation."""
        current = generations.live(self._client, self._alias)
        if current is not None:
            self._lease.check()
            generations.note(self._client, current, {**current.releases, **self.releases})
        return current is not None

    def close(self) -> None:
        """Close the spool."""
        with suppress(OSError):
            self.spool.close()

    def _write(self) -> Draft:
        """Write the changes in the spool into the draft, which is created if there is none. Return the draft."""
        if self._draft is None:
            self._draft = self._wait_for(
                partial(generations.begin, self._client, self._alias, self._door, self._settings, self._fresh)
            )
        changes, patience = self.spool.changes(), self._settings.literature_retry
        write_documents(self._client, self._door, changes, self._address, patience, self._waiting)
        return self._draft

    def _wait_for(self, administer: Callable[[], T]) -> T:
        """Return the result of a task that may take hours on the server, if the server keeps answering heartbeats."""
        limit = self._settings.literature_retry

        def look(_left: float) -> None:
            silent = self._lease.silent
            if silent > limit:
                raise TimeLimit(f"the heartbeat of a load on {self._address}", limit, "literature_retry")
            if silent > EVERY:
                self._waiting.tell(limit - silent, limit, "literature_retry")

        return within(server.PATIENCE, administer, look)


def _spool(home: Path) -> Spool:
    """Return a spool in an unnamed temporary file, which disappears with the process."""
    return Spool(TemporaryFile(dir=home))
