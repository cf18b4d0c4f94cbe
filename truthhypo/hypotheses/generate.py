"""Candidates from a language model: the question, the context as evidence, a typed answer."""

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
    """A way to do the same work on several items."""

    def __call__(self, work: Callable[[Item], Result], items: Sequence[Item], /) -> list[Result]:
        """What the work on each came to, in their order."""


def one_by_one(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """One after the other."""
    return [work(item) for item in items]


def generate(
    task: Task, context: Context, model: LanguageModel, n: int, each: Each = one_by_one
) -> tuple[Candidate, ...]:
    """Ask for n answers: the first greedily (temperature 0), the others sampled, each with its own seed.

    A reply that does not fit after one repair becomes a candidate without a relation that says why; it is never
    guessed at.

    Raises:
        ModelUnreachable: The model is not there.
    """
    prompt = question(task, context)
    return tuple(each(lambda seed: _candidate(task, prompt, model, seed), range(n)))


def question(task: Task, context: Context) -> str:
    """The question in the published benchmark's words, after the context if there is one."""
    return framed(asked_in_words(task.head, task.tail, context.head, context.tail), context.text)


def framed(asked: str, knowledge: str) -> str:
    """A question after the knowledge it may be answered from, if there is any."""
    return f"<context>\n{_fenced(knowledge)}\n</context>\n\n{asked}" if knowledge else asked


def instructions() -> tuple[str, str]:
    """What the model is told first, and the version that its file gives it."""
    header, _, text = (
        files("truthhypo.hypotheses").joinpath("prompts/hypothesize.txt").read_text("utf-8").partition("\n")
    )
    return text, header.removeprefix("version:").strip()


def ask(task: Task, prompt: str, model: LanguageModel, *, temperature: float, seed: int) -> tuple[str, str]:
    """One answer: its label and its rationale.

    Raises:
        ReplyError: No usable answer to this question.
        ModelUnreachable: The model is not there.
    """
    text, version = instructions()
    shape = answer_shape(task)
    reply = model.ask(text, prompt, shape, temperature=temperature, seed=seed, version=version).model_dump()
    return str(reply["relation"]), reply["rationale"]


def answer_shape(task: Task) -> type[BaseModel]:
    """The shape of an answer: a rationale, then one of the task's labels."""
    return _shape(task.labels)


@cache
def _shape(choices: tuple[str, ...]) -> type[BaseModel]:
    """Made once: pydantic takes a millisecond to make a class."""
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
    """Evidence cannot close the fence it stands in."""
    return text.replace("</context>", "< /context>").replace("<context>", "< context>")
