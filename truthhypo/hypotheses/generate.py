"""Generate candidate answers with a language model. The prompt consists of the context and the question."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, Field, create_model

from groundwork.errors import ReplyError
from groundwork.ports import LanguageModel
from truthhypo.hypotheses.context import Context
from truthhypo.hypotheses.hypothesis import Candidate
from truthhypo.hypotheses.tasks import Task
from truthhypo.hypotheses.tasks import question as asked_in_words

Item = TypeVar("Item")
Result = TypeVar("Result")


class Each(Protocol):
    """A function that applies another function (`work`) to several items."""

    def __call__(self, work: Callable[[Item], Result], items: Sequence[Item], /) -> list[Result]:
        """Call `work` with each item, and return the results in the order of the items."""


def one_by_one(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """Call `work` with one item after the other, and return the results."""
    return [work(item) for item in items]


def generate(
    task: Task, context: Context, model: LanguageModel, n: int, each: Each = one_by_one
) -> tuple[Candidate, ...]:
    """Ask for n answers. The first is greedy (temperature 0); the others are sampled, each with its own seed.

    If the model cannot repair an invalid answer, the candidate for this answer has no relation, and the candidate's
    rationale gives the reason.

    Raises:
        ModelUnreachable: The model cannot be reached.
    """
    prompt = question(task, context)
    return tuple(each(lambda seed: _candidate(task, prompt, model, seed), range(n)))


def question(task: Task, context: Context) -> str:
    """Return the prompt: the context, if there is one, and the question in the words of the published benchmark."""
    return framed(asked_in_words(task.head, task.tail, context.head, context.tail), context.text)


def framed(asked: str, knowledge: str) -> str:
    """Return the prompt: the knowledge, if there is any, and then the question."""
    return f"<context>\n{_fenced(knowledge)}\n</context>\n\n{asked}" if knowledge else asked


def instructions() -> tuple[str, str]:
    """Return the system prompt and the version of the prompt file."""
    header, _, text = (
        files("truthhypo.hypotheses").joinpath("prompts/hypothesize.txt").read_text("utf-8").partition("\n")
    )
    return text, header.removeprefix("version:").strip()


def ask(task: Task, prompt: str, model: LanguageModel, *, temperature: float, seed: int) -> tuple[str, str]:
    """Ask for one answer and return its label and its rationale.

    Raises:
        ReplyError: The model gave no usable answer.
        ModelUnreachable: The model cannot be reached.
    """
    text, version = instructions()
    shape = answer_shape(task)
    reply = model.ask(text, prompt, shape, temperature=temperature, seed=seed, version=version).model_dump()
    return str(reply["relation"]), reply["rationale"]


def answer_shape(task: Task) -> type[BaseModel]:
    """Return the schema of an answer: a rationale, and then one of the task's labels."""
    return _shape(task.labels)


@cache
def _shape(choices: tuple[str, ...]) -> type[BaseModel]:
    """Return the schema of an answer with these labels. Schemas are cached, because making one takes a millisecond."""
    labels = StrEnum("Label", {label: label for label in choices})  # type: ignore[misc]
    return create_model(
        "Answer",
        __config__=ConfigDict(extra="forbid"),
        rationale=(str, Field(min_length=1)),
        relation=(labels, ...),
    )


def _candidate(task: Task, prompt: str, model: LanguageModel, seed: int) -> Candidate:
    try:
        return Candidate(*ask(task, prompt, model, temperature=0.0 if seed == 0 else 0.7, seed=seed))
    except ReplyError as error:
        return Candidate(None, error.seen)


def _fenced(text: str) -> str:
    """Change <context> tags in a text, so that the text cannot end the section around it."""
    return text.replace("</context>", "< /context>").replace("<context>", "< context>")
