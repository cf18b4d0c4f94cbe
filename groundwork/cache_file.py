"""A cache in one SQLite file, bounded in size.

The file is opened anew for each access, so that several processes and threads can use it. Because it is only a cache, a
file that cannot be opened or written is ignored, and a file that is damaged or not a database is removed.
"""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar
from weakref import finalize

from groundwork import row_checksums, sqlite_file

Result = TypeVar("Result")

#: If the file is full, 1/_CLEARED of its rows are removed: the rows that were unused for the longest time.
_CLEARED = 4


class CacheFile:
    """A cache table with the columns `key` (primary key), `used` (time of last use, in seconds) and others.

    Args:
        path: The file. It is created, with its folder, at the first write.
        table: Name of the table.
        columns: Column definitions in SQL.
        bound: Maximum size of the file in bytes.
    """

    def __init__(self, path: Path, table: str, columns: str, bound: int) -> None:
        self.path = path
        self._table = table
        self._schema = f"CREATE TABLE IF NOT EXISTS {table} ({columns})"
        self._bound = bound
        self._stays: sqlite3.Connection | None = None

    def read(self, work: Callable[[sqlite3.Connection], Result]) -> Result | None:
        """Run `work` in a transaction. Return its result, or None if the file is missing or cannot be used."""
        return self._with(work) if self.path.exists() else None

    def write(self, work: Callable[[sqlite3.Connection], Result]) -> Result | None:
        """Run `work` in a transaction, then delete rows if the data exceed the maximum size of the file.

        Return the result of `work`, or None if the file cannot be used.
        """

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
                row_checksums.keep(database)
                found = work(database)
                self._keep_open()
                return found
        except (sqlite3.OperationalError, OSError):
            return None  # the file is locked for long or read-only, or the disk is full
        except sqlite_file.ERRORS:  # the file is damaged, or is not a database
            self._stays = None
            for end in ("", "-wal", "-shm"):
                self.path.with_name(self.path.name + end).unlink(missing_ok=True)
            return None

    def _keep_open(self) -> None:
        """Keep one connection open, because closing the last one copies the write-ahead log into the database.

        This copying waits for the disk.
        """
        if self._stays is None:
            self._stays = sqlite3.connect(self.path, timeout=10, check_same_thread=False)
            self._stays.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
            finalize(self, self._stays.close)

    def _make_room(self, database: sqlite3.Connection) -> None:
        """Delete the rows unused for the longest time. The file keeps its size, and new rows use the freed space."""
        database.execute(
            f"DELETE FROM {self._table} WHERE key IN"  # noqa: S608 - the table's name is this program's own
            f" (SELECT key FROM {self._table} ORDER BY used LIMIT MAX(1, (SELECT COUNT(*) FROM {self._table}) / ?))",
            (_CLEARED,),
        )


def _size(database: sqlite3.Connection) -> int:
    """Return the number of bytes of the file that are in use."""
    pages, free, size = (
        database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)
