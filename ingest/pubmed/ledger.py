"""A record under HOME of the steps that a load has done so far, so that a killed run can be continued.

After each step, the store first saves the written rows together with a note; then the step is recorded here. So the
store has done either exactly the steps recorded here, or one step more. If it has done one step more, the load repeats
this step, with the same effect.
"""

import json
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

from groundwork import sqlite_file
from groundwork.errors import Refused, StoreBusy
from groundwork.files import held
from groundwork.manifest import Fault
from ingest.pubmed.account import Account

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
