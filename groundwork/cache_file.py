"""A cache in one SQLite file, bounded in size.

It is opened anew for each access, so that several processes and threads may use it. It is a cache: a file that cannot
be read or written is passed over, and a file that is no database is removed.
"""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar
from weakref import finalize

Result = TypeVar("Result")

#: One row in so many, those unused for longest, makes room when the file is full.
_CLEARED = 4


class CacheFile:
    """One table of rows with the columns `key` (primary) and `used` (time of last use, in seconds), and others.

    Args:
        path: The file; made, with its folder, at the first access.
        table: Name of the table.
        columns: Its columns, in SQL.
        bound: Bytes that the file may hold.
    """

    def __init__(self, path: Path, table: str, columns: str, bound: int) -> None:
        self.path = path
        self._table = table
        self._schema = f"CREATE TABLE IF NOT EXISTS {table} ({columns})"
        self._bound = bound
        self._stays: sqlite3.Connection | None = None

    def read(self, work: Callable[[sqlite3.Connection], Result]) -> Result | None:
        """Do some work in a transaction; None if there is no file or it cannot be used."""
        return self._with(work) if self.path.exists() else None

    def write(self, work: Callable[[sqlite3.Connection], Result]) -> Result | None:
        """Do some work in a transaction, and make room if the file is full; None if it cannot be used."""

        def bounded(database: sqlite3.Connection) -> Result:
            found = work(database)
            if _size(database) > self._bound:
                self._make_room(database)
            return found

        return self._with(bounded)

    def _with(self, work: Callable[[sqlite3.Connection], Result]) -> Result | None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.path, timeout=10)) as database, database:
                database.execute("PRAGMA journal_mode = WAL")
                database.execute("PRAGMA synchronous = NORMAL")
                database.execute(self._schema)
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

    def _make_room(self, database: sqlite3.Connection) -> None:
        """Drop what was unused for longest; the file keeps its size and uses the room again."""
        database.execute(
            f"DELETE FROM {self._table} WHERE key IN"  # noqa: S608 - the table's name is this program's own
            f" (SELECT key FROM {self._table} ORDER BY used LIMIT MAX(1, (SELECT COUNT(*) FROM {self._table}) / ?))",
            (_CLEARED,),
        )


def _size(database: sqlite3.Connection) -> int:
    """Bytes of the file that hold something."""
    pages, free, size = (
        database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)
