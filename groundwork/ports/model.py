"""The ports of models: chat models that answer in a given shape, and embedders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar, runtime_checkable

from groundwork.errors import ReplyError
from groundwork.ports.progress import Progress

if TYPE_CHECKING:
    import numpy as np
    from pydantic import BaseModel

#: The result of `LanguageModel.usage` if nothing was asked; also the usage of a judge that asks no language model.
NO_USAGE: Mapping[str, float | None] = MappingProxyType(
    dict.fromkeys(
        (
            "calls",
            "cached",
            "retries",
            "repairs",
            "failed",
            "unasked",
            "prompt_tokens",
            "completion_tokens",
            "cost",
            "seconds",
        ),
        0,
    )
)

Shape = TypeVar("Shape", bound="BaseModel")


@dataclass(frozen=True, slots=True)
class Question:
    """The arguments of one call of `LanguageModel.ask` with temperature 0."""

    system: str
    prompt: str
    shape: type[BaseModel]
    version: str = ""


#: The result of one of several questions: a value of the question's shape, or the error.
Answer: TypeAlias = "BaseModel | ReplyError"


@runtime_checkable
class LanguageModel(Protocol):
    """A chat model that answers in a given shape.

    Attributes:
        name: Name of the model in outputs and stored results, e.g. `openai:gpt-4o-mini`.
    """

    name: str

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
        """Return one answer as a typed value.

        The reply is strict JSON, read into `shape`. A reply that does not have the shape is sent back once with the
        reason (the repair round). A question that was asked before in the same words and with the same parameters may
        be answered from a cache.

        Args:
            system: The system message.
            prompt: The question, with its evidence.
            shape: The pydantic model that defines the shape of the answer.
            temperature: Sampling temperature; 0 gives the most likely answer.
            seed: Seed that makes answers repeatable, if the model supports it.
            version: Version of the prompt, if its file states one.

        Raises:
            ReplyError: If the reply does not have the shape after the repair round. The subclasses `CallFailed` and
                `BudgetSpent` mean that only this answer is missing; the run continues.
            ModelUnreachable: If the model is unreachable, refuses the call, or fails several calls in a row (then the
                error is the subclass `ModelFaltered`).
            ModelTooSlow: If a call exceeds the time limit, and the model has not answered any call before or several
                calls in a row have failed.
        """

    def usage(self) -> dict[str, float | None]:
        """Return the usage since the model was created, under the names of `NO_USAGE`.

        calls: conversations sent (a repair round is another one); cached: answers from the cache, not counted in calls;
        retries: further attempts; repairs: repair rounds; failed: questions without a usable answer; unasked: questions
        beyond the budget; prompt_tokens, completion_tokens; cost: null if a price is unknown; seconds: time spent
        waiting for replies.
        """


@runtime_checkable
class Accounting(LanguageModel, Protocol):
    """A language model that several callers can use at the same time, each with its own usage."""

    @property
    def concurrency(self) -> int:
        """Maximum number of questions that should be asked at the same time."""

    def account(self) -> LanguageModel:
        """Return the same model with its own usage count, which starts at zero."""

    def ask_all(self, questions: Sequence[Question], progress: Progress | None = None) -> list[Answer]:
        """Return the answers to several questions, in order. Up to `concurrency` questions are asked at the same time.

        Args:
            questions: The questions.
            progress: Notified of each answer, from several threads; None for no notification.

        Raises:
            ModelUnreachable, ModelTooSlow: See `ask`. The error of the first question that fails in this way is raised,
                and no further question is started.
        """


class Embedder(Protocol):
    """Converts texts to vectors."""

    name: str

    def embed(self, texts: Sequence[str]) -> np.ndarray[Any, np.dtype[np.float32]]:
        """Return one row per text, float32, not normalised; the same text always gives the same row."""
