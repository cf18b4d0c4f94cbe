"""A small SQLite database under HOME, in which the service keeps what must survive a restart."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from groundwork.errors import StoreUnreachable

#: Seconds in a day.
DAY = 86_400.0


class Database:
    """A database of small tables. Any thread may use it.

    Args:
        path: Its file.
        schema: Statements that create the tables if they are absent.
        what: What it holds, in the plural, for error messages.
    """

    def __init__(self, path: Path, schema: str, what: str) -> None:
        self._path, self._schema, self._what = path, schema, what

    def open(self) -> None:
        """Create the folder and the tables if they are absent.

        Raises:
            StoreUnreachable: HOME cannot be written.
        """
        with suppress(OSError):  # opening the database reports the reason
            self._path.parent.mkdir(parents=True, exist_ok=True)
        with self.transaction() as database:
            database.executescript(self._schema)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Open a connection for one transaction. The tables are small, and opening takes less than a millisecond.

        Raises:
            StoreUnreachable: HOME cannot be written.
        """
        try:
            with self._connection() as database, database:
                yield database
        except sqlite3.OperationalError as error:
            seen = f"{self._what} cannot be kept under {self._path.parent}: {error}"
            raise StoreUnreachable(
                seen, "a HOME that can be written", "give another --home, or check the permissions of this one"
            ) from error

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._path, timeout=30)) as database:
            database.row_factory = sqlite3.Row
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA foreign_keys = ON")
            yield database
