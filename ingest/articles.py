"""Merging articles into the literature index: each kind of load sets its own layer and keeps the other.

An article has two layers: PubMed's record and the PubTator document's text with its concepts. Which text stands is
decided in `records.Abstract.text`; so the order in which the kinds are loaded does not matter.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import blake2b
from itertools import islice
from types import TracebackType
from typing import Self, TypeVar

from groundwork.ports import Literature
from groundwork.records import Abstract, Text
from ingest.document import Deletion, Document, PubmedRecord

_BATCH = 1000
_Item = TypeVar("_Item", Document, PubmedRecord | Deletion)


def put_documents(literature: Literature, documents: Iterable[Document], release: str) -> dict[str, int]:
    """Set the document layer of each article: text as the document gives it, and the concepts it annotates.

    To be called inside `literature.writing()`. A PMID that comes again replaces what it gave before.

    Args:
        literature: The index.
        documents: Streamed; about a thousand are held at a time.
        release: Written on each article that changes.

    Returns:
        {"total", "added", "changed", "removed", "unchanged"} of the whole index, by the net effect on each PMID.
    """
    return _merge(literature, documents, release)


def put_records(literature: Literature, records: Iterable[PubmedRecord | Deletion], release: str) -> dict[str, int]:
    """Set or remove the record layer of each article.

    To be called inside `literature.writing()`. Later records and deletions of a PMID replace earlier ones. After a
    deletion the document's own text stands again, or the article goes if there is no document.

    Args:
        literature: The index.
        records: Streamed in the order of the files; about a thousand are held at a time.
        release: Written on each article that changes.

    Returns:
        {"total", "added", "changed", "removed", "unchanged"} of the whole index, by the net effect on each PMID.
    """
    return _merge(literature, records, release)


def _merge(literature: Literature, items: Iterable[_Item], release: str) -> dict[str, int]:
    total = literature.info().documents
    with _Journal() as journal:
        for batch in _batches(items):
            held = literature.get({item.pmid for item in batch})
            wanted: dict[int, Abstract | None] = dict.fromkeys(item.pmid for item in batch)
            for item in batch:
                wanted[item.pmid] = _with(held.get(item.pmid), item)
            stale = journal.differing(held, wanted)
            literature.put(replace(new, release=release) for pmid in stale if (new := wanted[pmid]) is not None)
            literature.drop(pmid for pmid in stale if wanted[pmid] is None)
        return journal.counts(total)


def _with(held: Abstract | None, item: Document | PubmedRecord | Deletion) -> Abstract | None:
    """The article as it should stand after the item; None if nothing is left of it.

    `held` may be the article before this run, since an index shows its own writes only later: that is enough, for
    a run changes one layer, and each of its items sets that layer whole.
    """
    base = held or Abstract(item.pmid, None, None)
    match item:
        case Document():
            text = Text(item.title, item.abstract, item.year, item.journal)
            concepts = tuple(sorted({annotation.key for annotation in item.annotations}))
            return replace(base, document=text, annotated=concepts)
        case PubmedRecord():
            return replace(base, record=item.text)
        case Deletion():
            return replace(base, record=None) if base.document else None


def _batches(items: Iterable[_Item]) -> Iterator[list[_Item]]:
    stream = iter(items)
    while batch := list(islice(stream, _BATCH)):
        yield batch


class _Journal:
    """What each PMID of a run was before it and is now, as digests in a temporary database that spills to disk.

    A PMID may come several times in a run, and its effect counts once: so the state before its first time has to be
    remembered, for as many PMIDs as the files hold.
    """

    def __init__(self) -> None:
        # An empty name is a private on-disk database, removed by SQLite when it is closed.
        self._database = sqlite3.connect("")
        self._database.execute("CREATE TABLE state (pmid INTEGER PRIMARY KEY, before BLOB, now BLOB)")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    def differing(self, held: dict[int, Abstract], wanted: dict[int, Abstract | None]) -> list[int]:
        """PMIDs whose wanted state is not their present one; their new state is remembered."""
        found = []
        for pmid, new in wanted.items():
            digest = _digest(new)
            row = self._database.execute("SELECT now FROM state WHERE pmid = ?", (pmid,)).fetchone()
            present = row[0] if row else _digest(held.get(pmid))
            if present != digest:
                found.append(pmid)
            if row is None:
                self._database.execute("INSERT INTO state VALUES (?, ?, ?)", (pmid, present, digest))
            elif present != digest:
                self._database.execute("UPDATE state SET now = ? WHERE pmid = ?", (digest, pmid))
        return found

    def counts(self, total: int) -> dict[str, int]:
        """Net effect on an index of `total` articles before the run."""
        added, removed, changed = self._database.execute(
            "SELECT count(*) FILTER (WHERE before IS NULL AND now IS NOT NULL),"
            " count(*) FILTER (WHERE before IS NOT NULL AND now IS NULL),"
            " count(*) FILTER (WHERE before <> now) FROM state"
        ).fetchone()
        after = total + added - removed
        return {
            "total": after,
            "added": added,
            "changed": changed,
            "removed": removed,
            "unchanged": after - added - changed,
        }


def _digest(abstract: Abstract | None) -> bytes | None:
    """Digest of what the article says, whichever load said it; None if there is none."""
    if abstract is None:
        return None
    said = repr((abstract.record, abstract.document, abstract.annotated, abstract.entities))
    return blake2b(said.encode("utf-8", "surrogatepass"), digest_size=16).digest()
