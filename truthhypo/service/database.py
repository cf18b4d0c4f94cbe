"""The SQLite databases under HOME in which the service keeps what must survive a restart, and the kept judgements.

Each kept judgement has an id, so that its page has an address to send to others.
"""

import json
import os
import secrets
import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Set
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from time import time
from typing import Any

from groundwork import sqlite_file
from groundwork.errors import DamagedStore, InputError, StoreUnreachable
from groundwork.files import full, is_full, loads
from groundwork.manifest import Fault
from groundwork.settings import Settings
from groundwork.sqlite_file import columns, tables

#: Seconds in a day.
DAY = 86_400.0


class Database:
    """A database of small tables in a folder of its own. Any thread may use it.

    The folder appears together with the complete file. So if the folder has no file or an empty file, the records
    were lost. No new file is created then.

    Args:
        path: File of the database.
        schema: Statements that create the tables if they are absent.
        what: Content of the database as a plural noun, for error messages.
    """

    def __init__(self, path: Path, schema: str, what: str) -> None:
        self._path, self._schema, self._what = path, schema, what

    def open(self) -> None:
        """Create the folder and the tables if they are absent.

        Raises:
            StoreUnreachable: HOME cannot be written.
            DamagedStore: The file is damaged or missing.
        """
        with self.transaction():
            pass

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Open a connection for one transaction. The tables are small, and opening takes less than a millisecond.

        Raises:
            StoreUnreachable: HOME cannot be written.
            DamagedStore: The file is damaged or missing.
            Refused: The disk is full.
        """
        with self._explained():
            if not os.path.lexists(self._path.parent):
                self._create()
            self._check_present()
            with closing(self._connected(self._path)) as database, database:
                yield database

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Open a read-only connection, even if HOME cannot be written.

        If the folder of the file is missing, nothing was ever written, and the tables are empty.

        Raises:
            StoreUnreachable: HOME cannot be read.
            DamagedStore: The file is damaged, or it is missing in its folder.
        """
        with self._explained():
            if os.path.lexists(self._path.parent):
                self._check_present()
                opened = sqlite_file.connect_read_only(self._path)
            else:
                opened = sqlite3.connect(":memory:")
                opened.executescript(self._schema)
            with closing(opened) as database:
                self._check_schema(database)
                database.row_factory = self._row
                yield database

    def value(self, text: str) -> dict[str, Any]:
        """Return the value of a column that holds a JSON object.

        Raises:
            DamagedStore: The text is not a JSON object, so it was changed from outside.
        """
        try:
            found = loads(text)
        except (ValueError, TypeError):
            found = None
        if not isinstance(found, dict):
            raise self._damaged("has a row that is not a JSON object")
        return found

    def faults(self) -> Iterator[Fault]:
        """Yield the damage of the file, after reading it completely."""
        if os.path.lexists(self._path.parent):
            found = tuple(sqlite_file.faults(self._path, self._remedy))
            yield from found
            if found:
                return
            try:
                with self.reading():
                    pass
            except DamagedStore as error:
                yield Fault(self._path, error.seen.removeprefix(f"{self._path} "), error.wanted, error.remedy)

    @property
    def _remedy(self) -> str:
        return f"restore {self._path.parent} from a backup, or move it away to start again without its {self._what}"

    def _create(self) -> None:
        """Build the folder under a temporary name, and rename it. If another process was faster, its folder stays."""
        folder = self._path.parent
        fresh = folder.with_name(f"{folder.name}.{os.getpid()}.new")
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        try:
            with closing(sqlite3.connect(fresh / self._path.name)) as database:
                database.executescript(self._schema)
            if not folder.exists():
                fresh.replace(folder)
        except OSError:
            if not folder.exists():
                raise
        finally:
            shutil.rmtree(fresh, ignore_errors=True)

    def _connected(self, path: Path) -> sqlite3.Connection:
        database = sqlite3.connect(path, timeout=30)
        try:
            database.row_factory = self._row
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA foreign_keys = ON")
            self._check_schema(database)
            sqlite_file.keep_checksums(database)
        except BaseException:
            database.close()
            raise
        return database

    def _check_present(self) -> None:
        if lost := sqlite_file.absence(self._path):
            raise self._damaged(lost)

    def _row(self, cursor: sqlite3.Cursor, values: tuple[Any, ...]) -> sqlite3.Row:
        """Return a row. If the row has all columns of its table, it is compared with its checksum."""
        row = sqlite3.Row(cursor, values)
        if not sqlite_file.intact(dict(zip(row.keys(), row, strict=True))):
            raise self._damaged("has a row that was changed from outside")
        return row

    def _check_schema(self, database: sqlite3.Connection) -> None:
        """Check that no table or column was lost, and that there is no view or trigger, which a query could run."""
        for table, wanted in _columns(self._schema).items():
            if lost := wanted - columns(database, table).keys():
                raise self._damaged(f"has lost columns of its table {table}: {', '.join(sorted(lost))}")
        added = "SELECT count(*) FROM sqlite_master WHERE type IN ('view', 'trigger')"
        if database.execute(added).fetchone()[0]:
            raise self._damaged("has views or triggers, which this program does not make")

    def _damaged(self, seen: str) -> DamagedStore:
        return DamagedStore(f"{self._path} {seen}", f"the {self._what}, as this program left them", self._remedy)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Convert errors of SQLite and of the system into the errors of this program, such as DamagedStore."""
        try:
            yield
        except (*sqlite_file.ERRORS, OSError) as error:
            if isinstance(error, sqlite_file.ERRORS) and sqlite_file.shows_damage(error):
                raise self._damaged(f"cannot be read: {sqlite_file.said(error)}") from error
            if is_full(self._path, str(error)):
                raise full(self._path, error) from error
            seen = f"{self._what} cannot be kept under {self._path.parent}: {error}"
            raise StoreUnreachable(
                seen, "a HOME that can be written", "give another --home, or check the permissions of this one"
            ) from error


@cache
def _columns(schema: str) -> Mapping[str, Set[str]]:
    """Return the names of the columns of each table that a schema creates."""
    with closing(sqlite3.connect(":memory:")) as model:
        model.executescript(schema)
        return {table: columns(model, table).keys() for table in tables(model)}


_RESULTS = """
CREATE TABLE IF NOT EXISTS results (
    id TEXT PRIMARY KEY, created REAL NOT NULL, options TEXT NOT NULL, answer TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS results_created ON results (created);
"""


class UnknownResult(InputError):
    """No kept result has this id: it never existed, was deleted or has expired.

    Args:
        id: The id.
    """

    def __init__(self, id: str) -> None:
        wanted = "the id of a result that has not expired"
        super().__init__(f"there is no result {id!r}", wanted, "judge the text again")


@dataclass(frozen=True, slots=True)
class SavedResult:
    """A kept judgement.

    Attributes:
        id: Id of the judgement, which cannot be guessed.
        created: Time when it was made, in UTC.
        expires: Time when it is deleted, in UTC.
        options: The options of the judgement.
        answer: The JSON of a `JudgementAnswer`.
    """

    id: str
    created: datetime
    expires: datetime
    options: Mapping[str, Any]
    answer: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON values of a `KeptResult`."""
        times = {"created": self.created.isoformat(), "expires": self.expires.isoformat()}
        return {"id": self.id, **times, "options": dict(self.options), **self.answer}


class ResultStore:
    """The kept judgements. Any thread may use it.

    Args:
        settings: Settings with HOME and the number of days for which results are kept.
    """

    def __init__(self, settings: Settings) -> None:
        self._days = settings.serve_days
        self._database = Database(settings.home / "results" / "results.sqlite", _RESULTS, "results")

    def open(self) -> None:
        """Create the table if it is absent, and remove expired results.

        Raises:
            StoreUnreachable: HOME cannot be written.
        """
        self._database.open()
        self.expire()

    def add(self, options: Mapping[str, Any], answer: Mapping[str, Any]) -> SavedResult:
        """Keep a judgement and return it with its id. Expired results are removed."""
        self.expire()
        row = (secrets.token_urlsafe(24), time(), json.dumps(options), json.dumps(answer))
        with self._database.transaction() as database:
            database.execute("INSERT INTO results (id, created, options, answer) VALUES (?, ?, ?, ?)", row)
        return self.get(row[0])

    def get(self, id: str) -> SavedResult:
        """Return a kept judgement.

        Raises:
            UnknownResult: No result has this id, or the result has expired.
        """
        with self._database.reading() as database:
            found = database.execute(
                "SELECT * FROM results WHERE id = ? AND created >= ?", (id, self._oldest())
            ).fetchone()
        if found is None:
            raise UnknownResult(id)
        created = datetime.fromtimestamp(int(found["created"]), UTC)
        expires = created + timedelta(days=self._days)
        return SavedResult(id, created, expires, *(self._database.value(found[name]) for name in ("options", "answer")))

    def remove(self, id: str) -> None:
        """Remove a result.

        Raises:
            UnknownResult: No result has this id.
        """
        with self._database.transaction() as database:
            if not database.execute("DELETE FROM results WHERE id = ?", (id,)).rowcount:
                raise UnknownResult(id)

    def faults(self) -> Iterator[Fault]:
        """Yield the damage of the file, after reading it completely."""
        return self._database.faults()

    def expire(self) -> None:
        """Remove the results that were made more than `serve_days` days ago."""
        with self._database.transaction() as database:
            database.execute("DELETE FROM results WHERE created < ?", (self._oldest(),))

    def _oldest(self) -> float:
        """Return a time in seconds since 1970. The results made before this time have expired."""
        return time() - self._days * DAY
