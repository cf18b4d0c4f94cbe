"""The port that each kind of language model implements: send one conversation, return one reply."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from pydantic import BaseModel

from groundwork.llm.replies import Turn


@dataclass(frozen=True, slots=True)
class ReplyFormat:
    """The shape, temperature and seed that a reply is asked for with."""

    shape: type[BaseModel]
    temperature: float
    seed: int

    @property
    def schema(self) -> str:
        """The shape as a JSON schema, as text."""
        return schema_of(self.shape)


@lru_cache(maxsize=256)
def schema_of(shape: type[BaseModel]) -> str:
    """A shape as a JSON schema; as text, so that nobody changes what the next one gets. Made once: it takes 1 ms."""
    return json.dumps(shape.model_json_schema())


class ChatProvider(Protocol):
    """A model that can be sent a conversation, once, and says something.

    Attributes:
        name: `provider:NAME`, as it is printed and stored.
        address: Where it is served, without secrets; empty: the provider's own.
        remote: Several calls at a time are sensible.
    """

    name: str
    address: str
    remote: bool

    def say(self, turns: Sequence[Turn], wanted: ReplyFormat, seconds: float, spent: Callable[[int, int], None]) -> str:
        """The model's reply, as text.

        Args:
            turns: The conversation.
            wanted: The shape to ask for, temperature and seed.
            seconds: The limit of this try.
            spent: Told prompt and reply tokens as soon as they are known, also those of a reply that is of no use.

        Raises:
            ReplyError: The model broke off or refused.
            ModelFaltered: It gave no usable answer to this call.
            ModelUnreachable: It is not there, or refuses us.
            TimeoutError: It ran past `seconds`.
        """


def in_words(turns: Sequence[Turn], schema: str) -> list[Turn]:
    """The conversation with the shape asked for in its first turn, for a model that takes no schema."""
    asked = f"Reply with one JSON document that fits this JSON schema, and nothing before or after it:\n{schema}"
    return [Turn(turns[0].role, f"{turns[0].text}\n\n{asked}"), *turns[1:]]
