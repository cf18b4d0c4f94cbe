"""Estimate what a run would send to a language model, without sending it: calls, tokens, cost, cached answers."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel, ValidationError

from groundwork.llm.chat_provider import schema_of
from groundwork.llm.usage import CHARACTERS, Prices, estimate
from groundwork.ports.model import NO_USAGE, LanguageModel
from groundwork.records import Record

Shape = TypeVar("Shape", bound=BaseModel)

#: Assumed tokens of a reply if the cache contains no reply of the model.
_ASSUMED = 150

#: A function that returns a made-up answer for a shape, as JSON values, or None if it has no answer.
StandIn = Callable[[type[BaseModel]], Mapping[str, Any] | None]


@runtime_checkable
class Known(Protocol):
    """A model that knows its prices and its cached answers."""

    prices: Prices

    def known(
        self, system: str, prompt: str, shape: type[Shape], *, temperature: float, seed: int, version: str
    ) -> tuple[str | None, Shape | None]:
        """Return a question's key (None without a cache) and its cached answer if there is one; nothing is sent."""

    def mean_length(self) -> float | None:
        """Return the mean number of tokens of the cached replies, or None if there are none."""


@dataclass(frozen=True, slots=True)
class Plan(Record):
    """What a run would send to a model.

    Attributes:
        model: Name of the model.
        texts: Number of texts, or pairs, that are not done yet.
        calls: Number of conversations that would be sent, without repair rounds and retries.
        cached: Number of answers that are in the cache, or would be after an equal call of this run; they cost nothing.
        prompt_tokens: Estimated tokens of all prompts.
        completion_tokens: Estimated tokens of all replies: `expected`, and `at_most` by the setting model_tokens.
        cost: Estimated cost under the same two names; None if a price is unknown.
        estimated_texts: Number of texts whose calls depend on replies that do not exist yet. They are counted as if the
            model split and judged the text like the rules.
        how: How the numbers were estimated.
    """

    model: str
    texts: int
    calls: int
    cached: int
    prompt_tokens: int
    completion_tokens: Mapping[str, int]
    cost: Mapping[str, float] | None
    estimated_texts: int
    how: str


class Planner:
    """Stands in for a language model: records the questions, and answers from the cache or with made-up answers.

    Args:
        model: The model that would be asked.
        stand_in: Returns the made-up answers.
    """

    def __init__(self, model: LanguageModel, stand_in: StandIn) -> None:
        self.name = model.name
        self._model = model
        self._stand_in = stand_in
        self._seen: set[str] = set()
        self._calls = self._cached = self._prompt_tokens = 0

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
        """Return the cached answer, or a made-up one; nothing is sent."""
        key, known = None, None
        if isinstance(self._model, Known):
            key, known = self._model.known(system, prompt, shape, temperature=temperature, seed=seed, version=version)
        if known is not None or key in self._seen:
            self._cached += 1
        else:
            self._calls += 1
            self._prompt_tokens += estimate(system, prompt, schema_of(shape))
        if key is not None:
            self._seen.add(key)
        return _made_up(shape, self._stand_in(shape)) if known is None else known

    def usage(self) -> dict[str, float | None]:
        """Return a usage of zero."""
        return dict(NO_USAGE)

    def plan(self, texts: int, estimated_texts: int, most: int) -> Plan:
        """Return the estimate for all questions asked so far.

        Args:
            texts: Number of texts that were processed.
            estimated_texts: Number of these texts whose calls depend on replies that do not exist yet.
            most: Maximum number of tokens of a reply.
        """
        known = self._model if isinstance(self._model, Known) else None
        mean = known.mean_length() if known else None
        expected = round(self._calls * min(mean or _ASSUMED, most))
        lengths = {"expected": expected, "at_most": self._calls * most}
        costs = {name: (known.prices.cost(self._prompt_tokens, n) if known else None) for name, n in lengths.items()}
        told = {name: cost for name, cost in costs.items() if cost is not None}
        replies = "the mean of this model's cached replies" if mean else f"assumed to have {_ASSUMED} tokens each"
        return Plan(
            self.name,
            texts,
            self._calls,
            self._cached,
            self._prompt_tokens,
            lengths,
            told if len(told) == len(costs) else None,
            estimated_texts,
            f"prompt tokens: characters / {CHARACTERS}, including the JSON schema; replies: {replies};"
            " repair rounds and retries are not counted"
            + (f"; the claims of {estimated_texts} texts are those that the rules find" if estimated_texts else ""),
        )


def _made_up(shape: type[Shape], given: Mapping[str, Any] | None) -> Shape:
    if given is not None:
        try:
            return shape.model_validate_json(json.dumps(given), strict=True)
        except ValidationError:
            pass  # the shape has other fields
    schema = json.loads(schema_of(shape))
    return shape.model_validate_json(json.dumps(least(schema, schema.get("$defs", {}))), strict=True)


def least(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Any:
    """Return the smallest JSON value that fits a schema of the kinds that pydantic makes for this program's shapes.

    Args:
        schema: A JSON schema.
        definitions: The definitions that its `$ref`s name.
    """
    if "$ref" in schema:
        return least(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    for chosen in ("const", "default"):
        if chosen in schema:
            return schema[chosen]
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return least(schema["anyOf"][-1], definitions)
    kind = schema.get("type")
    if kind == "object":
        required = schema.get("required", ())
        return {
            name: least(part, definitions) for name, part in schema.get("properties", {}).items() if name in required
        }
    if kind == "array":
        return [least(schema["items"], definitions)] * schema.get("minItems", 0)
    plain: dict[Any, Any] = {
        "string": "-" * schema.get("minLength", 0),
        "integer": schema.get("minimum", 0),
        "number": schema.get("minimum", 0.0),
        "boolean": False,
    }
    return plain.get(kind)
