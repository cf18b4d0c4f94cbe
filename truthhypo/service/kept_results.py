"""The judgements that are kept under HOME. Each has an id, so that its page has an address to send to others."""

import json
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from time import time
from typing import Any

from groundwork.errors import InputError
from groundwork.manifest import Fault
from groundwork.settings import Settings
from truthhypo.service.database import DAY, Database

_SCHEMA = """
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
        self._database = Database(settings.home / "results" / "results.sqlite", _SCHEMA, "results")

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
