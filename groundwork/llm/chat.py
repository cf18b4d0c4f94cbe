"""A chat provider that calls a LangChain chat model and converts driver errors, so that callers never see a secret."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, Literal
from urllib.parse import urlsplit

import httpx2
import openai
from langchain_core import exceptions as langchain_errors
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import Runnable, RunnableSequence

from groundwork.errors import CallFailed, ModelFaltered, ModelUnreachable, ReplyError, TruthHypoError, without_secrets
from groundwork.llm.replies import ReplyFormat, Turn, Words, in_words
from groundwork.settings import Settings
from groundwork.threads import retry_after, within

#: Drivers do not check that a reply with status 200 follows their protocol. They raise these errors if the reply does
#: not. The errors are caught only around calls of a driver. The arguments of these calls always have the same form, so
#: wrong arguments cannot be the cause.
_MISREADINGS = (AttributeError, IndexError, KeyError, TypeError, ValueError, openai.APIResponseValidationError)

_TOO_LATE = (langchain_errors.ModelTimeoutError, openai.APITimeoutError, httpx2.TimeoutException, TimeoutError)
_GONE = (langchain_errors.ModelConnectionError, openai.APIConnectionError, httpx2.HTTPError, ConnectionError)
_AGAIN = frozenset({408, 409, 425, 429})
_OVERLOAD = frozenset({429, 503, 529})

_SHOWN = 160  # number of characters shown of a server's message, which may repeat the prompt

#: HTTP statuses with which a server would refuse every call. For each status: what was seen, what to check.
_REFUSING = {
    401: ("rejects the API key", "check the provider's API key (its value is not shown here)"),
    402: ("requires payment", "check the account with the provider"),
    403: ("rejects the API key", "check the provider's API key (its value is not shown here)"),
    404: (
        "does not know this model",
        "check the model's name, and that the address ends where the API begins (often /v1)",
    ),
}


#: Words by which a server says that a prompt is too long (OpenAI, vLLM, llama.cpp, LM Studio, TGI, Ollama), or that it
#: is filtered (OpenAI, Azure). A refusal of one prompt says nothing about others.
_TOO_LONG = re.compile(
    r"context[ _](?:length|size|window|limit)|context the overflows|exceed_context|maximum number of tokens"
    r"|(?:prompt|input|request|inputs)\b[^.]{0,40}\btoo (?:long|large|many tokens)|must have less than \d+ tokens"
    r"|inputs? tokens? \+ `?max_new_tokens",
    re.IGNORECASE,
)
_FILTERED = re.compile(
    r"content[ _](?:filter|management|policy)|responsible ?ai|safety (?:system|filter)", re.IGNORECASE
)


def explained(error: Exception, name: str, address: str, settings: Settings) -> TruthHypoError:
    """Return a driver's error as an error of this program, without secrets.

    Args:
        error: The driver's error.
        name: Name of the model.
        address: Address of the server; empty for the provider's own server.
        settings: Settings with the secrets to hide.

    Returns:
        `CallFailed` if the model refuses this prompt, `ModelFaltered` if the same call may succeed later, otherwise
        `ModelUnreachable`.

    Raises:
        TimeoutError: If the driver's own time limit has passed.
    """
    causes = list(_causes(error))
    if any(isinstance(cause, _TOO_LATE) for cause in causes):
        raise TimeoutError from None
    where = f"the model {name}{f' at {place(address)}' if address else ''}"
    status, headers = _status_and_headers(causes)
    # The status of a paid quota that is used up is that of too many calls, but waiting does not help.
    if any(getattr(cause, "code", None) == "insufficient_quota" for cause in causes):
        check = "raise the quota at the provider, or wait until it is renewed"
        return ModelUnreachable(f"{where} says that the quota is used up", "a model with quota left", check)
    if status in _REFUSING:
        seen, check = _REFUSING[status]
        return ModelUnreachable(f"{where} {seen}", "a model that answers", check)
    plain = said_by(causes)
    overflowing = any(isinstance(cause, langchain_errors.ContextOverflowError) for cause in causes) or status == 413
    if overflowing or (status not in _AGAIN and _TOO_LONG.search(plain)):
        check = "give less evidence (a smaller k), or use a model with a longer context"
        return CallFailed(f"the prompt is too long for {where}", "a shorter prompt", check)
    if status not in _AGAIN and _FILTERED.search(f"{error} {plain}"):
        return CallFailed(f"{where} filters this prompt", "a prompt that it answers", "word the text otherwise")
    said = clipped(without_secrets(plain or type(error).__name__, [settings.openai_api_key.get_secret_value()]))
    if status is not None:
        return _status_error(where, status, retry_after(headers), said)
    if any(isinstance(cause, _GONE) for cause in causes):
        check = "check that its server is running and its address is correct (openai_base_url or model_address)"
        return ModelFaltered(f"{where} cannot be reached", "a model that answers", check, again=True)
    if isinstance(error, _MISREADINGS):
        openai_like = name.startswith("openai:")
        said = "the reply contains no choice" if isinstance(error, IndexError) else said
        return ModelFaltered(
            f"{where} did not return a chat completion ({said})",
            "a server of the OpenAI protocol" if openai_like else "a server of the provider's protocol",
            "check OPENAI_BASE_URL (does it end in /v1?)" if openai_like else "check the server's address",
        )
    return ModelFaltered(f"{where} refused the call: {said}", "a model that answers", "follow the server's message")


def clipped(text: str) -> str:
    """Return a server's or model's text as one line, cut after `_SHOWN` characters."""
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}..."


def place(address: str) -> str:
    """Return scheme, host and port of an address, without user and password."""
    parts = urlsplit(address)
    try:
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        port = ""
    return f"{parts.scheme}://{parts.hostname}{port}"


def refuses_prompt(said: str) -> bool:
    """Return whether a server says that a prompt is too long or filtered."""
    return bool(_TOO_LONG.search(said) or _FILTERED.search(said))


def said_by(causes: Sequence[BaseException]) -> str:
    """Return what a server says in its error, given the error and its causes; otherwise the text of the error."""
    for cause in causes:
        said = message_in(getattr(cause, "body", None) or next(iter(cause.args[:1]), None))
        if said:
            return said
    return str(causes[0]) if causes else ""


def message_in(body: Any) -> str:
    """Return the message in the body of a server's error; empty if there is none.

    Servers use many forms: {"error": {"message": ...}}, {"error": "..."}, {"detail": "..."}, {"detail": [{"msg":
    "..."}]}, {"message": "..."}, or plain text.
    """
    for _ in range(4):
        if isinstance(body, list):
            body = body[0] if body else None
        if isinstance(body, Mapping):
            body = next((body[key] for key in ("message", "error", "detail", "msg") if body.get(key)), None)
    return body.strip() if isinstance(body, str) else ""


def _status_error(where: str, status: int, after: float | None, said: str) -> ModelFaltered:
    """Return the error for an HTTP status that concerns only this call."""
    asks = f"; it asks to wait {after:g} s" if after else ""
    seen, check = f"{where} refused the call: {said}", "follow the server's message"
    if status == 429:
        seen, check = f"{where} asks for fewer calls, or the quota is used up", "wait, or check the provider's quota"
    return ModelFaltered(
        seen + asks,
        "a model that answers",
        check,
        again=status in _AGAIN or status >= 500,
        after=after,
        overload=status in _OVERLOAD,
    )


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and its causes, because a driver's error often wraps the error of another library."""
    for _ in range(8):
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__


def _status_and_headers(causes: list[BaseException]) -> tuple[int | None, Mapping[str, str]]:
    """Return the HTTP status and the headers of the server's refusal, with header names in lower case."""
    for cause in causes:
        answer: Any = getattr(cause, "response", None)
        status = getattr(cause, "status_code", None) or getattr(answer, "status_code", None)
        if isinstance(status, int) and status >= 400:
            headers = getattr(answer, "headers", None) or {}
            return status, {str(name).lower(): str(value) for name, value in dict(headers).items()}
    return None, {}


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
        self, name: str, chat: BaseChatModel, way: Way, structured: Mapping[str, Any], address: str, settings: Settings
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
