"""Write documents into the literature index, so that it contains the releases that are live in the graph."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import cast

from groundwork.ports import Literature, Progress
from groundwork.records import Abstract, IndexInfo, Release
from ingest import articles, live
from ingest.document_sources import joined
from ingest.engine import Engine
from ingest.receipt import Effect
from ingest.snapshot import Snapshots


def put(
    literature: Literature,
    releases: Sequence[Release],
    new: Collection[Release],
    snapshots: Snapshots,
    engine: Engine,
    home: Path | None,
    progress: Progress,
    keep: Callable[[Effect], None] | None = None,
) -> Effect | None:
    """Write the documents of all releases that the index does not have yet, joined with those of the other releases.

    Readers see the documents when this function returns. The new releases stay `loading` until `settle`, because the
    graph does not have them yet.

    Args:
        literature: The index.
        releases: The live releases of documents, as `live.documents` returns them, including the new ones.
        new: The releases that become live.
        snapshots: The snapshots with their documents.
        engine: Joins the documents.
        home: The folder HOME, where the content of the index is recorded; None to record nothing, as in a dry run.
        progress: Notified when the load waits for a server.
        keep: Receives the effect before readers see the documents.

    Returns:
        The effect on the whole index; None if the index has all of the releases already.

    Raises:
        InputError: If HOME has no snapshot of a release.
        DamagedStore: If another program changed a snapshot.
    """
    with literature.writing(progress=progress):
        there = {(release.source, release.id, release.loaded_at) for release in literature.releases()}
        behind = [release for release in releases if (release.source, release.id, release.loaded_at) not in there]
        if not behind:
            return None
        if lost := live.missing(releases, snapshots):
            raise live.lacking("the graph", lost, snapshots)
        sources = live.standing(releases, snapshots).documents
        documents = joined(sources, list(chain(*live.standing(behind, snapshots).documents)), engine)
        newest = max(behind, key=lambda release: (release in new, release.loaded_at))
        effect = articles.put_documents(literature, documents, newest.id)
        for release in behind:
            literature.put_release(replace(release, state="loading" if release in new else "live"))
        if keep is not None:
            keep(effect)
        if home is not None:
            live.record_holdings(home, literature, [replace(release, state="live") for release in behind])
    return effect


def settle(literature: Literature, release: Release, progress: Progress) -> None:
    """Mark a release as live in the index. Call this after the graph contains the release completely.

    Args:
        literature: The index.
        release: The release, which is `loading` or live in the index.
        progress: Notified when the load waits for a server.
    """
    settled = replace(release, state="live")
    if settled not in literature.releases():
        with literature.writing(progress=progress):
            literature.put_release(settled)


def untouched(literature: Literature) -> Literature:
    """Return the index as a dry run uses it: reads are passed on, and writes are ignored."""
    return cast(Literature, _DryRunLiterature(literature))  # it has all methods that writing articles needs


class _DryRunLiterature:
    def __init__(self, literature: Literature) -> None:
        self._literature = literature
        self.address = literature.address

    def get(self, pmids: Iterable[int]) -> dict[int, Abstract]:
        return self._literature.get(pmids)

    def info(self) -> IndexInfo:
        return self._literature.info()

    def releases(self) -> tuple[Release, ...]:
        return self._literature.releases()

    def writing(self, **_: object) -> AbstractContextManager[str]:
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
