"""The jobs under HOME: their requests and progress in SQLite, and their results in files of JSON lines beside it.

The table `texts` holds what a job judges: texts, or for the kind `cite` rows as JSON.
"""

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from time import time
from typing import Any, Literal, TypeAlias

from groundwork.errors import InputError, Overloaded, TooLarge, UnknownJob
from groundwork.manifest import Fault
from groundwork.records import Record
from groundwork.settings import Settings
from truthhypo.service.database import DAY, Database

Kind = Literal["ground", "risk", "judge", "cite"]
#: A row of a job of the kind `cite`: its `text`, with `claim` and `pmids`, or with an `error` if it cannot be judged.
Row: TypeAlias = dict[str, Any]
State = Literal["queued", "running", "done", "failed", "cancelled"]
#: The states of a job that is not over.
OPEN = ("queued", "running")

_SCHEMA = """
CREATE TABLE IF NOT EXISTS jobs (
    id TEXT PRIMARY KEY, sent_as TEXT UNIQUE, digest TEXT NOT NULL, kind TEXT NOT NULL, options TEXT NOT NULL,
    state TEXT NOT NULL, done INTEGER NOT NULL, total INTEGER NOT NULL, error TEXT, made TEXT,
    created REAL NOT NULL, finished REAL
);
CREATE TABLE IF NOT EXISTS texts (
    job TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE, number INTEGER NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (job, number)
) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class Job(Record):
    """The progress of a job.

    Attributes:
        id: Id of the job, which cannot be guessed.
        kind: `ground`, `risk`, `judge` for both, or `cite`.
        state: `queued`, `running`, `done`, `failed` or `cancelled`.
        done: Number of texts or rows with a result.
        total: Number of all texts or rows.
        error: Why the job failed: seen, wanted, remedy; null if it did not fail.
    """

    id: str
    kind: Kind
    state: State
    done: int
    total: int
    error: Mapping[str, str] | None = None


def text_of(item: str | Row) -> str:
    """Return the text by which the result of an item names it."""
    return item if isinstance(item, str) else str(item["text"])


def unit_of(kind: Kind) -> str:
    """Return what a job of this kind judges: `texts` or `rows`."""
    return "rows" if kind == "cite" else "texts"


class JobStore:
    """The jobs under HOME. Any thread may use it.

    Args:
        settings: Settings with HOME and the limits.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._folder = settings.home / "jobs"
        self._database = Database(self._folder / "jobs.sqlite", _SCHEMA, "jobs")

    def open(self) -> None:
        """Create the folder and the tables if they are absent, and remove expired jobs.

        Raises:
            StoreUnreachable: HOME cannot be written.
        """
        self._database.open()
        self.expire()

    def add(self, kind: Kind, items: Sequence[str | Row], options: Mapping[str, Any], sent_as: str | None) -> Job:
        """Queue a job.

        Args:
            kind: `ground`, `risk`, `judge` for both, or `cite`.
            items: The texts to judge; for `cite`, the rows.
            options: The options of the judgement.
            sent_as: The client's own key, or None. If the same job was sent with this key before, the earlier job is
                returned, and no new job is queued. If the earlier job failed, it continues where it stopped.

        Raises:
            TooLarge: There are more than `serve_texts` texts or rows.
            Overloaded: `serve_jobs` jobs are open already.
            InputError: A job with other texts, options or kind was sent with the same key.
        """
        held, unit = self._settings, unit_of(kind)
        if len(items) > held.serve_texts:
            raise TooLarge(f"a job of {len(items):,} {unit}", f"{held.serve_texts:,} {unit}", "serve_texts")
        texts = [item if isinstance(item, str) else json.dumps(item) for item in items]
        digest = sha256(json.dumps([kind, texts, options], sort_keys=True).encode()).hexdigest()
        row = (secrets.token_urlsafe(24), sent_as, digest, kind, json.dumps(options), "queued", 0, len(texts), time())
        with self._database.transaction() as database:
            database.execute("BEGIN IMMEDIATE")
            before = database.execute("SELECT id, digest FROM jobs WHERE sent_as = ?", (sent_as,)).fetchone()
            if before and before["digest"] != digest:
                raise InputError(
                    f"the Idempotency-Key {sent_as!r} was used for another job", "a new key", "send a key once per job"
                )
            (waiting,) = database.execute("SELECT count(*) FROM jobs WHERE state IN ('queued', 'running')").fetchone()
            if not before and waiting >= held.serve_jobs:
                raise Overloaded(f"{waiting} jobs wait or run", "serve_jobs", 60)
            if before:
                database.execute(
                    "UPDATE jobs SET state = 'queued', error = NULL, finished = NULL WHERE id = ? AND state = 'failed'",
                    (before["id"],),
                )
            else:
                columns = "id, sent_as, digest, kind, options, state, done, total, created"
                database.execute(f"INSERT INTO jobs ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)  # noqa: S608
                rows = ((row[0], number, text) for number, text in enumerate(texts, 1))
                database.executemany("INSERT INTO texts (job, number, text) VALUES (?, ?, ?)", rows)
        return self.get(before["id"] if before else row[0])

    def get(self, id: str) -> Job:
        """Return the progress of a job.

        Raises:
            UnknownJob: No job has this id, or the job has expired.
        """
        found = self._row(id)
        error = self._database.value(found["error"]) if found["error"] else None
        return Job(id, found["kind"], found["state"], found["done"], found["total"], error)

    def asked(self, id: str) -> tuple[dict[str, Any], list[str | Row]]:
        """Return the options of a job, and its texts or rows."""
        job = self._row(id)
        options = self._database.value(job["options"])
        with self._database.reading() as database:
            rows = database.execute("SELECT * FROM texts WHERE job = ? ORDER BY number", (id,)).fetchall()
        return options, [self._database.value(row["text"]) if job["kind"] == "cite" else row["text"] for row in rows]

    def waiting(self) -> list[str]:
        """Return the ids of the jobs that are not over, oldest first, including jobs that a crash interrupted."""
        with self._database.reading() as database:
            rows = database.execute("SELECT id FROM jobs WHERE state IN ('queued', 'running') ORDER BY created, id")
            return [row["id"] for row in rows]

    def finished(self) -> list[Job]:
        """Return the jobs that are done."""
        with self._database.reading() as database:
            rows = database.execute("SELECT id FROM jobs WHERE state = 'done' ORDER BY created, id").fetchall()
        return [self.get(row["id"]) for row in rows]

    def faults(self) -> Iterator[Fault]:
        """Yield the damage of the database of jobs, after reading it completely."""
        return self._database.faults()

    def begin(self, id: str, made: Mapping[str, str]) -> None:
        """Record that a job runs, and the inputs of its results (`made`). Results with other inputs are deleted."""
        said = json.dumps(made, sort_keys=True)
        if self._row(id)["made"] != said:
            self.results(id).unlink(missing_ok=True)
        with self._database.transaction() as database:
            database.execute(
                "UPDATE jobs SET state = 'running', made = ? WHERE id = ? AND state IN ('queued', 'running')",
                (said, id),
            )

    def progress(self, id: str, done: int) -> None:
        """Record how many texts have a result."""
        with self._database.transaction() as database:
            database.execute("UPDATE jobs SET done = ? WHERE id = ?", (done, id))

    def finish(self, id: str, state: State, error: Mapping[str, str] | None = None) -> bool:
        """Record how an open job ended. Return False if the job was over or removed already."""
        said = json.dumps(error) if error else None
        with self._database.transaction() as database:
            changed = database.execute(
                "UPDATE jobs SET state = ?, error = ?, finished = ? WHERE id = ? AND state IN ('queued', 'running')",
                (state, said, time(), id),
            )
            return changed.rowcount > 0

    def remove(self, id: str) -> None:
        """Remove a job with its texts and results."""
        with self._database.transaction() as database:
            database.execute("DELETE FROM jobs WHERE id = ?", (id,))
        self.results(id).unlink(missing_ok=True)
        Path(f"{self.results(id)}.lock").unlink(missing_ok=True)

    def expire(self) -> None:
        """Remove the jobs that ended more than `serve_days` days ago."""
        with self._database.transaction() as database:
            until = time() - self._settings.serve_days * DAY
            rows = database.execute("SELECT id FROM jobs WHERE finished < ?", (until,)).fetchall()
        for row in rows:
            self.remove(row["id"])

    def results(self, id: str) -> Path:
        """Return the path of a job's results. The file does not exist before the first result."""
        return self._folder / f"{id}.jsonl"

    def _row(self, id: str) -> Any:
        with self._database.reading() as database:
            found = database.execute("SELECT * FROM jobs WHERE id = ?", (id,)).fetchone()
        if found is None:
            raise UnknownJob(id)
        return found
