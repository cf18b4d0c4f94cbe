"""Several texts at a time where a remote model is what is waited for; results in the order of the texts.

Everything but the waiting takes turns: the rooms need not be safe to use from several threads, and Python would not
run them side by side anyhow.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import closing, contextmanager
from queue import SimpleQueue
from threading import Event, Lock, Thread
from typing import TypeVar

from groundwork.errors import BudgetSpent, ModelFaltered, ModelTooSlow
from groundwork.llm.several import answers
from groundwork.ports import Accounting, Answer, LanguageModel, Progress, Question, Shape
from truthhypo.world import World

Item = TypeVar("Item")
Result = TypeVar("Result")

#: Items in a row on which the model failed altogether, after which it is gone.
PATIENCE = 3
#: Texts begun ahead of the one whose result is next, for each worker; so that a slow one does not hold up the others.
_AHEAD = 4
#: Workers for each question that may be asked at a time: while some prepare theirs, the others' are under way.
_SHIFTS = 2


class Yielding:
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

    def account(self) -> "Yielding":
        """The same with an account of its own."""
        return Yielding(self._model.account() if isinstance(self._model, Accounting) else self._model, self._turn)

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


class Crew:
    """Workers over many items.

    Args:
        workers: How many; one works in the caller's own thread.
        turn: Held by a worker while it works.
    """

    def __init__(self, workers: int = 1, turn: "Lock | None" = None) -> None:
        self.workers = workers
        self._turn = Lock() if turn is None else turn
        self._stopped = Event()

    def run(
        self, work: Callable[[Item], Result], items: Sequence[Item]
    ) -> Generator[tuple[Item, "Future[Result]"], None, None]:
        """Each item with what the work on it came to, in their order.

        After `stop` no further item is begun: what was begun still comes, finished or cancelled. Whoever may leave
        before the end closes this (`contextlib.closing`): from then on no worker is at the rooms, nor comes there any
        more, so that their owner may close them.
        """
        jobs: SimpleQueue[tuple[Item, Future[Result]] | None] = SimpleQueue()
        waiting: deque[tuple[Item, Future[Result]]] = deque()
        workers = min(self.workers, len(items))
        for _ in range(workers if workers > 1 else 0):
            Thread(target=self._labour, args=(work, jobs), name="crew", daemon=True).start()
        pending = iter(items)
        left = True
        try:
            while True:
                while len(waiting) < (_AHEAD * workers if workers > 1 else 1) and not self._stopped.is_set():
                    try:
                        job = next(pending), Future[Result]()
                    except StopIteration:
                        break
                    waiting.append(job)
                    if workers > 1:
                        jobs.put(job)
                    else:
                        self._do(work, job)
                if not waiting:
                    left = False
                    return
                yield waiting.popleft()
        finally:
            if left:  # nobody wants the rest
                self._stopped.set()
            for _ in range(workers):
                jobs.put(None)
            if left and workers > 1:
                self._turn.acquire()  # and kept: who comes back from the model finds no way in

    def patiently(
        self,
        work: Callable[[Item], Result],
        items: Sequence[Item],
        lost: Callable[[Item, ModelFaltered | ModelTooSlow], Result],
    ) -> Generator[Result, None, None]:
        """The results of the items, in their order; a spent budget stops the crew, and what was not done is left out.

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

    def _labour(self, work: Callable[[Item], Result], jobs: "SimpleQueue[tuple[Item, Future[Result]] | None]") -> None:
        while (job := jobs.get()) is not None:
            if self._stopped.is_set():
                job[1].cancel()
                continue
            self._do(work, job)

    def _do(self, work: Callable[[Item], Result], job: tuple[Item, "Future[Result]"]) -> None:
        try:
            with self._turn:
                result = work(job[0])
            job[1].set_result(result)
        except BaseException as error:  # noqa: BLE001 - raised again by result(), where the results are taken
            job[1].set_exception(error)


def workers_for(model: LanguageModel | None) -> int:
    """How many workers keep a model busy: more than may ask at a time, which the model itself sees to."""
    places = model.concurrency if isinstance(model, Accounting) else 1
    return _SHIFTS * places if places > 1 else 1


def hire(world: World) -> tuple[Crew, World]:
    """A crew that keeps the world's model busy, and the world as its work must use it."""
    model, workers = world.model, workers_for(world.model)
    if model is None or workers == 1:
        return Crew(), world
    turn = Lock()
    return Crew(workers, turn), world.with_model(Yielding(model, turn))
