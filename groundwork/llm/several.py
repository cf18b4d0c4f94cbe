"""Several questions of one caller, as many at a time as the model bears; answers in the order of the questions."""

from collections.abc import Callable, Sequence
from threading import Event, Lock, Thread
from typing import TypeVar

from groundwork.errors import ReplyError
from groundwork.ports.model import Accounting, Answer, LanguageModel, Question
from groundwork.ports.progress import Progress, Silent, watched

#: What progress is told of questions: the stage and its unit.
ASKING = ("asking", "questions")

Item = TypeVar("Item")
Result = TypeVar("Result")


def answers(model: LanguageModel, questions: Sequence[Question], progress: Progress | None = None) -> list[Answer]:
    """The answers of any model: side by side where it keeps accounts, else one question after the other.

    Args:
        model: Who is asked.
        questions: What it is asked.
        progress: Told of each answer; None: nobody is.

    Raises:
        ModelUnreachable, ModelTooSlow: The model is gone; see `LanguageModel.ask`.
    """
    seen = progress or Silent()
    if isinstance(model, Accounting):
        return model.ask_all(questions, seen)
    return [answer(model, question) for question in watched(questions, seen, *ASKING)]


def answer(model: LanguageModel, question: Question) -> Answer:
    """One answer, or why there is none; see `LanguageModel.ask` for what else is raised."""
    try:
        return model.ask(question.system, question.prompt, question.shape, version=question.version)
    except ReplyError as error:
        return error


def each(work: Callable[[Item], Result], items: Sequence[Item], workers: int) -> list[Result]:
    """What the work on each item came to, in their order; the caller is one of the workers.

    Items are begun in their order. After an error none is begun any more, and what was begun is waited for.

    Args:
        work: Safe to do from several threads.
        items: What is worked on.
        workers: At a time, at most; >= 1.

    Raises:
        Exception: What the work on the first of the items that failed raised.
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
                results[number] = work(item)  # type: ignore[arg-type]  # only the end of the items has no item
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
        stopped.set()  # interrupted, the caller leaves at once; helpers end after what they are at
    if errors:
        raise errors[min(errors)]
    return [results[number] for number in range(len(items))]
