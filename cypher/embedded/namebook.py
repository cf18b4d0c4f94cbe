"""The names of an embedded graph's concepts, in SQLite beside it.

ladybug finds a node by its primary key only; names need an index of their own, from a form to the keys that carry it.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock

from cypher.names import forms_of
from groundwork.disk import full, is_full
from groundwork.errors import StoreError
from groundwork.records import Concept

_TABLE = """
CREATE TABLE IF NOT EXISTS name (form TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (form, key)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS name_of ON name (key);
"""
#: SQLite takes a list as one parameter when it comes as JSON.
_KEYS = "SELECT DISTINCT key FROM name WHERE form IN (SELECT value FROM json_each(?))"
_EVERY = "SELECT DISTINCT form FROM name WHERE form > ? ORDER BY form LIMIT 50000"
_NEAR = "SELECT DISTINCT form FROM name WHERE length(form) BETWEEN ? AND ? AND ("
_HOLDS = "instr(form, ?)"
#: Grams in one pair of brackets: SQLite refuses expressions that are a thousand deep.
_TOGETHER = 32


class Namebook:
    """An index from forms of names to keys.

    Args:
        path: The file; None for one in memory.
        read_only: Refuse to write. (The file is opened for writing all the same where we may, since what a killed
            load left half done is undone at the next opening.)

    Raises:
        StoreError: The file is no namebook.
    """

    def __init__(self, path: Path | None, *, read_only: bool = False) -> None:
        self.path = path
        self._lock = RLock()  # a connection serves one thread at a time
        with self._errors():
            self._connection = sqlite3.connect(_address(path, made=not read_only), uri=True, check_same_thread=False)
            if not (read_only and path):
                self._connection.executescript(_TABLE)
            self._connection.execute(f"PRAGMA query_only = {'ON' if read_only else 'OFF'}")
            self._connection.execute("SELECT 1 FROM name LIMIT 1")

    def keys(self, forms: Sequence[str]) -> list[str]:
        """Keys of the concepts that carry one of the forms, each once."""
        with self._errors():
            return [key for (key,) in self._connection.execute(_KEYS, (_json(forms),))]

    def near(self, grams: Sequence[str], shortest: int, longest: int) -> list[str]:
        """See `names.NameIndex.forms_near`."""
        if not grams:
            return []
        # Every form is looked at, and a list in JSON would be read anew for each: so the grams stand one by one.
        some = [
            " OR ".join([_HOLDS] * len(grams[start : start + _TOGETHER])) for start in range(0, len(grams), _TOGETHER)
        ]
        wanted = f"{_NEAR}({') OR ('.join(some)}))"
        with self._errors():
            return [form for (form,) in self._connection.execute(wanted, (shortest, longest, *grams))]

    def every(self) -> Iterator[str]:
        """See `names.NameIndex.every_form`: in order, some at a time, so that no other look-up waits for all."""
        last = ""
        while True:
            with self._errors():
                some = [form for (form,) in self._connection.execute(_EVERY, (last,))]
            if not some:
                return
            yield from some
            last = some[-1]

    def put(self, concepts: Iterable[Concept]) -> None:
        """Set the forms of concepts, all or nothing."""
        rows = [(form, concept.key) for concept in concepts for form in sorted(forms_of(concept))]
        with self._errors(), self._connection as connection:
            _forget(connection, {key for _, key in rows})
            connection.executemany("INSERT OR IGNORE INTO name VALUES (?, ?)", rows)

    def drop(self, keys: Iterable[str]) -> None:
        """Forget concepts, all or nothing."""
        with self._errors(), self._connection as connection:
            _forget(connection, keys)

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        with self._lock:
            try:
                yield
            except sqlite3.Error as error:
                if self.path and is_full(self.path, str(error)):
                    raise full(self.path, error) from error
                raise StoreError(
                    f"the names in {self.path} cannot be used: {error}",
                    "a file made by truthhypo ingest, unharmed",
                    "restore it from the snapshots under HOME: truthhypo ingest rebuild",
                ) from error


def _address(path: Path | None, *, made: bool) -> str:
    """The file as SQLite wants it; made if absent only where asked."""
    return f"{path.absolute().as_uri()}?mode={'rwc' if made else 'rw'}" if path else "file::memory:"


def _forget(connection: sqlite3.Connection, keys: Iterable[str]) -> None:
    connection.executemany("DELETE FROM name WHERE key = ?", ((key,) for key in keys))


def _json(texts: Sequence[str]) -> str:
    return json.dumps(list(texts))
