"""Ask several questions concurrently and return the answers in the order of the questions."""

from collections.abc import Callable, Sequence
from threading import Event, Lock, Thread
from typing import TypeVar

from groundwork.errors import ReplyError
from groundwork.ports.model import Accounting, Answer, LanguageModel, Question
from groundwork.ports.progress import Progress, Silent, watched

#: Stage and unit that a progress display shows for questions.
ASKING = ("asking", "questions")

Item = TypeVar("Item")
Result = TypeVar("Result")


def answers(model: LanguageModel, questions: Sequence[Question], progress: Progress | None = None) -> list[Answer]:
    """Return the answers of any model: concurrently if it is an `Accounting` model, else one after the other.

    Args:
        model: The model.
        questions: The questions.
        progress: Notified of each answer; None for no notification.

    Raises:
        ModelUnreachable, ModelTooSlow: If the model is unreachable; see `LanguageModel.ask`.
    """
    seen = progress or Silent()
    if isinstance(model, Accounting):
        return model.ask_all(questions, seen)
    return [answer(model, question) for question in watched(questions, seen, *ASKING)]


def answer(model: LanguageModel, question: Question) -> Answer:
    """Return one answer, or the error if there is none; see `LanguageModel.ask` for the errors that are raised."""
    try:
        return model.ask(question.system, question.prompt, question.shape, version=question.version)
    except ReplyError as error:
        return error


def each(work: Callable[[Item], Result], items: Sequence[Item], workers: int) -> list[Result]:
    """Return the results of the work on each item, in order; the calling thread is one of the workers.

    Items are started in their order. After an error no further item is started, and those in progress are finished.

    Args:
        work: Function to call with each item; it must be safe for several threads.
        items: The items.
        workers: Maximum number of threads, >= 1.

    Raises:
        Exception: The exception of the first item, in order, that failed.
    """
    results: dict[int, Result] = {}
    errors: dict[int, Exception] = {}
    left, taking, stopped = iter(enumerate(items)), Lock(), Event()

    def labour() -> None:
        while not stopped.is_set():
            with taking:
                number, item = next(left, (None, None))
            if number is None:
                return
            try:
                results[number] = work(item)  # type: ignore[arg-type]  # item is None only at the end of the items
            except Exception as error:  # noqa: BLE001 - raised again below, in the caller's thread
                errors[number] = error
                stopped.set()

    helpers = [Thread(target=labour, name="asking", daemon=True) for _ in range(min(workers, len(items)) - 1)]
    for helper in helpers:
        helper.start()
    try:
        labour()
        for helper in helpers:
            helper.join()
    finally:
        stopped.set()  # if interrupted, the caller leaves at once; the other threads finish their current item
    if errors:
        raise errors[min(errors)]
    return [results[number] for number in range(len(items))]
