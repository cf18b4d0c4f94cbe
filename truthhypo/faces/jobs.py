"""Jobs: many texts judged in the background. After a crash or a restart, a job continues where it stopped.

The requests and the progress of jobs are under HOME in SQLite, and their results in files of JSON lines beside it. The
table `texts` holds what a job judges: texts, or for the kind `cite` rows as JSON. Jobs run one after the other, and the
texts of a job one at a time, with the same code as the option `--file`.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import secrets
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Thread
from time import monotonic, time
from typing import Any, Literal, TypeAlias

from pydantic import ValidationError

from groundwork.errors import (
    InputError,
    ModelFaltered,
    Overloaded,
    StoreBusy,
    TooLarge,
    TruthHypoError,
    UnfitText,
    UnknownJob,
    fault_message,
    fault_place,
)
from groundwork.manifest import Fault
from groundwork.ports import Silent
from groundwork.records import Record
from groundwork.settings import Settings
from truthhypo import provenance
from truthhypo.faces.many.batch import Batch
from truthhypo.faces.many.sources import Said
from truthhypo.json_files import is_json
from truthhypo.lookups import unfinished_loads
from truthhypo.service.database import DAY, Database
from truthhypo.service.engine import Engine
from truthhypo.service.problems import Problem, ProblemRaised
from truthhypo.service.requests import CiteRequest, GroundRequest, JudgeRequest, Request, RiskRequest
from truthhypo.worker_pool import WorkerPool
from truthhypo.world import World

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


_NUMBER = re.compile(rb'\{"number": (\d+),')
_WANTED, _REMEDY = "the result_lines as the job left them", "send the texts again as a new job, and delete this one"


def result_lines(jobs: JobStore, id: str, after: int = 0) -> Iterator[bytes]:
    """Yield the result_lines of a job so far, one line per text. A text whose result was lost or changed gets an error.

    Args:
        jobs: The store of jobs.
        id: The job.
        after: Yield only result_lines of texts with a number above this one. The first text has the number 1.

    Raises:
        UnknownJob: No job has this id, or the job has expired.
        DamagedStore: The file of jobs is damaged or missing.
    """
    job, path = jobs.get(id), jobs.results(id)
    texts = cache(lambda: list(map(text_of, jobs.asked(id)[1])))  # texts are read only if a result was lost
    place = after
    for number, line in numbered(path, after):
        if job.state == "done":
            yield from (_lost_result(path, each, texts()) for each in range(place + 1, number))
        yield line if is_json(line) else _lost_result(path, number, texts())
        place = number
    if job.state == "done":
        yield from (_lost_result(path, each, texts()) for each in range(place + 1, job.total + 1))


def numbered(path: Path, after: int = 0) -> Iterator[tuple[int, bytes]]:
    """Yield the number of each text in a file of result_lines, with the last complete line about this text.

    The numbers are in ascending order, and only numbers above `after` are yielded. The file may be absent, or another
    thread may be writing it.
    """
    if not path.exists():
        return
    places: dict[int, int] = {}
    with path.open("rb") as file:
        place = 0
        for line in file:
            match = _NUMBER.match(line)
            if match and line.endswith(b"\n"):
                places[int(match[1])] = place
            place += len(line)
        for number in sorted(places):
            if number > after:
                file.seek(places[number])
                yield number, file.readline()


def job_faults(jobs: JobStore) -> Iterator[Fault]:
    """Yield the damaged files of jobs, after reading them completely.

    The files of result_lines are checked only if the database of the jobs is intact.
    """
    if found := list(jobs.faults()):
        yield from found
        return
    for job in jobs.finished():
        path = jobs.results(job.id)
        whole = sum(is_json(line) for _, line in numbered(path))
        if whole != job.total:
            yield Fault(path, f"has {whole:,} of {job.total:,} result_lines", _WANTED, _REMEDY)


def _lost_result(path: Path, number: int, texts: list[str]) -> bytes:
    error = {"seen": f"the result of this text in {path} was lost or changed", "wanted": _WANTED, "remedy": _REMEDY}
    text = texts[number - 1] if number <= len(texts) else ""
    return json.dumps({"number": number, "text": text, "error": error}).encode() + b"\n"


_log = logging.getLogger("truthhypo.jobs")

#: For each kind of job, the operation of the service that judges a text, and the class of its request.
_KINDS: dict[str, tuple[str, type[Request]]] = {
    "ground": ("ground_statement", GroundRequest),
    "risk": ("assess_risk", RiskRequest),
    "judge": ("judge_statement", JudgeRequest),
    "cite": ("check_citation", CiteRequest),
}
#: Seconds between two tries while a load is unfinished.
_PAUSE = 0.5
#: Seconds between two searches for expired jobs.
_EXPIRY = 600.0


class _ReleaseChanged(TruthHypoError):
    """Raised when the stores hold another release than at the beginning of the run."""


class _CountingProgress(Silent):
    """A progress listener that records how many texts of a job have a result."""

    def __init__(self, jobs: JobStore, id: str, total: int) -> None:
        self._jobs, self._id, self._total = jobs, id, total
        self._done = self._first = 0
        self._began = monotonic()

    def begin(self, stage: str, total: int | None, unit: str) -> None:  # noqa: ARG002 - only texts are counted
        """Count the texts that already have a result as done."""
        self._done = self._first = self._total - (total or 0)
        self._began = monotonic()
        self.advance(0)

    def advance(self, amount: int) -> None:
        """Record that `amount` more texts have a result."""
        self._done += amount
        self._jobs.progress(self._id, self._done)

    @property
    def rate(self) -> float | None:
        """Texts per second in this run; None before the first result."""
        done = self._done - self._first
        return done / max(monotonic() - self._began, 1e-9) if done else None


class Runner:
    """A thread that runs jobs, oldest first. A process of the engine judges each text.

    Args:
        jobs: The store of jobs.
        engine: Judges the texts.
    """

    def __init__(self, jobs: JobStore, engine: Engine) -> None:
        self._jobs, self._engine = jobs, engine
        self._queue: SimpleQueue[str | None] = SimpleQueue()
        self._stopped = Event()
        self._current: tuple[str, WorkerPool] | None = None
        self._counted: tuple[str, _CountingProgress] | None = None
        self._judging: Future[Any] | None = None
        self._thread: Thread | None = None

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start the thread, and queue the jobs that are not over. `loop` is the event loop of the engine.

        If the store of jobs cannot be used, no old job is continued. Each later request for a job reports the reason.
        """
        self._loop = loop
        try:
            self._jobs.open()
            for job in self._jobs.waiting():
                self._queue.put(job)
        except TruthHypoError as error:
            _log.warning("no job is continued: %s", error.seen)
        self._thread = Thread(target=self._run, name="jobs", daemon=True)
        self._thread.start()
        Thread(target=self._expire, name="expiry", daemon=True).start()

    def add(self, id: str) -> None:
        """Queue a job behind the jobs that wait already."""
        self._queue.put(id)

    def cancel(self, id: str) -> bool:
        """Cancel an open job. Its results so far remain. Return False if the job was over already."""
        ended = self._jobs.finish(id, "cancelled")
        if ended:
            self._leave(id)
        return ended

    def remove(self, id: str) -> None:
        """Remove a job with its texts and results. An open job is cancelled first.

        Raises:
            UnknownJob: No job has this id.
        """
        self._jobs.get(id)
        self.cancel(id)
        self._jobs.remove(id)

    def rate(self, id: str) -> float | None:
        """Return the texts per second of a job; None if it does not run, or has no result yet."""
        counted = self._counted
        return counted[1].rate if counted and counted[0] == id else None

    def stop(self) -> None:
        """Abandon the text that is being judged, and stop. Open jobs continue when a runner starts again."""
        self._stopped.set()
        self._queue.put(None)
        if self._current:
            self._leave(self._current[0])
        if self._thread:
            self._thread.join(10)

    def _expire(self) -> None:
        """Remove expired jobs from time to time, until the runner stops."""
        while not self._stopped.wait(_EXPIRY):
            try:
                self._jobs.expire()
            except TruthHypoError as error:
                _log.warning("expired jobs are not removed: %s", error.seen)

    def _leave(self, id: str) -> None:
        current, judging = self._current, self._judging
        if current and current[0] == id:
            current[1].stop()
            if judging:
                judging.cancel()

    def _run(self) -> None:
        while not self._stopped.is_set() and (job := self._queue.get()) is not None:
            try:
                self._judge(job)
            except UnknownJob:  # the job was removed meanwhile, so remove what the run has written since
                self._jobs.remove(job)
            except TruthHypoError as error:
                self._fail(job, {"seen": error.seen, "wanted": error.wanted, "remedy": error.remedy})
            except Exception:  # noqa: BLE001 - a bug ends one job, not all
                _log.exception("job %s failed", job)
                remedy = "report it with the service's log"
                self._fail(job, {"seen": "an internal error", "wanted": "no internal error", "remedy": remedy})

    def _fail(self, id: str, error: dict[str, str]) -> None:
        if self._stopped.is_set():
            return  # the job continues when a runner starts again
        try:
            self._jobs.finish(id, "failed", error)
        except TruthHypoError as untold:
            _log.warning("job %s failed: %s; and %s", id, error["seen"], untold.seen)

    def _judge(self, id: str) -> None:
        """Run a job to its end. If another release is opened meanwhile, start again from the first text."""
        job = self._jobs.get(id)
        if job.state not in OPEN:
            return
        options, items = self._jobs.asked(id)
        said = [Said(number, text_of(item)) for number, item in enumerate(items, 1)]
        rows = {text_of(item): item for item in items if not isinstance(item, str)}
        while self._is_wanted(id):
            batch = self._batch(id, job.kind, options)
            pool = WorkerPool()
            counted = _CountingProgress(self._jobs, id, len(said))
            self._current, self._counted = (id, pool), (id, counted)
            try:
                if not self._is_wanted(id):  # it was cancelled while the stores were closed
                    return
                self._jobs.begin(id, batch.made)
                batch.run(said, self._check(id, job.kind, options, rows), pool, counted)
            except _ReleaseChanged:
                continue
            finally:
                self._current = self._counted = None
            if not self._stopped.is_set():
                self._jobs.finish(id, "done")

    def _is_wanted(self, id: str) -> bool:
        """Return whether a job is still open, and the runner was not stopped."""
        return not self._stopped.is_set() and self._jobs.get(id).state in OPEN

    def _batch(self, id: str, kind: str, options: dict[str, Any]) -> Batch:
        """Return the `Batch` that writes the results of a job, with all inputs on which the results depend."""

        def made(world: World) -> Batch:
            held = world.settings
            judge = options.get("judge") or held.judge
            return Batch(
                self._jobs.results(id),
                {"kind": kind, **options, "judge": judge, "syst": held.syst, "rand": held.rand},
                program=provenance.program(),
                model=held.model,
                prompts=provenance.prompts(),
                files=provenance.judging_files(held),
                graph=provenance.live_releases(world.graph_store),
                literature=world.literature_store.info().to_dict(),
            )

        found: Batch = self._retry_until_open(lambda: self._engine.look(made))
        return found

    def _check(self, id: str, kind: str, options: dict[str, Any], rows: Mapping[str, Row]) -> Any:
        """Return a function that judges a text and raises an error if the release has changed since earlier texts.

        For the kind `cite`, `rows` has the row of each text. An answer that was made during a load may mix two
        releases. It is not kept: the text is judged again after the load.
        """
        name, asked = _KINDS[kind]
        release: list[Any] = []

        def check(text: str) -> dict[str, Any]:
            row = rows.get(text, {"text": text})
            if "error" in row:
                return row
            request = _request(asked, row, options)
            self._await_loads(id)
            while (answer := self._retry_until_open(lambda: self._engine.work(name, request))).get("loading"):
                self._await_loads(id)
            if release and release[0] != answer["release"]:
                raise _ReleaseChanged("the stores hold another release than when the job began")
            release[:] = [answer["release"]]
            return {"text": text, **answer}

        return check

    def _await_loads(self, id: str) -> None:
        """Wait until every load of the stores is finished."""

        def loads(world: World) -> tuple[str, ...]:
            return unfinished_loads(world.graph_store, world.literature_store)

        while self._retry_until_open(lambda: self._engine.look(loads)):
            if self._stopped.wait(_PAUSE) or self._jobs.get(id).state not in OPEN:
                raise CancelledError

    def _retry_until_open(self, work: Any) -> Any:
        """Return the result of the coroutine that `work` makes. Try again while the stores are closed for a load."""
        while True:
            try:
                return self._result(work())
            except ProblemRaised as raised:
                if raised.problem.title != StoreBusy.__name__ or self._stopped.wait(_PAUSE):
                    raise error_of(raised.problem) from raised
            except StoreBusy:  # raised by `Engine.look`
                if self._stopped.wait(_PAUSE):
                    raise

    def _result(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        self._judging = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return self._judging.result()
        finally:
            self._judging = None


def _request(asked: type[Request], row: Mapping[str, Any], options: Mapping[str, Any]) -> Request:
    """Return the request that judges one text or row of a job."""
    try:
        return asked.model_validate({name: row[name] for name in row if name in asked.model_fields} | dict(options))
    except ValidationError as error:  # the options were valid when the job was added
        first = error.errors()[0]
        raise UnfitText(fault_place(first), fault_message(first), "correct the row") from None


def error_of(problem: Problem) -> Exception:
    """Convert the problem that a judging process returned into an exception that `judging_outcome.fault` knows."""
    parts = problem.seen, problem.wanted, problem.remedy
    if problem.title in ("UnfitText", "TooLarge", "TooManyClaims"):
        return UnfitText(*parts)
    if problem.title in ("ModelFaltered", "ModelTooSlow"):
        return ModelFaltered(*parts)
    return RuntimeError(problem.seen) if problem.status == 500 else TruthHypoError(*parts)
