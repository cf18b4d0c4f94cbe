"""What a run would ask of a language model, without asking: calls, tokens, cost, and what the cache already holds."""

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

#: Tokens of a reply, where no reply of the model is in the cache to tell.
_ASSUMED = 150

#: Makes up an answer, as JSON values, for a shape; None where it has none.
StandIn = Callable[[type[BaseModel]], Mapping[str, Any] | None]


@runtime_checkable
class Known(Protocol):
    """A model that knows its prices, and what it was asked before."""

    prices: Prices

    def known(
        self, system: str, prompt: str, shape: type[Shape], *, temperature: float, seed: int, version: str
    ) -> tuple[str | None, Shape | None]:
        """A question's key, and its answer if that is kept; nothing is sent. No key where no answer is kept."""

    def mean_length(self) -> float | None:
        """Mean tokens of the replies that are kept; None if there is none."""


@dataclass(frozen=True, slots=True)
class Plan(Record):
    """What a run would ask.

    Attributes:
        model: Of whom.
        texts: Texts, or pairs, that are not done yet.
        calls: Conversations that would be sent, without repairs and further tries.
        cached: Answers that stand in the cache, or would from an equal call of this run; they cost nothing.
        prompt_tokens: Estimated.
        completion_tokens: `expected`, and `at_most` by the setting model_tokens.
        cost: The same two; None where a price is unknown.
        estimated_texts: Texts whose calls are not known exactly: they depend on replies that are not there yet, and
            were counted as if the model took the text apart, and answered, as the rules do.
        how: How these numbers came about.
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
    """Stands in for a language model: writes down what it is asked, and answers from the cache or by a stand-in.

    Args:
        model: Who would be asked.
        stand_in: Makes up the answers that are not in the cache.
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
        """The answer in the cache, or a made-up one; nothing is sent."""
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
        """Nothing is used."""
        return dict(NO_USAGE)

    def plan(self, texts: int, estimated_texts: int, most: int) -> Plan:
        """What was written down.

        Args:
            texts: Texts that were gone through.
            estimated_texts: Those of them whose calls depend on replies that are not there.
            most: Tokens a reply may have.
        """
        known = self._model if isinstance(self._model, Known) else None
        mean = known.mean_length() if known else None
        expected = round(self._calls * min(mean or _ASSUMED, most))
        lengths = {"expected": expected, "at_most": self._calls * most}
        costs = {name: (known.prices.cost(self._prompt_tokens, n) if known else None) for name, n in lengths.items()}
        told = {name: cost for name, cost in costs.items() if cost is not None}
        replies = "the mean of this model's replies in the cache" if mean else f"{_ASSUMED} tokens each, an assumption"
        return Plan(
            self.name,
            texts,
            self._calls,
            self._cached,
            self._prompt_tokens,
            lengths,
            told if len(told) == len(costs) else None,
            estimated_texts,
            f"prompt tokens: characters / {CHARACTERS}, the JSON schema included; replies: {replies};"
            " repairs and further tries are not counted"
            + (f"; claims of {estimated_texts} texts as the rules find them" if estimated_texts else ""),
        )


def _made_up(shape: type[Shape], given: Mapping[str, Any] | None) -> Shape:
    if given is not None:
        try:
            return shape.model_validate_json(json.dumps(given), strict=True)
        except ValidationError:
            pass  # the shape asks for something else
    schema = json.loads(schema_of(shape))
    return shape.model_validate_json(json.dumps(least(schema, schema.get("$defs", {}))), strict=True)


def least(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Any:
    """The least JSON value that fits a schema of the kinds that pydantic makes for our shapes.

    Args:
        schema: A JSON schema.
        definitions: What its `$ref`s name.
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
