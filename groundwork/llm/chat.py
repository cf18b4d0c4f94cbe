"""A chat provider that calls a LangChain chat model and converts driver errors, so that callers never see them.

The shape of the reply is requested in the way that the provider supports: by a JSON schema, by a tool call, or in words
in the prompt. In each case the reply is returned as text, which `replies` reads strictly. If a server rejects a part of
the request, later calls leave this part out.

Importing this module takes seconds (LangChain, openai), so `llm.connect` imports it only when a model is needed.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any, Literal

import openai
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import Runnable, RunnableSequence

from groundwork.deadline import within
from groundwork.errors import ReplyError
from groundwork.llm.chat_provider import ReplyFormat, in_words
from groundwork.llm.refusals import clipped, explained, refuses_prompt, said_by
from groundwork.llm.replies import Turn, Words
from groundwork.secrets import without_secrets
from groundwork.settings import Settings

Way = Literal["json_schema", "function_calling", "prompt"]

#: Keywords that limit lengths and numbers in a schema. Some servers reject them.
_BOUNDS = frozenset({"minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum"})
#: Parts of a request that can be left out, and the words by which a server's error names them.
_SPARED = {
    "bounds": tuple(word.lower() for word in _BOUNDS),
    "schema": (
        "response_format",
        "json_schema",
        "output_format",
        "structured output",
        "tool_choice",
        "does not support tools",
    ),
    "temperature": ("temperature",),
    "seed": ("seed",),
    "system": ("system role", "system message", "only user and assistant roles"),
}


class LangChainChatProvider:
    """A LangChain chat model that can be sent a conversation; safe for several threads.

    Args:
        name: Name of the model in outputs and stored results.
        chat: The LangChain model, with its own retries switched off.
        way: How the shape of the reply is requested.
        structured: Further arguments for `with_structured_output`.
        address: Address of the server; empty for the provider's own server.
        settings: Limits, and the secrets that no message may contain.
    """

    remote = True

    def __init__(
        self,
        name: str,
        chat: BaseChatModel,
        way: Way,
        structured: Mapping[str, Any],
        address: str,
        settings: Settings,
    ) -> None:
        self.name = name
        self.address = address
        self._chat = chat
        self._way = way
        self._structured = dict(structured)
        self._settings = settings
        self._spared: frozenset[str] = frozenset({"schema"} if way == "prompt" else ())

    def say(self, turns: Sequence[Turn], wanted: ReplyFormat, seconds: float, spent: Callable[[int, int], None]) -> str:
        """Return the model's reply as text; see `ChatProvider.say`."""
        spared = self._spared
        try:
            message = within(seconds, lambda: self._invoke(turns, wanted, spared))
        except openai.LengthFinishReasonError as error:
            if (used := error.completion.usage) is not None:
                spent(used.prompt_tokens, used.completion_tokens)
            raise self._broken_off() from None
        except openai.ContentFilterFinishReasonError:
            raise _no_reply("stopped by the provider's content filter") from None
        except Exception as error:  # noqa: BLE001 - only the driver runs here, and drivers raise many types
            if more := self._to_spare(error, spared):
                self._spared |= more
                return self.say(turns, wanted, seconds, spent)
            raise explained(error, self.name, self.address, self._settings) from None
        return self._text(message, spent)

    def _invoke(self, turns: Sequence[Turn], wanted: ReplyFormat, spared: frozenset[str]) -> Any:
        values = {"temperature": wanted.temperature, "seed": wanted.seed}
        fields = type(self._chat).model_fields
        update = {name: None if name in spared else value for name, value in values.items() if name in fields}
        chat = self._chat.model_copy(update=update)
        turns = _without_system(turns) if "system" in spared else turns
        if issubclass(wanted.shape, Words):
            return chat.invoke([_message(turn) for turn in turns])
        if "schema" in spared:
            return chat.invoke([_message(turn) for turn in in_words(turns, wanted.schema)])
        asked = json.loads(wanted.schema)
        schema = {"title": wanted.shape.__name__, "description": wanted.shape.__name__, **asked}
        if "bounds" in spared:
            schema = _unbounded(schema)
        return _raw(chat, schema, self._way, self._structured).invoke([_message(turn) for turn in turns])

    def _to_spare(self, error: Exception, spared: frozenset[str]) -> set[str]:
        """Return the parts of a request that a server's error names and that can be left out.

        Some servers send their error with status 200, which leaves no status, or with status 500.

        If the error names both the schema and its bounds on lengths and numbers, the schema is kept for the next try.
        """
        status = getattr(error, "status_code", None) or getattr(getattr(error, "response", None), "status_code", None)
        said = f"{error} {said_by([error])}".lower()
        if status not in {None, 400, 422, 500, 501} or isinstance(error, TimeoutError) or refuses_prompt(said):
            return set()
        named = {part for part, words in _SPARED.items() if any(word in said for word in words)} - spared
        return named - {"schema"} if "bounds" in named else named

    def _text(self, message: Any, spent: Callable[[int, int], None]) -> str:
        """Return the content of a message: the arguments of its tool call, or its words."""
        if not isinstance(message, AIMessage):
            raise explained(TypeError("no message"), self.name, self.address, self._settings)
        if tokens := message.usage_metadata:
            spent(tokens["input_tokens"], tokens["output_tokens"])
        if refusal := message.additional_kwargs.get("refusal"):
            raise _no_reply(f"refused by the model: {clipped(without_secrets(str(refusal)))}")
        said = {str(message.response_metadata.get(name)) for name in ("finish_reason", "stop_reason", "done_reason")}
        if said & {"length", "max_tokens", "MAX_TOKENS"}:
            raise self._broken_off()
        if said & {"refusal", "content_filter", "SAFETY"}:
            raise _no_reply("stopped by the provider's content filter")
        if message.tool_calls:
            return json.dumps(message.tool_calls[0]["args"], ensure_ascii=False)
        if message.invalid_tool_calls:
            args: Any = message.invalid_tool_calls[0]["args"]
            return args if isinstance(args, str) else json.dumps(args or "", ensure_ascii=False)
        return message.text

    def _broken_off(self) -> ReplyError:
        return _no_reply(f"cut off after {self._settings.model_tokens} tokens (the setting model_tokens)")


