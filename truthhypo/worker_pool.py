"""Several texts at a time where a remote model is what is waited for; results in the order of the texts.

Everything but the waiting takes turns: the rooms need not be safe to use from several threads, and Python would not
run them side by side anyhow.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import closing, contextmanager
from threading import Event, Lock
from typing import TypeVar

from groundwork.concurrency import results_in_order
from groundwork.errors import BudgetSpent, ModelFaltered, ModelTooSlow
from groundwork.llm.several import answers
from groundwork.ports import Accounting, Answer, LanguageModel, Progress, Question, Shape
from truthhypo.world import World

Item = TypeVar("Item")
Result = TypeVar("Result")

#: Items in a row on which the model failed altogether, after which it is gone.
PATIENCE = 3
#: Workers for each question that may be asked at a time: while some prepare theirs, the others' are under way.
_SHIFTS = 2


class YieldingModel:
    """A model whose caller lets others have their turn while it waits.

    Args:
        model: Who is asked.
        turn: Held by the caller, but for the time of a question.
    """

    def __init__(self, model: LanguageModel, turn: Lock) -> None:
        self.name = model.name
        self._model = model
        self._turn = turn

    @property
    def concurrency(self) -> int:
        """As the model itself."""
        return self._model.concurrency if isinstance(self._model, Accounting) else 1

    def account(self) -> "YieldingModel":
        """The same with an account of its own."""
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
        """Ask, and meanwhile let others work; see `LanguageModel.ask`."""
        with self._waiting():
            return self._model.ask(system, prompt, shape, temperature=temperature, seed=seed, version=version)

    def ask_all(self, questions: Sequence[Question], progress: Progress | None = None) -> list[Answer]:
        """Ask several at a time, and meanwhile let others work; see `Accounting.ask_all`."""
        with self._waiting():
            return answers(self._model, questions, progress)

    def usage(self) -> dict[str, float | None]:
        """As the model itself."""
        return self._model.usage()

    @contextmanager
    def _waiting(self) -> Iterator[None]:
        """The turn is another's."""
        self._turn.release()
        try:
            yield
        finally:
            self._turn.acquire()


class WorkerPool:
    """Threads that work on many items and take turns.

    Args:
        workers: How many; a single one works in the caller's own thread.
        turn: Held by a worker while it works.
    """

    def __init__(self, workers: int = 1, turn: "Lock | None" = None) -> None:
        self.workers = workers
        self._turn = Lock() if turn is None else turn
        self._stopped = Event()

    def run(
        self, work: Callable[[Item], Result], items: Sequence[Item]
    ) -> Generator[tuple[Item, "Future[Result]"], None, None]:
        """Yield each item with the future of the work on it, in the order of the items.

        After `stop` no further item is begun: what was begun still comes, finished or cancelled. A caller that may
        leave before the end closes the generator (`contextlib.closing`). From then on no worker uses the stores, so
        that their owner may close them.
        """

        def in_turn(item: Item) -> Result:
            with self._turn:
                return work(item)

        complete = False
        try:
            with closing(results_in_order(in_turn, items, self.workers, self._stopped)) as outcomes:
                yield from outcomes
            complete = True
        finally:
            if not complete and self.workers > 1:
                self._turn.acquire()  # and never released: a worker that comes back from the model must not go on

    def patiently(
        self,
        work: Callable[[Item], Result],
        items: Sequence[Item],
        lost: Callable[[Item, ModelFaltered | ModelTooSlow], Result],
    ) -> Generator[Result, None, None]:
        """The results of the items, in their order; a spent budget stops the pool, and what was not done is left out.

        Args:
            work: Done on each.
            items: Worked on.
            lost: What stands for an item on which the model failed altogether.

        Raises:
            ModelFaltered, ModelTooSlow: The model failed on `PATIENCE` items in a row.
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
        """Begin no further item."""
        self._stopped.set()


def workers_for(model: LanguageModel | None) -> int:
    """How many workers keep a model busy: more than may ask at a time, which the model itself sees to."""
    places = model.concurrency if isinstance(model, Accounting) else 1
    return _SHIFTS * places if places > 1 else 1


def pool_for(world: World) -> tuple[WorkerPool, World]:
    """Return a pool that keeps the world's model busy, and the world as the pool's work must use it."""
    model, workers = world.model, workers_for(world.model)
    if model is None or workers == 1:
        return WorkerPool(), world
    turn = Lock()
    return WorkerPool(workers, turn), world.with_model(YieldingModel(model, turn))
