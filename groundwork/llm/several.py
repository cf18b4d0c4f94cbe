"""Several questions of one caller, as many at a time as the model bears; answers in the order of the questions."""

from collections.abc import Sequence

from groundwork.errors import ReplyError
from groundwork.ports.model import Accounting, Answer, LanguageModel, Question
from groundwork.ports.progress import Progress, Silent, watched

#: What progress is told of questions: the stage and its unit.
ASKING = ("asking", "questions")


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
