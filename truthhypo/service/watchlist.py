"""The watched statements under HOME, each with its last judgement, in SQLite."""

import json
import secrets
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from time import time
from typing import Any

from groundwork.errors import InputError, StoreBusy
from groundwork.files import held
from groundwork.manifest import Fault
from groundwork.readable import statement
from groundwork.records import Record
from groundwork.settings import Settings
from truthhypo.service.database import Database

_SCHEMA = """
CREATE TABLE IF NOT EXISTS statements (
    id TEXT PRIMARY KEY, text TEXT UNIQUE NOT NULL, added REAL NOT NULL,
    state TEXT NOT NULL DEFAULT '', digest TEXT NOT NULL DEFAULT '',
    latest TEXT, reported TEXT, error TEXT, judged INTEGER NOT NULL DEFAULT 0
);
"""


class UnknownStatement(InputError):
    """No watched statement has this id.

    Args:
        id: The id.
    """

    def __init__(self, id: str) -> None:
        super().__init__(
            f"no watched statement has the id {id!r}", "the id of a watched statement", "see: truthhypo watch list"
        )


@dataclass(frozen=True, slots=True)
class Statement(Record):
    """A watched statement.

    Attributes:
        id: Id of the statement.
        text: Text of the statement.
        latest: Its last judgement (`rejudging.Standing` as JSON values); None before the first judgement.
        reported: Its judgement in the last report; None if no report had a judgement of it.
        error: Why its last judgement failed, with the keys seen, wanted and remedy; None if it did not fail.
        state: The state of stores and settings for which `latest` is valid (`rejudging.state_of`); empty if unknown.
        digest: The digest of the evidence and paths of `latest` (`rejudging.Rejudgement.digest`); empty if unknown.
        judged: Whether it was judged since the last report.
    """

    id: str
    text: str
    latest: Mapping[str, Any] | None
    reported: Mapping[str, Any] | None
    error: Mapping[str, str] | None
    state: str
    digest: str
    judged: bool


class WatchList:
    """The watched statements under HOME. Any thread and any process may use it.

    Args:
        settings: Settings with HOME.
    """

    def __init__(self, settings: Settings) -> None:
        self._folder = settings.home / "watch"
        self._database = Database(self._folder / "statements.sqlite", _SCHEMA, "watched statements")

    def add(self, text: str) -> Statement:
        """Watch a statement. A text that is watched already is not added again.

        Raises:
            UnfitText: The text cannot be judged.
            StoreUnreachable: HOME cannot be written.
        """
        text = statement(text).strip()
        with self._database.transaction() as database:
            row = (secrets.token_hex(6), text, time())
            database.execute("INSERT OR IGNORE INTO statements (id, text, added) VALUES (?, ?, ?)", row)
            return self._statement(database.execute("SELECT * FROM statements WHERE text = ?", (text,)).fetchone())

    def all(self) -> tuple[Statement, ...]:
        """Return the statements in the order in which they were added."""
        with self._database.reading() as database:
            return tuple(map(self._statement, database.execute("SELECT * FROM statements ORDER BY added, rowid")))

    def remove(self, id: str) -> None:
        """Stop watching a statement.

        Raises:
            UnknownStatement: No statement has this id.
        """
        with self._database.transaction() as database:
            if not database.execute("DELETE FROM statements WHERE id = ?", (id,)).rowcount:
                raise UnknownStatement(id)

    def keep(self, id: str, state: str, digest: str, judgement: Mapping[str, Any]) -> None:
        """Keep a new judgement of a statement."""
        self._change(
            "state = ?, digest = ?, latest = ?, error = NULL, judged = 1", (state, digest, json.dumps(judgement)), id
        )

    def confirm(self, id: str, state: str) -> None:
        """Record that the last judgement of a statement is also valid in another state of stores and settings."""
        self._change("state = ?, error = NULL", (state,), id)

    def fail(self, id: str, error: Mapping[str, str]) -> None:
        """Record why a statement could not be judged. Its last judgement stays, and the next run judges it again."""
        self._change("state = '', digest = '', error = ?", (json.dumps(error),), id)

    def settle(self, ids: Iterable[str]) -> None:
        """Record that the last judgements of these statements were reported."""
        with self._database.transaction() as database:
            rows = ((each,) for each in ids)
            database.executemany("UPDATE statements SET reported = latest, judged = 0 WHERE id = ?", rows)

    def faults(self) -> Iterator[Fault]:
        """Yield the damage of the file, after reading it completely."""
        return self._database.faults()

    @contextmanager
    def running(self) -> Iterator[None]:
        """Lock the list for a run.

        Raises:
            StoreBusy: Another run has locked the list.
        """
        self._database.open()
        busy = StoreBusy(
            "another run judges the watched statements", "one run at a time", "try again when it has ended"
        )
        with held(self._folder / "lock", busy):
            yield

    def _change(self, values: str, given: tuple[str, ...], id: str) -> None:
        with self._database.transaction() as database:
            database.execute(f"UPDATE statements SET {values} WHERE id = ?", (*given, id))  # noqa: S608 - our own words

    def _statement(self, row: sqlite3.Row) -> Statement:
        latest, reported, error = (
            self._database.value(row[name]) if row[name] else None for name in ("latest", "reported", "error")
        )
        return Statement(
            row["id"], row["text"], latest, reported, error, row["state"], row["digest"], bool(row["judged"])
        )
