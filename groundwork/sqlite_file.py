"""SQLite files under HOME: read an existing file, tell damage from other errors, and check a file completely.

SQLite treats an absent or empty file as an empty database. If a file with records disappeared, its loss would therefore
not be noticed.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from groundwork import row_checksums
from groundwork.manifest import Fault

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
            for table in row_checksums.tables(database):
                if count := row_checksums.changed(database, table):
                    return f"has values that were changed from outside (rows of {table}: {count:,})"
    except (sqlite3.Error, OSError, ValueError) as error:
        return f"cannot be read: {said(error)}"
    return ""


def faults(path: Path, remedy: str) -> Iterator[Fault]:
    """Yield a fault if an SQLite file is damaged."""
    if seen := damage(path):
        yield Fault(path, seen, _WANTED, remedy)
