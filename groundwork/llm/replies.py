"""Read replies of language models: strict JSON read into types, with one repair round and without guessing.

Around the JSON document, only white space and one Markdown code fence are allowed; the fence (with or without a
language word) must contain the whole reply. Everything else is an error: words before or after the document, a second
document, comments, trailing commas, NaN or Infinity, a repeated key in one object, and values of another type than the
shape declares.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from groundwork.errors import BudgetSpent, CallFailed, ReplyError
from groundwork.secrets import without_secrets
from groundwork.validation import fault_message

Shape = TypeVar("Shape", bound=BaseModel)

_FENCED = re.compile(r"\A```[a-zA-Z]*[ \t]*\n(?P<body>.*)\n[ \t]*```\Z", re.DOTALL)
_SHOWN = 160


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation with a model."""

    role: Literal["system", "user", "assistant"]
    text: str


def read(text: str, shape: type[Shape]) -> Shape:
    """Read one reply as a typed value.

    Args:
        text: The reply as the model gave it.
        shape: A pydantic model; it is validated strictly, without conversion between types.

    Returns:
        The value.

    Raises:
        ReplyError: If the reply is not one JSON document of this shape. The error's `seen` says where and why, in words
            that a model can act on.
    """
    body = text.strip()
    fenced = _FENCED.match(body)
    body = fenced["body"] if fenced else body
    if not body:
        raise _unusable("the reply is empty", shape)
    try:
        json.loads(body, object_pairs_hook=_distinct, parse_constant=_no_constant)
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


def converse(
    say: Callable[[Sequence[Turn]], str],
    system: str,
    prompt: str,
    shape: type[Shape],
    on_repair: Callable[[], None],
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
        turns += [Turn("assistant", reply or "(no reply)"), Turn("user", repair(first))]
    try:
        return read(say(turns), shape)
    except (CallFailed, BudgetSpent):
        raise
    except ReplyError as second:
        raise ReplyError(f"{second.seen} (after one repair round)", second.wanted, second.remedy) from None


def repair(error: ReplyError) -> str:
    """Return the message that a model gets after a reply that could not be used."""
    return (
        f"Your reply could not be used: {error.seen}. "
        "Reply again with one JSON document of the requested shape, and with nothing before or after it."
    )


def _unusable(reason: str, shape: type[BaseModel]) -> ReplyError:
    return ReplyError(
        f"the model's reply is not usable: {without_secrets(reason)}",
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
