"""A load of the Elasticsearch store.

The load collects changes in a `Spool`, writes them into a generation (see `generations`) that readers do not see, and
then shows this generation to readers.
"""

from collections.abc import Callable, Collection
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import TypeVar

from elasticsearch import Elasticsearch

from groundwork.deadline import EVERY, within
from groundwork.errors import TimeLimit
from groundwork.settings import Settings
from groundwork.waiting import Waiting
from literature import bulk, generations, manifest, server
from literature.generations import Draft
from literature.lease import Lease
from literature.spool import Spool, SpooledLoad

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
        bulk.write(self._client, self._door, changes, self._address, patience, self._waiting)
        return self._draft

    def _wait_for(self, administer: Callable[[], T]) -> T:
        """Return the result of a task that may take hours on the server, if the server keeps answering heartbeats.

        Raises:
            TimeLimit: The server has answered no heartbeat for `literature_retry` seconds.
        """
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
