"""The ports of models: chat models that answer in shape, and embedders."""

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

#: What `LanguageModel.usage` says where nothing was asked; the rules' usage too.
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
    """What `LanguageModel.ask` takes, for its likeliest answer."""

    system: str
    prompt: str
    shape: type[BaseModel]
    version: str = ""


#: What a question of several came to: a value of its shape, or why there is none.
Answer: TypeAlias = "BaseModel | ReplyError"


@runtime_checkable
class LanguageModel(Protocol):
    """A chat model that answers in a given shape.

    Attributes:
        name: As it is printed and stored, e.g. `openai:gpt-4o-mini`.
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
        """One answer as a typed value.

        The reply is strict JSON read into `shape`; a reply that does not fit is sent back once with the reason. What
        was asked before in the same words, with the same parameters, may be answered from a cache.

        Args:
            system: What the model is told first.
            prompt: The question, with its evidence.
            shape: What the answer must be.
            temperature: 0 for the likeliest answer.
            seed: For answers that can be had again, where the model honours it.
            version: The version of the prompt, where its file has one.

        Raises:
            ReplyError: It did not fit the second time either. Its kinds `CallFailed` and `BudgetSpent` mean that
                this one answer is missing; the run goes on.
            ModelUnreachable: The model is not there, or refuses us, or fails each time (`ModelFaltered`).
            ModelTooSlow: It ran past its time limit, and never answered before.
        """

    def usage(self) -> dict[str, float | None]:
        """What was used since the model was made, under `NO_USAGE`'s names.

        calls: conversations sent (a repair is one more); cached: answers from the cache, beside them; retries: further
        tries; repairs; failed: questions without a usable answer; unasked: questions beyond the budget; prompt_tokens,
        completion_tokens; cost: null where a price is unknown; seconds: spent waiting for replies.
        """


@runtime_checkable
class Accounting(LanguageModel, Protocol):
    """A language model that several may ask at a time, each on an account of their own."""

    @property
    def concurrency(self) -> int:
        """Questions that may sensibly be asked at a time."""

    def account(self) -> LanguageModel:
        """The same model, with a usage of its own that begins at nothing."""

    def ask_all(self, questions: Sequence[Question], progress: Progress | None = None) -> list[Answer]:
        """The answers to several questions, in their order; up to `concurrency` are asked at a time.

        Args:
            questions: What is asked.
            progress: Told of each answer, from several threads; None: nobody is.

        Raises:
            ModelUnreachable, ModelTooSlow: As `ask`, for the first question that met it; none is begun after that.
        """


class Embedder(Protocol):
    """Text to vectors."""

    name: str

    def embed(self, texts: Sequence[str]) -> np.ndarray[Any, np.dtype[np.float32]]:
        """One row a text, float32, not normalised; the same text gives the same row."""
