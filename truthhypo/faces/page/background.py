"""The pages of work in the background: jobs and watched statements, with their progress as server-sent events."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, replace
from itertools import islice
from threading import Event, Lock, Thread
from time import monotonic, sleep
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.requests import Request

from groundwork.errors import StoreBusy, TruthHypoError
from groundwork.ports import Silent
from truthhypo.faces.jobs import OPEN, error_of, result_lines, unit_of
from truthhypo.faces.page.rendering import redirect, render
from truthhypo.faces.rest.serving import Served, in_thread
from truthhypo.service.engine import Engine
from truthhypo.service.problems import Problem, ProblemRaised
from truthhypo.service.requests import RejudgeRequest, check_text
from truthhypo.service.watching import Rejudgement, Statement, WatchList, reported, rerun, state_of

#: Seconds between two reports on progress, and number of reports in one answer. After an answer, browsers ask again by
#: themselves. Answers are short, because the service waits for the end of each answer before it stops.
_PULSE, _REPORTS = 0.5, 20


def progress_report(state: str, done: int, total: int, rate: float | None) -> dict[str, Any]:
    """Return the progress of some work, with rate per second and seconds left. Both are null if unknown."""
    left = (total - done) / rate if rate else None
    return {"state": state, "done": done, "total": total, "rate": rate, "left": left}


def progress_events(report: Callable[[], dict[str, Any]]) -> StreamingResponse:
    """Return an answer with reports on progress. It ends when the work is over, or after `_REPORTS` reports.

    Args:
        report: Function that returns the progress (`progress_report`). It raises ProblemRaised if, for
            instance, the work was deleted.
    """
    headers = {"Cache-Control": "no-store"}
    return StreamingResponse(_events(report), media_type="text/event-stream", headers=headers)


async def _events(report: Callable[[], dict[str, Any]]) -> AsyncIterator[str]:
    yield "retry: 500\n\n"
    for _ in range(_REPORTS):
        try:
            told = await in_thread(report)
        except ProblemRaised:
            return
        yield f"data: {json.dumps(told)}\n\n"
        if told["state"] not in OPEN:
            return
        await asyncio.sleep(_PULSE)


#: Number of results on one page.
_ROWS = 50


def job_pages(served: Served) -> APIRouter:
    """Return the routes of jobs."""
    routes = APIRouter(prefix="/jobs", include_in_schema=False)

    @routes.get("/{id}")
    async def job(request: Request, id: str, after: Annotated[int, Query(ge=0)] = 0) -> HTMLResponse:
        found = await in_thread(served.jobs.get, id)
        lines = await in_thread(lambda: list(islice(result_lines(served.jobs, id, after), _ROWS + 1)))
        rows = [json.loads(line) for line in lines]
        shown: dict[str, Any] = {
            "job": found,
            "unit": unit_of(found.kind),
            "open": found.state in OPEN,
            "rows": rows[:_ROWS],
            "after": after,
            "step": _ROWS,
        }
        return render(request, "job.html", told=_job_progress(served, id), more=len(rows) > _ROWS, **shown)

    @routes.get("/{id}/events")
    async def events(id: str) -> StreamingResponse:
        await in_thread(served.jobs.get, id)
        return progress_events(lambda: _job_progress(served, id))

    @routes.get("/{id}/results.jsonl")
    async def results(id: str) -> Response:
        await in_thread(served.jobs.get, id)
        named = {"Content-Disposition": f'attachment; filename="truthhypo-{id[:8]}.jsonl"'}
        return StreamingResponse(result_lines(served.jobs, id), 200, named, "application/x-ndjson")

    @routes.post("/{id}/cancel")
    async def cancel(request: Request, id: str) -> Response:
        await in_thread(served.runner.cancel, id)
        return redirect(request, f"/jobs/{id}")

    @routes.post("/{id}/delete")
    async def delete(request: Request, id: str) -> Response:
        await in_thread(served.runner.remove, id)
        return redirect(request, "/")

    return routes


def _job_progress(served: Served, id: str) -> dict[str, Any]:
    """Return the progress of a job, counted in texts: how many are done, and how many there are."""
    job = served.jobs.get(id)
    return progress_report(job.state, job.done, job.total, served.runner.rate(id))


_log = logging.getLogger("truthhypo.watch")
#: Seconds between two tries while the stores are closed for a load.
_PAUSE = 0.5


class _RunCancelled(TruthHypoError):
    """Raised in a run over the watched statements, if that run was cancelled."""


@dataclass(frozen=True, slots=True)
class WatchRun:
    """The progress of a run over the watched statements.

    Attributes:
        phase: `idle` before the first run, `running`, or how the run ended: `done`, `cancelled` or `failed`.
        done: Number of statements looked at so far.
        total: Number of watched statements.
        rate: Statements per second; None before the first statement was looked at.
        problem: Why the run failed; None if it did not fail.
    """

    phase: Literal["idle", "running", "done", "cancelled", "failed"] = "idle"
    done: int = 0
    total: int = 0
    rate: float | None = None
    problem: Problem | None = None

    @property
    def running(self) -> bool:
        """Whether a run is in progress."""
        return self.phase == "running"


class _CountingProgress(Silent):
    """A progress listener that tells a runner the progress of its run."""

    def __init__(self, runner: "WatchRunner") -> None:
        self._runner, self._done, self._total = runner, 0, 0
        self._began = monotonic()

    def begin(self, stage: str, total: int | None, unit: str) -> None:  # noqa: ARG002 - only statements are counted
        """Record the number of statements."""
        self._total = total or 0
        self.advance(0)

    def advance(self, amount: int) -> None:
        """Record that more statements were looked at."""
        self._done += amount
        rate = self._done / max(monotonic() - self._began, 1e-9) if self._done else None
        self._runner.state = WatchRun("running", self._done, self._total, rate)


class WatchRunner:
    """Runner that judges the watched statements again, one run at a time.

    A process of the engine judges each statement. If the service stops during a run, the next run continues that run,
    because each judgement is kept at once.

    Args:
        watchlist: The statements.
        engine: The engine that judges the statements.

    Attributes:
        state: The progress of the current run, or of the last run if none is in progress.
    """

    def __init__(self, watchlist: WatchList, engine: Engine) -> None:
        self._watchlist, self._engine = watchlist, engine
        self._starting, self._cancelled = Lock(), Event()
        self._asked: Future[Any] | None = None
        self.state = WatchRun()

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start a run, unless one is running. `loop` is the event loop of the engine."""
        with self._starting:
            if self.state.running:
                return
            self.state = WatchRun("running")
            self._cancelled.clear()
        Thread(target=self._run, args=(loop,), name="watch", daemon=True).start()

    def cancel(self) -> None:
        """End the run. Judgements so far are kept, and the next run continues after them."""
        self._cancelled.set()
        if asked := self._asked:
            asked.cancel()

    def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        def rejudge(statement: Statement) -> Rejudgement:
            asked = RejudgeRequest(statement=statement)
            found = self._awaited(loop, lambda: self._engine.work("rejudge_statement", asked))
            return Rejudgement(found["state"], found["digest"], found["judgement"])

        try:
            with self._watchlist.running():
                state = self._awaited(loop, lambda: self._engine.look(state_of))
                rerun(self._watchlist, state, rejudge, _CountingProgress(self))
            self.state = replace(self.state, phase="done")
        except _RunCancelled:
            self.state = replace(self.state, phase="cancelled")
        except TruthHypoError as error:
            self.state = replace(self.state, phase="failed", problem=Problem.of(error))
        except Exception as error:  # noqa: BLE001 - a bug ends the run, and the page says so
            _log.exception("the watched statements could not be judged")
            self.state = replace(self.state, phase="failed", problem=Problem.fault(error))

    def _awaited(self, loop: asyncio.AbstractEventLoop, work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        """Run a coroutine in the event loop of the engine, and return its result.

        While the stores are closed for a load, `work` is called again for a new coroutine.
        """
        while loop.is_running() and not self._cancelled.is_set():
            self._asked = asyncio.run_coroutine_threadsafe(work(), loop)
            if self._cancelled.is_set():  # `cancel` may have been called before this future existed
                self._asked.cancel()
            try:
                return self._asked.result()
            except ProblemRaised as raised:
                if raised.problem.title != StoreBusy.__name__:
                    raise error_of(raised.problem) from raised
            except StoreBusy:  # raised by `Engine.look`
                pass
            except CancelledError:
                break
            sleep(_PAUSE)
        if self._cancelled.is_set():
            raise _RunCancelled("the run was cancelled", "a run to its end", "start the run again")
        raise StoreBusy(
            "the run was ended, because the service closed its stores", "open stores", "start the run again"
        )


def watch_pages(served: Served) -> APIRouter:
    """Return the routes of the watched statements."""
    routes = APIRouter(prefix="/watch", include_in_schema=False)
    watchlist = WatchList(served.engine.settings)
    runner = WatchRunner(watchlist, served.engine)

    def progress() -> dict[str, Any]:
        run = runner.state
        return progress_report(run.phase, run.done, run.total, run.rate)

    def back(request: Request) -> RedirectResponse:
        return redirect(request, "/watch")

    @routes.get("")
    async def statements(request: Request) -> HTMLResponse:
        report = await in_thread(reported, watchlist)
        return render(request, "watch.html", report=report, run=runner.state, told=progress())

    @routes.get("/events")
    async def events() -> StreamingResponse:
        return progress_events(progress)

    @routes.post("/add")
    async def add(request: Request, text: Annotated[str, Form()] = "") -> RedirectResponse:
        await in_thread(check_text, text, served.engine.settings)
        await in_thread(watchlist.add, text)
        return back(request)

    @routes.post("/remove")
    async def remove(request: Request, id: Annotated[str, Form()] = "") -> RedirectResponse:
        await in_thread(watchlist.remove, id)
        return back(request)

    @routes.post("/run")
    async def run(request: Request) -> RedirectResponse:
        runner.start(asyncio.get_running_loop())
        return back(request)

    @routes.post("/cancel")
    async def cancel(request: Request) -> RedirectResponse:
        runner.cancel()
        return back(request)

    @routes.post("/seen")
    async def seen(request: Request) -> RedirectResponse:
        await in_thread(lambda: watchlist.settle(each.id for each in watchlist.all()))
        return back(request)

    return routes
