"""Run jobs one after the other, and the texts of a job one at a time, with the same code as the option `--file`."""

import asyncio
import logging
from collections.abc import Coroutine, Mapping
from concurrent.futures import CancelledError, Future
from queue import SimpleQueue
from threading import Event, Thread
from time import monotonic
from typing import Any

from pydantic import ValidationError

from groundwork.errors import (
    ModelFaltered,
    StoreBusy,
    TruthHypoError,
    UnfitText,
    UnknownJob,
    fault_message,
    fault_place,
)
from groundwork.ports import Silent
from truthhypo import provenance
from truthhypo.faces.batch import Batch
from truthhypo.faces.jobs.store import OPEN, JobStore, Row, text_of
from truthhypo.faces.texts import Said
from truthhypo.lookups import unfinished_loads
from truthhypo.service.engine import Engine
from truthhypo.service.problems import Problem, ProblemRaised
from truthhypo.service.requests import CiteRequest, GroundRequest, JudgeRequest, Request, RiskRequest
from truthhypo.worker_pool import WorkerPool
from truthhypo.world import World

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
        """Wait until every load of the stores is finished.

        Raises:
            CancelledError: The job is over, or the runner stops.
        """

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
    """Return the request that judges one text or row of a job.

    Raises:
        UnfitText: The row does not fit a request, for instance because it cites too many articles.
    """
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
