"""Ask several questions concurrently and return the answers in the order of the questions."""

from collections.abc import Sequence

from groundwork.errors import ReplyError
from groundwork.ports.model import Accounting, Answer, LanguageModel, Question
from groundwork.ports.progress import Progress, Silent, watched

#: Stage and unit that a progress display shows for questions.
ASKING = ("asking", "questions")


def answers(model: LanguageModel, questions: Sequence[Question], progress: Progress | None = None) -> list[Answer]:
    """Return the answers of any model: concurrently if it is an `Accounting` model, else one after the other.

    Args:
        model: The model.
        questions: The questions.
        progress: Notified of each answer; None for no notification.

    Raises:
        ModelUnreachable, ModelTooSlow: If the model is unreachable or too slow; see `LanguageModel.ask`.
    """
    seen = progress or Silent()
    if isinstance(model, Accounting):
        return model.ask_all(questions, seen)
    return [answer(model, question) for question in watched(questions, seen, *ASKING)]


def answer(model: LanguageModel, question: Question) -> Answer:
    """Return one answer, or the `ReplyError` if there is no usable answer.

    Other errors of `LanguageModel.ask` are raised.
    """
    try:
        return model.ask(question.system, question.prompt, question.shape, version=question.version)
    except ReplyError as error:
        return error
