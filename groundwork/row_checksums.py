"""A checksum in each row of an SQLite file, so that a value that was changed from outside is noticed.

SQLite itself notices only damage of the file's structure. Each connection that writes has triggers of its own, which
are not part of the file. They put a checksum into every row that the connection inserts or changes. A row that an
earlier version of the program wrote has no checksum and counts as intact. It gets a checksum when it is changed.
"""

from collections.abc import Mapping
from sqlite3 import Connection
from zlib import crc32

_COLUMN = "checksum"
#: Columns that no checksum covers. The time of last use is written at each reading; it only decides which rows of a
#: full cache are removed first.
_LEFT_OUT = frozenset({_COLUMN, "used"})


def keep(database: Connection) -> None:
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


def changed(database: Connection, table: str) -> int:
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
