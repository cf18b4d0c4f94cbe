"""The interface of a language model driver: send one conversation, get one reply.

`model_client` adds cache, budget, concurrency limit and retries. `asking` reads the replies.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from pydantic import BaseModel

from groundwork.llm.replies import Turn


@dataclass(frozen=True, slots=True)
class ReplyFormat:
    """The requested shape of a reply (a pydantic model), with the sampling temperature and the seed."""

    shape: type[BaseModel]
    temperature: float
    seed: int

    @property
    def schema(self) -> str:
        """The JSON schema of the requested shape, as text."""
        return schema_of(self.shape)


@lru_cache(maxsize=256)
def schema_of(shape: type[BaseModel]) -> str:
    """Return the JSON schema of a shape as text. The text is cached, because making it takes 1 ms."""
    return json.dumps(shape.model_json_schema())


class ChatProvider(Protocol):
    """A model that is sent a conversation and returns one reply, without retries.

    Attributes:
        name: `provider:NAME`, as it appears in outputs and stored results.
        address: Address of the server, without secrets; empty for the provider's own server. For a local model, a
            fingerprint of its files.
        remote: Whether the model runs on a server, so that concurrent calls make sense.
    """

    name: str
    address: str
    remote: bool

    def say(self, turns: Sequence[Turn], wanted: ReplyFormat, seconds: float, spent: Callable[[int, int], None]) -> str:
        """Return the model's reply as text.

        Args:
            turns: The conversation.
            wanted: The requested shape, temperature and seed.
            seconds: Time limit of this attempt.
            spent: Called with the numbers of prompt and reply tokens as soon as they are known, also for unusable
                replies.

        Raises:
            ReplyError: If the model broke off its reply or refused to reply.
            CallFailed: If the model refuses this prompt, because it is too long or filtered.
            ModelFaltered: If the model gave no usable answer to this call.
            ModelUnreachable: If the model is unreachable or refuses the connection.
            TimeoutError: If the reply took longer than `seconds`.
        """


def in_words(turns: Sequence[Turn], schema: str) -> list[Turn]:
    """Return the conversation with the JSON schema added to its first turn, for a model that takes no schema."""
    asked = f"Reply with one JSON document that fits this JSON schema, and nothing before or after it:\n{schema}"
    return [Turn(turns[0].role, f"{turns[0].text}\n\n{asked}"), *turns[1:]]
