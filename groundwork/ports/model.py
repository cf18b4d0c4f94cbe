"""The ports of models: chat models that answer in shape, and embedders."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from pydantic import BaseModel

#: What `LanguageModel.usage` says where nothing was asked; the rules' usage too.
NO_USAGE: Mapping[str, int] = MappingProxyType({"calls": 0, "prompt_tokens": 0, "completion_tokens": 0, "repairs": 0})

Shape = TypeVar("Shape", bound=BaseModel)


@runtime_checkable
class LanguageModel(Protocol):
    """A chat model that answers in a given shape.

    Attributes:
        name: As it is printed and stored, e.g. `openai:gpt-4o-mini`.
    """

    name: str

    def ask(self, system: str, prompt: str, shape: type[Shape], *, temperature: float = 0.0, seed: int = 0) -> Shape:
        """One answer as a typed value.

        The reply is strict JSON read into `shape`; a reply that does not fit is sent back once with the reason.

        Raises:
            ReplyError: It did not fit the second time either.
            ModelUnreachable: The model is not there, or refuses us.
        """

    def usage(self) -> dict[str, int]:
        """Calls, prompt tokens, completion tokens and repairs since the model was made, under `NO_USAGE`'s names."""


class Embedder(Protocol):
    """Text to vectors."""

    name: str

    def embed(self, texts: Sequence[str]) -> np.ndarray[Any, np.dtype[np.float32]]:
        """One row a text, float32, not normalised; the same text gives the same row."""
