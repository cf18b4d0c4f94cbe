"""Read replies of language models: strict JSON read into types, with one repair round and without guessing.

Models think aloud before they answer, put the answer into a code fence, or write words around it. All of this is
dropped, and the one JSON object that is left is read. Its content is read strictly: a second object, comments, trailing
commas, NaN or Infinity, a repeated key in one object, and values of another type than the shape declares are errors.

A model that was trained to answer in another form than JSON is asked for a shape of `Words`.


The interface of a language model driver (`ChatProvider`) sends one conversation and gets one reply.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Literal, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from groundwork.errors import BudgetSpent, CallFailed, ReplyError, fault_message, without_secrets

Shape = TypeVar("Shape", bound=BaseModel)

#: The end of thoughts before an answer. The beginning may be missing, because some chat templates write it themselves.
_THOUGHT = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_THINKING = re.compile(r"\s*<(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
#: The beginning of a JSON object, which "{" in a sentence is not.
_OBJECT = re.compile(r'\{\s*["}]')
_SHOWN = 160


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation with a model."""

    role: Literal["system", "user", "assistant"]
    text: str


class Words(BaseModel):
    """The shape of a reply in words instead of JSON. No schema is sent to the model.

    Attributes:
        form: What the reply must be, for messages to people and to the model. A subclass says it, and checks `text`.
        text: The reply without the thoughts before its answer.
    """

    model_config = ConfigDict(frozen=True)

    form: ClassVar[str] = "a reply in words"
    text: str


def read(text: str, shape: type[Shape]) -> Shape:
    """Read one reply as a typed value.

    Args:
        text: The reply as the model gave it.
        shape: A pydantic model; it is validated strictly, without conversion between types.

    Returns:
        The value.

    Raises:
        ReplyError: If the reply is not one JSON document of this shape, or not in the form of `Words`. The error's
            `seen` says where and why, in words that a model can act on.
    """
    body = _answer(text, shape)
    try:
        if issubclass(shape, Words):
            return shape.model_validate({"text": body})
        body = _document(body)
        return shape.model_validate_json(body, strict=True)
    except ValidationError as error:
        raise _unusable("; ".join(_faults(error)), shape) from None
    except RecursionError:
        raise _unusable("the reply nests too deeply", shape) from None
    except json.JSONDecodeError as error:
        near = body[max(0, error.pos - 40) : error.pos + 40]
        reason = f"not one JSON document: {error.msg} at line {error.lineno} column {error.colno}, near {near!r}"
        raise _unusable(reason, shape) from None
    except ValueError as error:
        raise _unusable(str(error), shape) from None


def _answer(text: str, shape: type[BaseModel]) -> str:
    """Return a reply without the thoughts before its answer."""
    body = text.removeprefix("\ufeff").strip()
    while not _OBJECT.match(body) and (thought := _THOUGHT.search(body)):
        body = body[thought.end() :].strip()
    if _THINKING.match(body):
        raise _unusable("the reply ends before its thoughts do", shape)
    if not body:
        raise _unusable("the reply is empty", shape)
    return body


def _document(body: str) -> str:
    """Return the one JSON object of an answer, without the fence or the words around it."""
    start = _OBJECT.search(body)
    if start is None:
        json.loads(body, object_pairs_hook=_distinct, parse_constant=_no_constant)  # says what is wrong with it
        return body
    decoder = json.JSONDecoder(object_pairs_hook=_distinct, parse_constant=_no_constant)
    _, end = decoder.raw_decode(body, start.start())
    if _OBJECT.search(body, end):
        raise ValueError("the reply has a second JSON document")
    return body[start.start() : end]


def converse(
    say: Callable[[Sequence[Turn]], str], system: str, prompt: str, shape: type[Shape], on_repair: Callable[[], None]
) -> Shape:
    """Ask a question and read the reply strictly; if that fails, send the reply back once with the reason.

    Args:
        say: Sends a conversation to the model and returns its reply. It may raise ReplyError for a reply that the
            model broke off or refused.
        system: The system message.
        prompt: The question.
        shape: The shape of the reply.
        on_repair: Called when the repair round starts.

    Raises:
        ReplyError: If the second reply does not have the shape either.
        CallFailed: If the model gave no reply.
        BudgetSpent: If the budget is spent.
    """
    turns = [Turn("system", system), Turn("user", prompt)]
    reply = ""
    try:
        reply = say(turns)
        return read(reply, shape)
    except (CallFailed, BudgetSpent):
        raise
    except ReplyError as first:
        on_repair()
        turns += [Turn("assistant", reply or "(no reply)"), Turn("user", repair(first, shape))]
    try:
        return read(say(turns), shape)
    except (CallFailed, BudgetSpent):
        raise
    except ReplyError as second:
        raise ReplyError(f"{second.seen} (after one repair round)", second.wanted, second.remedy) from None


def repair(error: ReplyError, shape: type[BaseModel]) -> str:
    """Return the message that a model gets after a reply that could not be used."""
    form = shape.form if issubclass(shape, Words) else "one JSON document of the requested shape"
    return f"Your reply could not be used: {error.seen}. Reply again with {form}, and with nothing before or after it."


def _unusable(reason: str, shape: type[BaseModel]) -> ReplyError:
    seen = f"the model's reply is not usable: {without_secrets(reason)}"
    if issubclass(shape, Words):
        return ReplyError(seen, shape.form, "try again, or use a model that was trained for this prompt")
    return ReplyError(
        seen,
        f"one JSON document of the shape {shape.__name__} ({', '.join(shape.model_fields)})",
        "try again, or use a model that follows JSON schemas",
    )


def _faults(error: ValidationError) -> list[str]:
    """Return the first five faults, each with its path in the document and the value found there."""
    return [
        f"{'.'.join(str(step) for step in fault['loc']) or 'the document'}: {fault_message(fault)}"
        f" (got {repr(fault['input'])[:_SHOWN]})"
        for fault in error.errors()[:5]
    ]


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the key {next(n for n in names if names.count(n) > 1)!r} appears twice in one object")
    return document


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


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
