"""The index of names of an embedded graph's concepts: an SQLite file in the folder of the graph.

ladybug finds a node by its primary key only. Finding concepts by name needs this index. It maps each form of a name
(see `cypher.names`) to the keys of the concepts that have a name of this form.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock

from cypher.names import forms_of
from groundwork import sqlite_file
from groundwork.errors import DamagedStore
from groundwork.files import full, is_full
from groundwork.records import Concept

_TABLE = """
CREATE TABLE IF NOT EXISTS name (form TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (form, key)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS name_of ON name (key);
"""
#: SQLite takes a list as one parameter if the list is given as JSON.
_KEYS = "SELECT DISTINCT key FROM name WHERE form IN (SELECT value FROM json_each(?))"
#: A text is a prefix of some stored form exactly if it is a prefix of the first stored form that is not smaller.
_BEGUN = """
SELECT value FROM json_each(?)
WHERE substr((SELECT form FROM name WHERE form >= value ORDER BY form LIMIT 1), 1, length(value)) = value
"""
_EVERY = "SELECT DISTINCT form FROM name WHERE form > ? ORDER BY form LIMIT 50000"
_NEAR = "SELECT DISTINCT form FROM name WHERE length(form) BETWEEN ? AND ? AND ("
_HOLDS = "instr(form, ?)"
#: Largest number of grams (parts of names) in one pair of brackets. SQLite refuses expressions with a nesting depth of
#: a thousand.
_TOGETHER = 32


class Namebook:
    """An index from forms of names (see `cypher.names`) to keys of concepts.

    Args:
        path: The file; None for an index in memory.
        read_only: Refuse every write. The file is still opened for writing if the file system allows this, because
            SQLite can then undo the incomplete changes of a load that was killed.

    Raises:
        DamagedStore: The file is not an index of names.
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
        """Return the keys of the concepts that have a name of one of these forms, without duplicates."""
        with self._errors():
            return [key for (key,) in self._connection.execute(_KEYS, (_json(forms),))]

    def begun(self, forms: Iterable[str]) -> list[str]:
        """Return the given forms that are a prefix of a form in the index."""
        with self._errors():
            return [form for (form,) in self._connection.execute(_BEGUN, (_json(sorted(forms)),))]

    def near(self, grams: Sequence[str], shortest: int, longest: int) -> list[str]:
        """See `names.NameIndex.forms_near`."""
        if not grams:
            return []
        # The query examines every form. A JSON list would be parsed again for each form, so each gram is a parameter.
        some = [
            " OR ".join([_HOLDS] * len(grams[start : start + _TOGETHER])) for start in range(0, len(grams), _TOGETHER)
        ]
        wanted = f"{_NEAR}({') OR ('.join(some)}))"
        with self._errors():
            return [form for (form,) in self._connection.execute(wanted, (shortest, longest, *grams))]

    def every(self) -> Iterator[str]:
        """See `names.NameIndex.every_form`. Forms come in order, in pages, so that other look-ups can run meanwhile."""
        last = ""
        while True:
            with self._errors():
                some = [form for (form,) in self._connection.execute(_EVERY, (last,))]
            if not some:
                return
            yield from some
            last = some[-1]

    def put(self, concepts: Iterable[Concept]) -> None:
        """Write the forms of the names of concepts, in one transaction. They replace the forms written before."""
        rows = [(form, concept.key) for concept in concepts for form in sorted(forms_of(concept))]
        with self._errors(), self._connection as connection:
            _forget(connection, {key for _, key in rows})
            connection.executemany("INSERT OR IGNORE INTO name VALUES (?, ?)", rows)

    def drop(self, keys: Iterable[str]) -> None:
        """Remove concepts, in one transaction."""
        with self._errors(), self._connection as connection:
            _forget(connection, keys)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        with self._lock:
            try:
                yield
            except sqlite_file.ERRORS as error:
                if self.path and is_full(self.path, str(error)):
                    raise full(self.path, error) from error
                raise DamagedStore(
                    f"the names in {self.path} cannot be used: {error}",
                    "a file made by truthhypo ingest, undamaged",
                    "restore it from the snapshots under HOME: truthhypo ingest rebuild",
                ) from error


def _address(path: Path | None, *, made: bool) -> str:
    """Return the file's address for SQLite. SQLite creates an absent file only if `made` is True."""
    return f"{path.absolute().as_uri()}?mode={'rwc' if made else 'rw'}" if path else "file::memory:"


def _forget(connection: sqlite3.Connection, keys: Iterable[str]) -> None:
    connection.executemany("DELETE FROM name WHERE key = ?", ((key,) for key in keys))


def _json(texts: Sequence[str]) -> str:
    return json.dumps(list(texts))
