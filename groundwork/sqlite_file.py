"""SQLite files under HOME: read an existing file, tell damage from other errors, check a file, and keep a cache in one.

SQLite treats an absent or empty file as an empty database. If a file with records disappeared, its loss would therefore
not be noticed. SQLite itself notices only damage of the file's structure, so each row has a checksum by which a value
that was changed from outside is noticed. Each connection that writes has triggers of its own, which are not part of the
file. They put a checksum into every row that the connection inserts or changes. A row that an earlier version of the
program wrote has no checksum and counts as intact. It gets a checksum when it is changed.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from sqlite3 import Connection
from typing import TypeVar
from weakref import finalize
from zlib import crc32

from groundwork.manifest import Fault

_COLUMN = "checksum"
#: Columns that no checksum covers. The time of last use is written at each reading; it only decides which rows of a
#: full cache are removed first.
_LEFT_OUT = frozenset({_COLUMN, "used"})


def keep_checksums(database: Connection) -> None:
    """Put a checksum into each row that a connection inserts or changes from now on.

    Args:
        database: The connection, outside a transaction. Every table must have a primary key.
    """
    database.create_function("row_checksum", -1, _checksum)
    for table in tables(database):
        names = columns(database, table)
        if _COLUMN not in names:
            names = _with_checksum(database, table)
        covered = ", ".join(name for name in names if name not in _LEFT_OUT)
        row = " AND ".join(f"{name} = NEW.{name}" for name, key in names.items() if key)
        for change in ("INSERT", f"UPDATE OF {covered}"):
            database.execute(
                f"CREATE TEMP TRIGGER {table}_{change[:6]} AFTER {change} ON main.{table} BEGIN"  # noqa: S608 - own names
                f" UPDATE {table} SET {_COLUMN} = row_checksum({covered}) WHERE {row}; END"
            )


def changed_rows(database: Connection, table: str) -> int:
    """Return the number of rows of a table that do not have the values that the program wrote. Every row is read."""
    cursor = database.execute(f'SELECT * FROM "{table}"')  # noqa: S608 - a name that SQLite gave
    names = [column[0] for column in cursor.description]
    return sum(not intact(dict(zip(names, row, strict=True))) for row in cursor)


def tables(database: Connection) -> list[str]:
    """Return the names of the tables of a file, without those that SQLite keeps for itself."""
    own = "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*'"
    return [name for (name,) in database.execute(own).fetchall()]


def intact(row: Mapping[str, object]) -> bool:
    """Return whether a row, given with all its columns, has the values that the program wrote."""
    wanted = row.get(_COLUMN)
    return wanted is None or wanted == _checksum(*(value for name, value in row.items() if name not in _LEFT_OUT))


def _checksum(*values: object) -> int:
    """Return the checksum of a row's values."""
    # `repr` would depend on which characters a version of Python can print.
    return crc32(ascii(values).encode())


def columns(database: Connection, table: str) -> dict[str, bool]:
    """Return for each column of a table, in order, whether it is in the primary key; empty if the table is missing."""
    return {row[1]: bool(row[5]) for row in database.execute(f"PRAGMA main.table_info({table})").fetchall()}


def _with_checksum(database: Connection, table: str) -> dict[str, bool]:
    """Add the checksum column, unless another process has added it meanwhile. Return the columns (see `columns`)."""
    with database:
        database.execute("BEGIN IMMEDIATE")
        if _COLUMN not in columns(database, table):
            database.execute(f"ALTER TABLE {table} ADD COLUMN {_COLUMN} INTEGER")
    return columns(database, table)


#: SQLite's codes for a damaged file, and for a statement that does not fit the tables. The program's statements never
#: change, so the last code means that a table was lost.
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR})
#: Errors of SQLite. Its messages may repeat the damaged definition of a table, which Python may fail to decode.
ERRORS = (sqlite3.Error, UnicodeDecodeError)
_WANTED = "an SQLite file as this program left it"


def connect_read_only(path: Path) -> sqlite3.Connection:
    """Return a connection to an existing file, which refuses every write.

    SQLite itself may create files beside the file and remove them again. In a folder that cannot be written this would
    fail. But nobody writes to the file there either, so the file is read as it is.

    Raises:
        sqlite3.Error: If there is no file, or the file cannot be opened.
    """
    mode = "mode=rw"
    if not os.access(path.parent, os.W_OK):
        mode = "mode=ro" if path.with_name(f"{path.name}-wal").exists() else "immutable=1"
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, timeout=30)
    connection.execute("PRAGMA query_only = ON")
    return connection


def shows_damage(error: Exception) -> bool:
    """Return whether an error means that the file is damaged, and not that it is in use, read-only or on a full disk.

    Args:
        error: One of `ERRORS`. An operational error without a code comes from Python, which could not decode a text.
    """
    if isinstance(error, UnicodeDecodeError):
        return True
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return isinstance(error, sqlite3.OperationalError)
    return code & 0xFF in _DAMAGED


def said(error: Exception) -> str:
    """Return the message of an error without the text that could not be decoded, which may be long."""
    return str(error).partition(" with text ")[0]


def absence(path: Path) -> str:
    """Return why a file cannot hold records, as words to put after its name ("is empty"); "" if it has content."""
    if not path.is_file():
        return "is missing, or is not a file"
    return "" if path.stat().st_size else "is empty"


def damage(path: Path) -> str:
    """Return what is wrong with an SQLite file, as words to put after its name ("is empty"); "" if nothing is wrong.

    SQLite checks the structure of the file. SQLite does not check values, so every row is compared with its checksum.
    Nothing is written.
    """
    try:
        if lost := absence(path):
            return lost
        with closing(connect_read_only(path)) as database:
            (first, *_) = database.execute("PRAGMA integrity_check(1)").fetchone()
            if first != "ok":
                return f"is damaged: {first.splitlines()[-1]}"
            for table in tables(database):
                if count := changed_rows(database, table):
                    return f"has values that were changed from outside (rows of {table}: {count:,})"
    except (sqlite3.Error, OSError, ValueError) as error:
        return f"cannot be read: {said(error)}"
    return ""


def faults(path: Path, remedy: str) -> Iterator[Fault]:
    """Yield a fault if an SQLite file is damaged."""
    if seen := damage(path):
        yield Fault(path, seen, _WANTED, remedy)


Result = TypeVar("Result")

#: If the file is full, 1/_CLEARED of its rows are removed: the rows that were unused for the longest time.
_CLEARED = 4


class CacheFile:
    """A cache in one SQLite file, bounded in size.

    The file is opened anew for each access, so that several processes and threads can use it. Because it is only a
    cache, a file that cannot be opened or written is ignored, and a file that is damaged or not a database is removed.
    Its table has the columns `key` (primary key), `used` (time of last use, in seconds) and others.

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
                keep_checksums(database)
                found = work(database)
                self._keep_open()
                return found
        except (sqlite3.OperationalError, OSError):
            return None  # the file is locked for long or read-only, or the disk is full
        except ERRORS:  # the file is damaged, or is not a database
            self._stays = None
            for end in ("", "-wal", "-shm"):
                self.path.with_name(self.path.name + end).unlink(missing_ok=True)
            return None

    def close(self) -> None:
        """Copy the write-ahead log into the database. The file is opened again by the next access."""
        stays, self._stays = self._stays, None
        if stays:
            stays.close()

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
