"""Worker pools for a remote model, and asynchronous methods.

Workers wait for the model in parallel. All other work is done by one worker at a time, so the stores and readers need
not be thread-safe. Python would not run this work in parallel anyway. Results come in the order of the items.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator, Iterator, Sequence
from concurrent.futures import CancelledError, Future, wait
from contextlib import closing, contextmanager, suppress
from contextvars import ContextVar, copy_context
from functools import partial, update_wrapper
from threading import Event, Lock
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from groundwork.errors import BudgetSpent, ModelFaltered, ModelTooSlow
from groundwork.ports import Accounting, Answer, LanguageModel, Progress, Question, Shape
from groundwork.threads import results_in_order

if TYPE_CHECKING:
    from truthhypo.hypotheses.generate import Each


Owner = TypeVar("Owner")
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

#: Event that is set when the task of the asynchronous method is cancelled. A worker pool then starts no further item.
CANCELLED = ContextVar[Event | None]("CANCELLED", default=None)


def was_cancelled() -> bool:
    """Return whether this code runs for an asynchronous method whose task was cancelled."""
    cancelled = CANCELLED.get()
    return cancelled is not None and cancelled.is_set()


def asynchronous(
    method: Callable[Concatenate[Owner, Parameters], Result],
) -> Callable[[Callable[[Owner], None]], Callable[Concatenate[Owner, Parameters], Coroutine[Any, Any, Result]]]:
    """Return a decorator that replaces an empty function by an asynchronous method.

    The asynchronous method has the name and docstring of the function, and the arguments and result of `method`. If
    its task is cancelled, the asynchronous method waits until the thread has finished the current text, because the
    caller may close the stores next. Then it raises `CancelledError` and discards the result of the thread.
    """

    def decorate(named: Callable[[Owner], None]) -> Callable[..., Coroutine[Any, Any, Result]]:
        async def call(owner: Owner, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
            context, cancelled = copy_context(), Event()
            context.run(CANCELLED.set, cancelled)
            work = partial(context.run, method, owner, *args, **kwargs)
            running = asyncio.get_running_loop().run_in_executor(None, work)
            try:
                return await asyncio.shield(running)
            except asyncio.CancelledError:
                cancelled.set()
                while not running.done():
                    with suppress(asyncio.CancelledError):
                        await asyncio.wait([running])
                raise

        return update_wrapper(update_wrapper(call, named), method, ("__annotations__",), ())  # signature of `method`

    return decorate


Item = TypeVar("Item")

#: After this many consecutive items on which the model failed, the run ends with an error.
PATIENCE = 3
#: Number of workers per simultaneous call of the model. While some workers wait for their calls, the others prepare the
#: next calls.
_SHIFTS = 2


class YieldingModel:
    """A model that releases the lock of its caller while it waits for a reply.

    Args:
        model: The model to call.
        turn: Lock that the caller holds at all times except while it waits for the model.
    """

    def __init__(self, model: LanguageModel, turn: Lock) -> None:
        self.name = model.name
        self._model = model
        self._turn = turn

    @property
    def concurrency(self) -> int:
        """Number of calls that the model takes at the same time."""
        return self._model.concurrency if isinstance(self._model, Accounting) else 1

    def account(self) -> YieldingModel:
        """Return the same model with separate usage counts."""
        return YieldingModel(self._model.account() if isinstance(self._model, Accounting) else self._model, self._turn)

    def ask(
        self,
        system: str,
        prompt: str,
        shape: type[Shape],
        *,
        temperature: float = 0.0,
        seed: int = 0,
        version: str = "",
    ) -> Shape:
        """Call the model as `LanguageModel.ask` does, and let other workers run meanwhile."""
        with self._waiting():
            return self._model.ask(system, prompt, shape, temperature=temperature, seed=seed, version=version)

    def ask_all(self, questions: Sequence[Question], progress: Progress | None = None) -> list[Answer]:
        """Call the model as `Accounting.ask_all` does, and let other workers run meanwhile."""
        from groundwork.llm.model_client import answers

        with self._waiting():
            return answers(self._model, questions, progress)

    def usage(self) -> dict[str, float | None]:
        """Return the usage of the model."""
        return self._model.usage()

    @contextmanager
    def _waiting(self) -> Iterator[None]:
        """Release the lock for the duration of the context."""
        self._turn.release()
        try:
            yield
        finally:
            self._turn.acquire()


class WorkerPool:
    """Threads that work on many items. Only the thread that holds the lock works; the others wait.

    If an asynchronous method such as `World.aground_many` makes the pool, cancelling its task stops the pool.

    Args:
        workers: Number of workers. A single worker works in the caller's thread.
        turn: Lock that a worker holds while it works; by default a new lock.
    """

    def __init__(self, workers: int = 1, turn: Lock | None = None) -> None:
        self.workers = workers
        self._turn = Lock() if turn is None else turn
        self._stopped = CANCELLED.get() or Event()

    def run(
        self, work: Callable[[Item], Result], items: Sequence[Item]
    ) -> Generator[tuple[Item, Future[Result]], None, None]:
        """Yield each item with the future of its result, in the order of the items.

        After `stop`, no further item is started. Items that were already started are still yielded, finished or
        cancelled. A caller that may stop before the last item must close this generator (`contextlib.closing`). Then no
        worker uses the stores any more, and the owner of the stores can close them.
        """

        def in_turn(item: Item) -> Result:
            with self._turn:
                if self._stopped.is_set():  # the run was stopped while this item waited
                    raise CancelledError
                return work(item)

        complete = False
        try:
            with closing(results_in_order(in_turn, items, self.workers, self._stopped)) as outcomes:
                yield from outcomes
            complete = True
        finally:
            if not complete and self.workers > 1:
                self._turn.acquire()  # kept, so that a worker whose model call returns cannot continue

    def patiently(
        self,
        work: Callable[[Item], Result],
        items: Sequence[Item],
        lost: Callable[[Item, ModelFaltered | ModelTooSlow], Result],
    ) -> Generator[Result, None, None]:
        """Yield the results of the items, in order. A spent budget stops the pool, and unfinished items are left out.

        Args:
            work: Function applied to each item.
            items: The items.
            lost: Function that returns a substitute result for an item on which the model failed.

        Raises:
            ModelFaltered, ModelTooSlow: The model failed on `PATIENCE` consecutive items.
        """
        row = 0
        with closing(self.run(work, items)) as outcomes:
            for item, outcome in outcomes:
                try:
                    result, row = outcome.result(), 0
                except CancelledError:
                    continue
                except BudgetSpent:
                    self.stop()
                    continue
                except (ModelFaltered, ModelTooSlow) as error:
                    row += 1
                    if row == PATIENCE:
                        raise
                    result = lost(item, error)
                yield result

    def stop(self) -> None:
        """Start no further item."""
        self._stopped.set()


def workers_for(model: LanguageModel | None) -> int:
    """Return the number of workers for a model: `_SHIFTS` for each call that the model takes at the same time.

    A model that takes one call at a time has one worker.
    """
    places = model.concurrency if isinstance(model, Accounting) else 1
    return _SHIFTS * places if places > 1 else 1


def pool_for(model: LanguageModel | None) -> tuple[WorkerPool, LanguageModel | None]:
    """Return a pool for a model, and the model that the workers must use instead of this one."""
    workers = workers_for(model)
    if model is None or workers == 1:
        return WorkerPool(), model
    turn = Lock()
    return WorkerPool(workers, turn), YieldingModel(model, turn)


def together(model: LanguageModel | None) -> tuple[LanguageModel | None, Each]:
    """Return a model for parallel work, and a function that applies `work` to items and returns the results in order.

    This is for the items of one task, such as the candidate answers to a question. The function works on one item after
    the other if a worker pool is already running, if there is no model, or if the model takes one call at a time.
    """
    from truthhypo.hypotheses.generate import one_by_one

    if isinstance(model, YieldingModel) or workers_for(model) == 1:
        return model, one_by_one
    pool, shared = pool_for(model)

    def each(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        with closing(pool.run(work, items)) as begun:
            outcomes = [outcome for _, outcome in begun]
        wait(outcomes)  # also after an error, so that no worker uses a store after the owner closed the store
        return [outcome.result() for outcome in outcomes]

    return shared, each
