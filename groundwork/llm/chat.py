"""A LangChain chat model as a chat provider. Errors of drivers are mapped here: no caller above ever sees one.

The shape is asked for as the provider can: by JSON schema, by a tool it has to call, or in words. What comes back is
text, whichever way it came, and `replies` reads it strictly. A server that refuses a part of the protocol is asked
without it from then on.

Importing this takes seconds (LangChain, openai), so `llm.connect` does it only when a model is wanted.
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
from groundwork.llm.refusals import clipped, explained
from groundwork.llm.replies import Turn
from groundwork.secrets import without_secrets
from groundwork.settings import Settings

Way = Literal["json_schema", "function_calling", "prompt"]

#: Keywords by which a schema limits lengths and numbers; some servers refuse them in a schema that they have to keep.
_BOUNDS = frozenset({"minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum"})
#: What a server can be spared, and the words by which a refusal names it.
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
}


class LangChainChatProvider:
    """A LangChain chat model that can be sent a conversation; safe to use from several threads.

    Args:
        name: As it is printed and stored.
        chat: The LangChain model, without tries of its own.
        way: How it is asked for a shape.
        structured: Arguments for `with_structured_output` beyond the schema.
        address: Where it is served; empty: the provider's own.
        settings: Limits, and the secrets that no message may hold.
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
        """The model's reply, as text; see `ChatProvider.say`."""
        spared = self._spared
        try:
            message = within(seconds, lambda: self._invoke(turns, wanted, spared))
        except openai.LengthFinishReasonError as error:
            if (used := error.completion.usage) is not None:
                spent(used.prompt_tokens, used.completion_tokens)
            raise self._broken_off() from None
        except openai.ContentFilterFinishReasonError:
            raise _no_reply("stopped by the provider's content filter") from None
        except Exception as error:  # noqa: BLE001 - only the driver runs there, and drivers raise what they like
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
        if "schema" in spared:
            return chat.invoke([_message(turn) for turn in in_words(turns, wanted.schema)])
        asked = json.loads(wanted.schema)
        schema = {"title": wanted.shape.__name__, "description": wanted.shape.__name__, **asked}
        if "bounds" in spared:
            schema = _unbounded(schema)
        return _raw(chat, schema, self._way, self._structured).invoke([_message(turn) for turn in turns])

    def _to_spare(self, error: Exception, spared: frozenset[str]) -> set[str]:
        """What else the server's refusal says it does not take; of a schema that it names, first the bounds."""
        status = getattr(error, "status_code", None) or getattr(getattr(error, "response", None), "status_code", None)
        said = str(error).lower()
        if status not in {400, 422, 501}:
            return set()
        named = {part for part, words in _SPARED.items() if any(word in said for word in words)} - spared
        return named - {"schema"} if "bounds" in named else named

    def _text(self, message: Any, spent: Callable[[int, int], None]) -> str:
        """What the model said: the arguments of the tool it was to call, or its words."""
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
            return message.invalid_tool_calls[0]["args"] or ""
        return message.text

    def _broken_off(self) -> ReplyError:
        return _no_reply(f"broken off after {self._settings.model_tokens} tokens (the setting model_tokens)")


def _unbounded(schema: Any) -> Any:
    """A schema without its bounds; what is called like one, a property, stays."""
    if isinstance(schema, list):
        return [_unbounded(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    bounds = {name for name in _BOUNDS & schema.keys() if not isinstance(schema[name], dict)}
    return {name: _unbounded(value) for name, value in schema.items() if name not in bounds}


def _raw(chat: BaseChatModel, schema: dict[str, Any], way: Way, more: Mapping[str, Any]) -> Runnable[Any, Any]:
    """The model asked for a shape, without LangChain's reading of its reply: reading is ours, and strict.

    Providers give a sequence of the model and a parser, whose first is all that is wanted. Asking for the raw reply
    beside the read one, which works with any other form too, starts three threads a question.
    """
    structured = chat.with_structured_output(schema, method=way, **more)
    if isinstance(structured, RunnableSequence):
        return structured.first
    read: Runnable[Any, Any] = chat.with_structured_output(schema, method=way, include_raw=True, **more)
    return read | itemgetter("raw")


def _message(turn: Turn) -> BaseMessage:
    classes: dict[str, type[BaseMessage]] = {"system": SystemMessage, "user": HumanMessage, "assistant": AIMessage}
    return classes[turn.role](content=turn.text)


def _no_reply(reason: str) -> ReplyError:
    return ReplyError(f"the reply was {reason}", "a whole reply", "ask a shorter question or another model")
