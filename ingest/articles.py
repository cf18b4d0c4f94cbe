"""Merge articles into the literature index.

An article has two layers: the PubMed record, and the PubTator document with its concepts. A load sets one layer and
keeps the other layer. `records.Abstract.text` decides which text has priority, so the order in which the two layers are
loaded does not matter.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import TypeVar

from groundwork.ports import Literature
from groundwork.records import Abstract, Text
from ingest.documents.document import Deletion, Document, PubmedRecord
from ingest.pubmed.account import Account
from ingest.receipt import Effect

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
