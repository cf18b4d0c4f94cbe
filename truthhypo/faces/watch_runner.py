"""Judge the watched statements again in the background of a service."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError
from dataclasses import dataclass
from threading import Lock, Thread
from time import sleep
from typing import Any

from groundwork.errors import StoreBusy, TruthHypoError
from groundwork.ports import Silent
from truthhypo.faces.jobs.runner import error_of
from truthhypo.service.engine import Engine
from truthhypo.service.problems import Problem, ProblemRaised
from truthhypo.service.rejudging import Rejudgement, state_of
from truthhypo.service.requests import RejudgeRequest
from truthhypo.service.watching import rerun
from truthhypo.service.watchlist import Statement, WatchList

_log = logging.getLogger("truthhypo.watch")
#: Seconds between two tries while the stores are closed for a load.
_PAUSE = 0.5


@dataclass(frozen=True, slots=True)
class WatchRun:
    """How far a run over the watched statements is.

    Attributes:
        running: Whether it is still running.
        done: Number of statements looked at.
        total: Number of statements.
        problem: Why it ended early; None unless it did.
    """

    running: bool = False
    done: int = 0
    total: int = 0
    problem: Problem | None = None


class _Counted(Silent):
    """A progress listener that tells a runner how far it is."""

    def __init__(self, runner: "WatchRunner") -> None:
        self._runner, self._done, self._total = runner, 0, 0

    def begin(self, stage: str, total: int | None, unit: str) -> None:  # noqa: ARG002 - only statements are counted
        """Note the number of statements."""
        self._total = total or 0
        self.advance(0)

    def advance(self, amount: int) -> None:
        """Note that more statements were looked at."""
        self._done += amount
        self._runner.state = WatchRun(True, self._done, self._total)


class WatchRunner:
    """Runs over the watched statements, one run at a time. A process of the engine judges each statement.

    A run that ends with the service is continued by the next run, since each judgement is kept at once.

    Args:
        watchlist: The statements.
        engine: Judges them.

    Attributes:
        state: How far the last run is.
    """

    def __init__(self, watchlist: WatchList, engine: Engine) -> None:
        self._watchlist, self._engine = watchlist, engine
        self._starting = Lock()
        self.state = WatchRun()

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start a run, unless one is running. `loop` is the event loop of the engine."""
        with self._starting:
            if self.state.running:
                return
            self.state = WatchRun(running=True)
        Thread(target=self._run, args=(loop,), name="watch", daemon=True).start()

    def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        def rejudge(statement: Statement) -> Rejudgement:
            asked = RejudgeRequest(statement=statement)
            found = _awaited(loop, lambda: self._engine.work("rejudge_statement", asked))
            return Rejudgement(found["state"], found["digest"], found["judgement"])

        try:
            with self._watchlist.running():
                state = _awaited(loop, lambda: self._engine.look(state_of))
                rerun(self._watchlist, state, rejudge, _Counted(self))
            self.state = WatchRun(done=self.state.done, total=self.state.total)
        except TruthHypoError as error:
            self.state = WatchRun(problem=Problem.of(error))
        except Exception as error:  # noqa: BLE001 - a bug ends the run, and the page says so
            _log.exception("the watched statements could not be judged")
            self.state = WatchRun(problem=Problem.fault(error))


def _awaited(loop: asyncio.AbstractEventLoop, work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """Return the result of a coroutine of the engine. Try again while the stores are closed for a load.

    Raises:
        StoreBusy: The service stops, or the stores were closed meanwhile.
    """
    while loop.is_running():
        try:
            return asyncio.run_coroutine_threadsafe(work(), loop).result()
        except ProblemRaised as raised:
            if raised.problem.title != StoreBusy.__name__:
                raise error_of(raised.problem) from raised
        except StoreBusy:  # raised by `Engine.look`
            pass
        except CancelledError:
            break
        sleep(_PAUSE)
    raise StoreBusy("the run was ended, because the service closed its stores", "open stores", "start the run again")
