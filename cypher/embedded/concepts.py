"""The concepts of an embedded graph and the index of their names: one SQLite file in the folder of a state.

The file is written in a draft of a state, which no other process reads. After that it never changes.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import Any
from weakref import finalize

from cypher.names import forms_of
from groundwork import sqlite_file
from groundwork.errors import DamagedStore
from groundwork.files import full, is_full
from groundwork.records import Concept

REMEDY = "restore it from the snapshots under HOME: truthhypo ingest rebuild"
_TABLES = """
CREATE TABLE concept (key TEXT PRIMARY KEY, type TEXT NOT NULL, name TEXT NOT NULL, synonyms TEXT NOT NULL,
  counts TEXT NOT NULL, organism TEXT NOT NULL, description TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE name (form TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (form, key)) WITHOUT ROWID;
"""
#: A draft is thrown away if its process ends, so it needs no protection against that.
_DRAFT = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -200000;"
_COLUMNS = "key, name, synonyms, counts, organism, description"
#: SQLite takes a list as one parameter if the list is given as JSON.
_BY_KEY = f"SELECT {_COLUMNS} FROM concept WHERE key IN (SELECT value FROM json_each(?))"  # noqa: S608 - own names
_PAGE = f"SELECT {_COLUMNS} FROM concept WHERE key > ? ORDER BY key LIMIT 10000"  # noqa: S608 - own names
_ABSENT = "SELECT value FROM json_each(?) WHERE value NOT IN (SELECT key FROM concept) LIMIT 1"
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


class ConceptBook:
    """Concepts by key, and the keys of concepts by the forms of their names (see `cypher.names`).

    Args:
        path: The file; None for a book in memory.
        draft: Whether the book may be written; it is created if it is missing. Otherwise the file never changes.

    Raises:
        DamagedStore: The file is not a book of concepts.
    """

    def __init__(self, path: Path | None, *, draft: bool = False) -> None:
        self._path = path
        self._lock = RLock()  # a connection serves one thread at a time
        with self._errors():
            mode = "?mode=rwc" if draft else "?immutable=1"
            address = path.absolute().as_uri() + mode if path else "file::memory:"
            self._connection = sqlite3.connect(address, uri=True, check_same_thread=False)
            #: Closes the file. A second call does nothing.
            self.close = finalize(self, self._connection.close)
            if path is None or draft:
                self._connection.executescript(_DRAFT)
                if not self._rows("SELECT 1 FROM sqlite_master"):
                    self._connection.executescript(_TABLES)
            self._rows("SELECT (SELECT 1 FROM concept LIMIT 1), (SELECT 1 FROM name LIMIT 1)")

    # -- look-ups

    def concepts(self, keys: Sequence[str]) -> dict[str, Concept]:
        """Return the concepts of some keys, in the order of the keys; those without a concept are left out."""
        found = {row[0]: _concept(row) for row in self._rows(_BY_KEY, _json(keys))}
        return {key: found[key] for key in keys if key in found}

    def every_concept(self) -> Iterator[Concept]:
        """Yield all concepts by key, in pages, so that other look-ups can run meanwhile."""
        last = ""
        while page := self._rows(_PAGE, last):
            yield from map(_concept, page)
            last = page[-1][0]

    def absent(self, keys: Sequence[str]) -> str | None:
        """Return one of the keys that has no concept; None if all of them have one."""
        return next((key for (key,) in self._rows(_ABSENT, _json(keys))), None)

    def counts(self) -> dict[str, int]:
        """Return the number of concepts of each type."""
        return dict(self._rows("SELECT type, count(*) FROM concept GROUP BY type"))

    def named(self, forms: Sequence[str]) -> list[str]:
        """Return the keys of the concepts that have a name of one of these forms, without duplicates."""
        return [key for (key,) in self._rows(_KEYS, _json(forms))]

    def begun(self, forms: Iterable[str]) -> list[str]:
        """Return the given forms that are a prefix of a form in the index."""
        return [form for (form,) in self._rows(_BEGUN, _json(sorted(forms)))]

    def near(self, grams: Sequence[str], shortest: int, longest: int) -> list[str]:
        """See `names.NameIndex.forms_near`."""
        if not grams:
            return []
        # The query examines every form. A JSON list would be parsed again for each form, so each gram is a parameter.
        some = [
            " OR ".join([_HOLDS] * len(grams[start : start + _TOGETHER])) for start in range(0, len(grams), _TOGETHER)
        ]
        return [form for (form,) in self._rows(f"{_NEAR}({') OR ('.join(some)}))", shortest, longest, *grams)]

    def every_form(self) -> Iterator[str]:
        """See `names.NameIndex.every_form`. Forms come in order, in pages, so that other look-ups can run meanwhile."""
        last = ""
        while page := self._rows(_EVERY, last):
            yield from (form for (form,) in page)
            last = page[-1][0]

    # -- changes of a draft

    def put(self, concepts: Iterable[Concept]) -> None:
        """Write concepts with the forms of their names. They take the place of concepts with the same keys."""
        new = {concept.key: concept for concept in concepts}
        self.drop(new)
        rows = [
            (one.key, one.type, one.name, _json(one.synonyms), _json(one.counts), one.organism, one.description)
            for one in new.values()
        ]
        forms = sorted((form, one.key) for one in new.values() for form in forms_of(one))
        with self._errors(), self._connection as connection:
            connection.executemany("INSERT INTO concept VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
            connection.executemany("INSERT INTO name VALUES (?, ?)", forms)

    def drop(self, keys: Iterable[str]) -> None:
        """Remove concepts. Keys without a concept are ignored."""
        old = self.concepts(list(keys))
        forms = ((form, one.key) for one in old.values() for form in forms_of(one))
        with self._errors(), self._connection as connection:
            connection.executemany("DELETE FROM name WHERE form = ? AND key = ?", forms)
            connection.executemany("DELETE FROM concept WHERE key = ?", ((key,) for key in old))

    def _rows(self, statement: str, *parameters: Any) -> list[Any]:
        with self._errors():
            return self._connection.execute(statement, parameters).fetchall()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        with self._lock:
            try:
                yield
            except sqlite_file.ERRORS as error:
                if self._path and is_full(self._path, str(error)):
                    raise full(self._path, error) from error
                raise DamagedStore(
                    f"the concepts in {self._path} cannot be used: {sqlite_file.said(error)}",
                    "a file made by truthhypo ingest, undamaged",
                    REMEDY,
                ) from error


def _concept(row: Sequence[str]) -> Concept:
    key, name, synonyms, counts, organism, description = row
    return Concept(key, name, tuple(json.loads(synonyms)), tuple(json.loads(counts)), organism, description)


def _json(items: Sequence[object]) -> str:
    return json.dumps(list(items))
