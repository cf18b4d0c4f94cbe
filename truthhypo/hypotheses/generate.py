"""Candidates from a language model: the question, the context as evidence, a typed answer."""

from enum import StrEnum
from importlib.resources import files

from pydantic import BaseModel, ConfigDict, Field, create_model

from groundwork.errors import ReplyError
from groundwork.ports import LanguageModel
from truthhypo.hypotheses.context import Context
from truthhypo.hypotheses.hypothesis import Candidate
from truthhypo.hypotheses.tasks import Task
from truthhypo.hypotheses.tasks import question as asked_in_words


def generate(task: Task, context: Context, model: LanguageModel, n: int) -> tuple[Candidate, ...]:
    """Ask for n answers: the first greedily (temperature 0), the others sampled, each with its own seed.

    A reply that does not fit after one repair becomes a candidate without a relation that says why; it is never
    guessed at.

    Raises:
        ModelUnreachable: The model is not there.
    """
    system = files("truthhypo.hypotheses").joinpath("prompts/hypothesize.txt").read_text("utf-8").partition("\n")[2]
    prompt, shape = question(task, context), answer_shape(task)
    return tuple(_candidate(model, system, prompt, shape, seed) for seed in range(n))


def question(task: Task, context: Context) -> str:
    """The question in the published benchmark's words, after the context if there is one."""
    asked = asked_in_words(task.head, task.tail, context.head, context.tail)
    return f"<context>\n{_fenced(context.text)}\n</context>\n\n{asked}" if context.text else asked


def answer_shape(task: Task) -> type[BaseModel]:
    """The shape of an answer: a rationale, then one of the task's labels."""
    labels = StrEnum("Label", {label: label for label in task.labels})  # type: ignore[misc]
    return create_model(
        "Answer",
        __config__=ConfigDict(extra="forbid"),
        rationale=(str, Field(min_length=1)),
        relation=(labels, ...),
    )


def _candidate(model: LanguageModel, system: str, prompt: str, shape: type[BaseModel], seed: int) -> Candidate:
    try:
        reply = model.ask(system, prompt, shape, temperature=0.0 if seed == 0 else 0.7, seed=seed).model_dump()
    except ReplyError as error:
        return Candidate(None, error.seen)
    return Candidate(str(reply["relation"]), reply["rationale"])


def _fenced(text: str) -> str:
    """Evidence cannot close the fence it stands in."""
    return text.replace("</context>", "< /context>").replace("<context>", "< context>")
