"""What a load did to each article, so that its effect is counted once however often a PMID comes, and over all runs."""

import sqlite3
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from weakref import finalize

from groundwork.records import Abstract
from ingest.receipt import Effect


class Account:
    """What each PMID of a load was before it and is now, as digests in a database: as many PMIDs as the files hold.

    Args:
        database: Where; its owner commits and closes it. By default a private one on the disk that SQLite removes.
    """

    def __init__(self, database: sqlite3.Connection | None = None) -> None:
        self._database = database or sqlite3.connect("")
        if database is None:
            finalize(self, self._database.close)
        self._database.execute("CREATE TABLE IF NOT EXISTS deleted (pmid INTEGER PRIMARY KEY)")
        self._database.execute("CREATE TABLE IF NOT EXISTS state (pmid INTEGER PRIMARY KEY, before BLOB, now BLOB)")

    def differing(self, held: Mapping[int, Abstract], wanted: Mapping[int, Abstract | None]) -> list[int]:
        """PMIDs whose wanted state is not their present one; the wanted state is remembered as the present one.

        Args:
            held: The articles as they were before the load.
            wanted: The articles as they should be, None where nothing should be left.
        """
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

    def delete(self, pmids: Iterable[int]) -> None:
        """Note PMIDs that the load says are taken back, whatever it says of them afterwards."""
        self._database.executemany("INSERT OR IGNORE INTO deleted VALUES (?)", ((pmid,) for pmid in pmids))

    def deleted(self, pmid: int) -> bool:
        """Whether the load has said that a PMID is taken back."""
        return self._database.execute("SELECT 1 FROM deleted WHERE pmid = ?", (pmid,)).fetchone() is not None

    def effect(self, total: int) -> Effect:
        """Net effect on an index of `total` articles before the load."""
        added, removed, changed = self._database.execute(
            "SELECT count(*) FILTER (WHERE before IS NULL AND now IS NOT NULL),"
            " count(*) FILTER (WHERE before IS NOT NULL AND now IS NULL),"
            " count(*) FILTER (WHERE before <> now) FROM state"
        ).fetchone()
        return Effect.of(total + added - removed, added, changed, removed)


def _digest(abstract: Abstract | None) -> bytes | None:
    """Digest of what the article says, whichever load said it; None if there is none."""
    if abstract is None:
        return None
    said = repr((abstract.record, abstract.document, abstract.annotated, abstract.entities, abstract.spoken))
    return blake2b(said.encode("utf-8", "surrogatepass"), digest_size=16).digest()
