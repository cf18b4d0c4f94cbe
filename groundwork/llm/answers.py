"""Usable replies kept on disk, by content: what was asked once is not paid for twice.

One SQLite file with JSON texts, opened anew for each access: safe with several processes and threads, and, unlike a
cache of pickles, harmless to open whoever wrote it. A reply from here is read as strictly as one from the model. It is
a cache: where it cannot be read or written, the model is asked, and a file that is no database is removed.
"""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from time import time
from typing import Any, TypeVar
from weakref import finalize

Result = TypeVar("Result")

_FORMAT = 1
_SCHEMA = """
    CREATE TABLE IF NOT EXISTS answers (
        key TEXT PRIMARY KEY, model TEXT NOT NULL, reply TEXT NOT NULL, completion_tokens INTEGER NOT NULL,
        used REAL NOT NULL
    )
"""
#: One in so many answers, those unused for longest, makes room when the file is full.
_CLEARED = 4


@dataclass(frozen=True, slots=True)
class Asked:
    """All that an answer depends on.

    Attributes:
        model: `provider:NAME`.
        address: Where it is served; empty: the provider's own.
        system: The prompt's text.
        version: The version its file gives it; may be empty.
        prompt: The question with its evidence.
        schema: The JSON schema of the answer.
        parameters: Temperature, seed, tokens, and how the shape is asked for.
    """

    model: str
    address: str
    system: str
    version: str
    prompt: str
    schema: dict[str, Any]
    parameters: dict[str, Any]

    @property
    def key(self) -> str:
        """The same for the same question, SHA-256 in hex; the question itself is not kept."""
        parts = {name: getattr(self, name) for name in self.__slots__}
        text = json.dumps([_FORMAT, parts], sort_keys=True, ensure_ascii=False)
        return sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


class Answers:
    """Replies by question.

    Args:
        path: The file; made, with its folder, at the first reply that is kept.
        bound: Bytes it may hold.
    """

    def __init__(self, path: Path, bound: int) -> None:
        self.path = path
        self._bound = bound
        self._stays: sqlite3.Connection | None = None

    def get(self, asked: Asked) -> str | None:
        """The reply that was kept, or None."""

        def look(database: sqlite3.Connection) -> str | None:
            row = database.execute("SELECT reply FROM answers WHERE key = ?", (asked.key,)).fetchone()
            if row is not None:
                database.execute("UPDATE answers SET used = ? WHERE key = ?", (time(), asked.key))
            return row and str(row[0])

        return self._with(look) if self.path.exists() else None

    def put(self, asked: Asked, reply: str, completion_tokens: int) -> None:
        """Keep a reply that was read into its shape."""

        def keep(database: sqlite3.Connection) -> None:
            row = (asked.key, asked.model, reply, completion_tokens, time())
            database.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)", row)
            if _size(database) > self._bound:
                _make_room(database)

        self._with(keep)

    def mean_length(self, model: str) -> float | None:
        """Mean tokens of that model's replies; None where none is kept."""

        def average(database: sqlite3.Connection) -> float | None:
            query = "SELECT AVG(completion_tokens) FROM answers WHERE model = ? AND completion_tokens > 0"
            mean = database.execute(query, (model,)).fetchone()[0]
            return None if mean is None else float(mean)

        return self._with(average) if self.path.exists() else None

    def _with(self, work: Callable[[sqlite3.Connection], Result]) -> Result | None:
        """Work in a transaction on the file; None where there is no cache just now."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.path, timeout=10)) as database, database:
                database.execute("PRAGMA journal_mode = WAL")
                database.execute("PRAGMA synchronous = NORMAL")
                database.execute(_SCHEMA)
                found = work(database)
                self._stay()
                return found
        except (sqlite3.OperationalError, OSError):
            return None  # locked for long, read-only, or a full disk
        except sqlite3.DatabaseError:  # harmed, or no database
            self._stays = None
            for end in ("", "-wal", "-shm"):
                self.path.with_name(self.path.name + end).unlink(missing_ok=True)
            return None

    def _stay(self) -> None:
        """Leave one connection open: the last to close moves the whole log into the file and waits for the disk."""
        if self._stays is None:
            self._stays = sqlite3.connect(self.path, timeout=10, check_same_thread=False)
            self._stays.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
            finalize(self, self._stays.close)


def _size(database: sqlite3.Connection) -> int:
    """Bytes of the file that hold something."""
    pages, free, size = (
        database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)


def _make_room(database: sqlite3.Connection) -> None:
    """Drop what was unused for longest; the file keeps its size and uses the room again."""
    database.execute(
        "DELETE FROM answers WHERE key IN"
        " (SELECT key FROM answers ORDER BY used LIMIT MAX(1, (SELECT COUNT(*) FROM answers) / ?))",
        (_CLEARED,),
    )
