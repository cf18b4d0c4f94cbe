"""Documents on their way into the literature index, which follows what is live in the graph."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from itertools import dropwhile
from pathlib import Path
from typing import cast

from groundwork.ports import Literature
from groundwork.records import Abstract, IndexInfo, Release
from ingest import articles, holdings, live
from ingest.documents import staged
from ingest.documents.document import Document
from ingest.engine import read
from ingest.receipt import Effect
from ingest.snapshot import Snapshots

_ROWS = 500  # documents in memory at a time


def put(literature: Literature, releases: Iterable[Release], snapshots: Snapshots, home: Path | None) -> Effect:
    """Put the documents of releases that the index does not have yet, the newest load last.

    Args:
        literature: The index.
        releases: The live releases of documents, oldest first, and the one that becomes live.
        snapshots: Where their documents are.
        home: The folder HOME, where it is noted what the index holds; None in a dry run.

    Returns:
        The effect on the whole index.

    Raises:
        InputError: HOME has no snapshot of a release.
        DamagedStore: A snapshot was changed from outside.
    """
    with literature.writing():
        there = {(release.id, release.loaded_at) for release in literature.releases() if release.state == "live"}
        behind = list(dropwhile(lambda release: (release.id, release.loaded_at) in there, releases))
        if not behind:
            return Effect.of(literature.info().documents, 0, 0, 0)
        newest = behind[-1]
        literature.put_release(replace(newest, state="loading"))
        effect = articles.put_documents(literature, _documents(behind, snapshots), newest.id)
        now_live = [replace(release, state="live") for release in behind]
        for release in now_live:
            literature.put_release(release)
        if home is not None:
            holdings.note(home, literature, now_live)
    return effect


def untouched(literature: Literature) -> Literature:
    """The same index as a dry run sees it: it reads as it is, and takes no writes."""
    return cast(Literature, _Untouched(literature))  # the part of the port that putting articles uses


class _Untouched:
    def __init__(self, literature: Literature) -> None:
        self._literature = literature
        self.address = literature.address

    def get(self, pmids: Iterable[int]) -> dict[int, Abstract]:
        return self._literature.get(pmids)

    def info(self) -> IndexInfo:
        return self._literature.info()

    def releases(self) -> tuple[Release, ...]:
        return self._literature.releases()

    def writing(self, *, resume: Collection[str] = (), fresh: bool = False) -> AbstractContextManager[str]:  # noqa: ARG002 - nothing is written
        return nullcontext("")

    def every_pmid(self) -> Iterator[int]:
        return self._literature.every_pmid()

    def put(self, abstracts: Iterable[Abstract]) -> None:
        for _ in abstracts:
            pass

    def drop(self, pmids: Iterable[int]) -> None:
        for _ in pmids:
            pass

    def put_release(self, release: Release) -> None:
        pass

    def keep(self, note: str) -> None:
        pass


def _documents(releases: Iterable[Release], snapshots: Snapshots) -> Iterator[Document]:
    for release in releases:
        snapshot = live.snapshot_of(release, snapshots)
        if snapshot is None:
            raise live.lacking("the graph", [release], snapshots)
        yield from staged.to_documents(read(snapshot.checked(), _ROWS))
