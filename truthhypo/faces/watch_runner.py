"""Judge the watched statements again in the background of a service."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, replace
from threading import Event, Lock, Thread
from time import monotonic, sleep
from typing import Any, Literal

from groundwork.errors import StoreBusy, TruthHypoError
from groundwork.ports import Silent
from truthhypo.faces.jobs.job_runner import error_of
from truthhypo.service.engine import Engine
from truthhypo.service.problems import Problem, ProblemRaised
from truthhypo.service.rejudging import Rejudgement, state_of
from truthhypo.service.requests import RejudgeRequest
from truthhypo.service.watching import rerun
from truthhypo.service.watchlist import Statement, WatchList

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

        Raises:
            _RunCancelled: The run was cancelled.
            StoreBusy: The service stops before there is a result.
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