def _unbounded(schema: Any) -> Any:
    """Return a schema without bounds on lengths and numbers. A property with the same name as a bound is kept."""
    if isinstance(schema, list):
        return [_unbounded(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    bounds = {name for name in _BOUNDS & schema.keys() if not isinstance(schema[name], dict)}
    return {name: _unbounded(value) for name, value in schema.items() if name not in bounds}


def _raw(chat: BaseChatModel, schema: dict[str, Any], way: Way, more: Mapping[str, Any]) -> Runnable[Any, Any]:
    """Return a runnable that asks the model for a reply that fits a JSON schema and returns the raw reply.

    LangChain's parser is left out, because replies are read strictly by `replies`. For most providers, the structured
    model is a sequence of model and parser, and only the model is used. Requesting the raw reply together with the
    parsed one works for every provider, but starts three threads per question.
    """
    structured = chat.with_structured_output(schema, method=way, **more)
    if isinstance(structured, RunnableSequence):
        return structured.first
    read: Runnable[Any, Any] = chat.with_structured_output(schema, method=way, include_raw=True, **more)
    return read | itemgetter("raw")


def _without_system(turns: Sequence[Turn]) -> list[Turn]:
    """Return a conversation whose system message stands at the beginning of the user's first message."""
    if len(turns) < 2 or turns[0].role != "system":
        return list(turns)
    return [Turn("user", f"{turns[0].text}\n\n{turns[1].text}"), *turns[2:]]


def _message(turn: Turn) -> BaseMessage:
    classes: dict[str, type[BaseMessage]] = {"system": SystemMessage, "user": HumanMessage, "assistant": AIMessage}
    return classes[turn.role](content=turn.text)


def _no_reply(reason: str) -> ReplyError:
    return ReplyError(f"the reply was {reason}", "a complete reply", "ask a shorter question or use another model")
