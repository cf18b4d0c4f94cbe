"""A record under HOME of the steps that a load has done so far, so that a killed run can be continued.

After each step, the store first saves the written rows together with a note; then the step is recorded here. So the
store has done either exactly the steps recorded here, or one step more. If it has done one step more, the load repeats
this step, with the same effect.
"""

import json
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import blake2b, sha256
from pathlib import Path
from uuid import uuid4
from weakref import finalize

from groundwork import sqlite_file
from groundwork.errors import Refused, StoreBusy
from groundwork.files import held
from groundwork.manifest import Fault
from groundwork.records import Abstract, plain
from ingest.receipt import Effect

_FILE = "ledger.sqlite"
_TABLES = """
CREATE TABLE IF NOT EXISTS load (id TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS step (number INTEGER PRIMARY KEY, kept INTEGER NOT NULL, rejected TEXT NOT NULL);
"""


class Ledger:
    """The record of one load into one store.

    Args:
        folder: The folder of the record, which may also contain other files of the load.

    Attributes:
        account: The effect of the load on each article.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._database = sqlite3.connect(folder / _FILE)
        self._database.executescript(_TABLES)
        self.account = Account(self._database)
        if self._database.execute("SELECT count(*) FROM load").fetchone() == (0,):
            self._name()

    @property
    def done(self) -> int:
        """Number of steps done."""
        done: int = self._database.execute("SELECT count(*) FROM step").fetchone()[0]
        return done

    def notes(self) -> tuple[str, ...]:
        """Return the notes of which the store may have saved one.

        These are the note of the step after the last recorded step, and the note of the last recorded step, if any.
        """
        done = self.done
        return (self.note(done + 1), self.note(done)) if done else (self.note(1),)

    def note(self, step: int) -> str:
        """Return the note under which a store saves what a step wrote. Steps are counted from 1."""
        (name,) = self._database.execute("SELECT id FROM load").fetchone()
        return f"{name}:{step}"

    def agree(self, reached: str) -> None:
        """Delete all recorded steps if the store has no note of this load.

        Args:
            reached: The store's note: one of `notes`, or "" if it has none.
        """
        if not reached:
            with self._database:
                for table in ("step", "state", "deleted", "versions", "item"):
                    self._database.execute(f"DELETE FROM {table}")  # noqa: S608 - our own names
            self._name()

    def write(self, kept: int, rejected: Mapping[str, int]) -> None:
        """Record that the next step is done: rows kept, rows rejected by reason, and the current account."""
        row = (self.done + 1, kept, json.dumps(rejected))
        self._database.execute("INSERT INTO step VALUES (?, ?, ?)", row)
        self._database.commit()

    def rows(self) -> tuple[int, Counter[str]]:
        """Return the number of rows kept, and the number of rows rejected for each reason, in all steps done."""
        kept, rejected = 0, Counter[str]()
        for number, reasons in self._database.execute("SELECT kept, rejected FROM step ORDER BY number"):
            kept += number
            rejected.update(json.loads(reasons))
        return kept, rejected

    def close(self) -> None:
        """Close the file; changes that were not committed are lost."""
        self._database.close()

    def _name(self) -> None:
        """Give the load a name that no other load of any store has."""
        with self._database:
            self._database.execute("DELETE FROM load")
            self._database.execute("INSERT INTO load VALUES (?)", (uuid4().hex,))


def place(home: Path, store: str) -> Path:
    """Return the folder for the records of loads into one store."""
    return home.absolute() / "loads" / _short(store)


@contextmanager
def ledger(home: Path, store: str, load: str) -> Iterator[Ledger]:
    """Open the ledger of a load, or create it. The ledger is deleted if the block ends without an error.

    A store has at most one load in progress, so the ledgers of its other loads are deleted.

    Args:
        home: The folder HOME.
        store: Name of the store.
        load: A text that identifies the load: everything on which its result depends.

    Raises:
        StoreBusy: If another run loads the same store from this HOME.
        Refused: If the ledger cannot be written, for example because the disk is full.
    """
    root = place(home, store)
    root.mkdir(parents=True, exist_ok=True)
    busy = StoreBusy(
        f"{store} is being loaded by another process", "one load at a time", "wait until the other load has ended"
    )
    with held(root / "lock", busy):
        for other in root.iterdir():
            if other.is_dir() and other.name != _short(load):
                shutil.rmtree(other, ignore_errors=True)
        folder = root / _short(load)
        folder.mkdir(exist_ok=True)
        found = _opened(folder)
        try:
            yield found
        except sqlite3.Error as error:
            raise Refused(
                f"{folder} cannot be written: {error}",
                "free space under HOME for the record of the load",
                "make room on the disk; then run the same command again, which continues the load",
            ) from error
        finally:
            found.close()
        shutil.rmtree(folder, ignore_errors=True)


def faults(home: Path) -> Iterator[Fault]:
    """Yield the damaged ledgers of interrupted loads under HOME, each read to its end."""
    for path in sorted(home.absolute().glob(f"loads/*/*/{_FILE}")):
        yield from sqlite_file.faults(path, "run the same load again; it then starts from its first file")


def _opened(folder: Path) -> Ledger:
    """Return the ledger in a folder; if it is damaged, it is deleted and the load starts again."""
    if (folder / _FILE).exists() and sqlite_file.damage(folder / _FILE):
        shutil.rmtree(folder)
        folder.mkdir()
    return Ledger(folder)


def _short(name: str) -> str:
    return sha256(name.encode()).hexdigest()[:16]


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
