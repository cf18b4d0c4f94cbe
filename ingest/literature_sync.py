"""Write documents into the literature index, so that it contains the releases that are live in the graph."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import TypeVar, cast

from groundwork.ports import Literature, Progress
from groundwork.records import Abstract, IndexInfo, Release, Text
from ingest import live
from ingest.document_sources import joined
from ingest.documents.document import Deletion, Document, PubmedRecord
from ingest.engine import Engine
from ingest.pubmed.ledger import Account
from ingest.receipt import Effect
from ingest.snapshot import Snapshots

_BATCH = 1000
T = TypeVar("T")
_Item = TypeVar("_Item", Document, PubmedRecord | Deletion)


def put_documents(literature: Literature, documents: Iterable[Document], release: str) -> Effect:
    """Set the document layer of each article: the text of the document, and the concepts that it annotates.

    Call this inside `literature.writing()`. If a PMID is loaded again, its earlier document layer is replaced.

    Args:
        literature: The index.
        documents: The documents, as a stream; about a thousand are in memory at a time.
        release: Name of the release, written on each article that changes.

    Returns:
        The effect on the index. Each PMID counts once: its article before the load is compared with its
            article after the load.
    """
    account = Account()
    total = literature.info().documents
    _merge(literature, documents, release, account)
    return account.effect(total)


def put_records(
    literature: Literature,
    records: Iterable[PubmedRecord | Deletion],
    release: str,
    account: Account,
    *,
    bare: bool = False,
) -> None:
    """Set or remove the record layer of each article.

    Call this inside `literature.writing()`. Later records and deletions of a PMID replace earlier ones. But a record
    does not replace one of a higher version, and a deletion removes only the version that it names. After a deletion,
    the document's own text is used again; without a document, the article is removed. If a record has no information
    on concepts, the article keeps the concepts that entity files gave before.

    Args:
        literature: The index.
        records: The records in the order of the files, as a stream; about a thousand are in memory at a time.
        release: Name of the release, written on each article that changes.
        account: Counts the effect of the whole load. The load may consist of several calls.
        bare: Whether the load began with `put_bare`.
    """
    _merge(literature, records, release, account, bare=bare)


def put_bare(literature: Literature, release: str, account: Account) -> None:
    """Copy the articles that readers see now into a fresh index, without their record layers.

    Articles without a document layer are left out.

    Call this inside `literature.writing(fresh=True)`, before the records are written.

    Args:
        literature: The index.
        release: Name of the release, written on each article that changes.
        account: Counts the effect of the whole load.
    """
    for batch in _batches(literature.every_pmid()):
        held = literature.get(batch)
        wanted = {pmid: _bare(article) for pmid, article in held.items()}
        stale = set(account.differing(held, wanted))
        literature.put(
            replace(article, release=release) if pmid in stale else article
            for pmid, article in wanted.items()
            if article is not None
        )


def _merge(
    literature: Literature, items: Iterable[_Item], release: str, account: Account, *, bare: bool = False
) -> None:
    for batch in _batches(items):
        held = literature.get({item.pmid for item in batch})
        if bare:
            held = {pmid: article for pmid, known in held.items() if (article := _bare(known)) is not None}
        batch = [item for item in batch if _applies(item, held.get(item.pmid), account)]
        wanted = {item.pmid: _standing(held.get(item.pmid), account) for item in batch}
        for item in batch:
            wanted[item.pmid] = _with(wanted[item.pmid], item)
        account.add(item.pmid for item in batch)
        account.delete(item.pmid for item in batch if isinstance(item, Deletion))
        stale = account.differing(held, wanted)
        literature.put(replace(new, release=release) for pmid in stale if (new := wanted[pmid]) is not None)
        literature.drop(pmid for pmid in stale if wanted[pmid] is None)


def _bare(article: Abstract) -> Abstract | None:
    """Return an article without its record layer; None if the article has no document layer."""
    return replace(article, record=None, entities=(), version=1) if article.document else None


def _applies(item: Document | PubmedRecord | Deletion, held: Abstract | None, account: Account) -> bool:
    """Return whether the next item of a load changes the article. If it does, note the version that then stands."""
    if isinstance(item, Document):
        return True
    version = account.version(item.pmid, held.version if held else 1)
    if isinstance(item, Deletion):
        applies, after = item.version in {None, version}, 1
    else:
        applies, after = item.version >= version, item.version
    if applies and after != version:
        account.put_version(item.pmid, after)
    return applies


def _standing(held: Abstract | None, account: Account) -> Abstract | None:
    """Return the article to which the items of a batch are applied: its version in the index before the load.

    An index shows a load's writes only after the load. The earlier state is sufficient, because a load changes one
    layer, and each item of the load sets this layer completely. One exception: if this load has deleted the PMID,
    the concepts that entity files gave are left out.
    """
    return replace(held, entities=()) if held and held.entities and account.deleted(held.pmid) else held


def _with(held: Abstract | None, item: Document | PubmedRecord | Deletion) -> Abstract | None:
    """Return the article with the change that the item makes; None if the item removes the article."""
    base = held or Abstract(item.pmid, None, None)
    match item:
        case Document():
            text = Text(item.title, item.abstract, item.year, item.journal)
            concepts = tuple(sorted({annotation.key for annotation in item.annotations}))
            spoken = {(annotation.mention, annotation.key) for annotation in item.annotations if annotation.mention}
            return replace(base, document=text, annotated=concepts, spoken=tuple(sorted(spoken)))
        case PubmedRecord():
            entities = base.entities if item.entities is None else item.entities
            return replace(base, record=item.text, entities=entities, version=item.version)
        case Deletion():
            return _bare(base)


def _batches(items: Iterable[T]) -> Iterator[list[T]]:
    stream = iter(items)
    while batch := list(islice(stream, _BATCH)):
        yield batch


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
        effect = put_documents(literature, documents, newest.id)
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
