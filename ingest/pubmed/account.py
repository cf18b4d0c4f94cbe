"""Count the effect of a load. Each article counts once, even if its PMID occurs often or the load is interrupted."""

import sqlite3
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from weakref import finalize

from groundwork.records import Abstract, plain
from ingest.receipt import Effect


class Account:
    """A database with two digests for each PMID of a load: of its article before the load, and of its article now.

    It also counts the items of each PMID.

    The size of the database depends on the number of PMIDs loaded.

    Args:
        database: The database, which the caller commits and closes. By default a private one that SQLite deletes.
    """

    def __init__(self, database: sqlite3.Connection | None = None) -> None:
        self._database = database or sqlite3.connect("")
        if database is None:
            finalize(self, self._database.close)
        self._database.execute("CREATE TABLE IF NOT EXISTS item (pmid INTEGER PRIMARY KEY, copies INTEGER NOT NULL)")
        self._database.execute("CREATE TABLE IF NOT EXISTS deleted (pmid INTEGER PRIMARY KEY)")
        self._database.execute("CREATE TABLE IF NOT EXISTS versions (pmid INTEGER PRIMARY KEY, version INTEGER)")
        self._database.execute("CREATE TABLE IF NOT EXISTS state (pmid INTEGER PRIMARY KEY, before BLOB, now BLOB)")

    def differing(self, held: Mapping[int, Abstract], wanted: Mapping[int, Abstract | None]) -> list[int]:
        """Return the PMIDs whose wanted article differs from the current one, and record the wanted ones as current.

        Args:
            held: The articles before the load.
            wanted: The articles as they should be; None if an article should be removed.
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

    def version(self, pmid: int, before: int) -> int:
        """Return the version of a PMID's record at this point of the load; 1 if there is no record.

        Args:
            pmid: The PMID.
            before: Its version before the load.
        """
        row = self._database.execute("SELECT version FROM versions WHERE pmid = ?", (pmid,)).fetchone()
        return row[0] if row else before

    def put_version(self, pmid: int, version: int) -> None:
        """Record that the load changed the version of a PMID's record. Few PMIDs have more than one version."""
        self._database.execute("INSERT OR REPLACE INTO versions VALUES (?, ?)", (pmid, version))

    def add(self, pmids: Iterable[int]) -> None:
        """Record one item (a document, a record or a deletion) of this load for each PMID."""
        count = "INSERT INTO item VALUES (?, 0) ON CONFLICT DO UPDATE SET copies = copies + 1"
        self._database.executemany(count, ((pmid,) for pmid in pmids))

    def repeated(self) -> int:
        """Return the number of items that were followed by another item of the same PMID."""
        copies: int = self._database.execute("SELECT coalesce(sum(copies), 0) FROM item").fetchone()[0]
        return copies

    def delete(self, pmids: Iterable[int]) -> None:
        """Record PMIDs that the load deletes, including those for which a later record follows in the load."""
        self._database.executemany("INSERT OR IGNORE INTO deleted VALUES (?)", ((pmid,) for pmid in pmids))

    def deleted(self, pmid: int) -> bool:
        """Return whether the load has deleted a PMID."""
        return self._database.execute("SELECT 1 FROM deleted WHERE pmid = ?", (pmid,)).fetchone() is not None

    def effect(self, total: int) -> Effect:
        """Return the net effect on an index that had `total` articles before the load."""
        added, removed, changed = self._database.execute(
            "SELECT count(*) FILTER (WHERE before IS NULL AND now IS NOT NULL),"
            " count(*) FILTER (WHERE before IS NOT NULL AND now IS NULL),"
            " count(*) FILTER (WHERE before <> now) FROM state"
        ).fetchone()
        return Effect.of(total + added - removed, added, changed, removed)


def _digest(abstract: Abstract | None) -> bytes | None:
    """Return a digest of the article's content without the name of its release; None if there is no article."""
    if abstract is None:
        return None
    layers = (
        abstract.record,
        abstract.document,
        abstract.annotated,
        abstract.entities,
        abstract.spoken,
        abstract.version,
    )
    said = repr(plain(layers))  # the `repr` of a record is cut
    return blake2b(said.encode("utf-8", "surrogatepass"), digest_size=16).digest()
