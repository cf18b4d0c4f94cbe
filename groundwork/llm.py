"""Chat models behind the port `LanguageModel`, through LangChain: `openai:NAME` and other providers by extra.

Structured output is asked for by JSON schema, and what comes back is read strictly by `replies`, whatever the
provider promised. Errors of drivers are mapped here: no caller above ever sees one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import openai
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel

from groundwork.errors import InputError, ReplyError
from groundwork.ports import LanguageModel
from groundwork.refusals import DRIVER_ERRORS, explained
from groundwork.replies import Turn, converse
from groundwork.scripted import ScriptedModel
from groundwork.settings import Settings

Shape = TypeVar("Shape", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Provider:
    """Where a provider's LangChain class lives, and how it is made from our settings.

    Attributes:
        module: Its package.
        chat: The chat class in it.
        extra: The extra of this distribution that installs it.
        arguments: Arguments for the class, from the settings.
        structured: Arguments for `with_structured_output` beyond the JSON schema.
    """

    module: str
    chat: str
    extra: str
    arguments: Callable[[Settings], dict[str, Any]]
    structured: Mapping[str, Any] = field(default_factory=dict)


def _openai(settings: Settings) -> dict[str, Any]:
    key = settings.openai_api_key.get_secret_value()
    if not key and not settings.openai_base_url:
        raise InputError(
            "no key for the OpenAI API",
            "the setting openai_api_key, or the address of another server in openai_base_url",
            "set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own",
        )
    # A server of one's own often asks for no key, yet the client insists on one.
    return {
        "api_key": key or "none",
        "base_url": settings.openai_base_url or None,
        "timeout": settings.model_timeout,
        "max_tokens": settings.model_tokens,
    }


PROVIDERS: dict[str, Provider] = {
    "openai": Provider("langchain_openai", "ChatOpenAI", "", _openai, {"strict": True}),
    "anthropic": Provider(
        "langchain_anthropic",
        "ChatAnthropic",
        "anthropic",
        lambda settings: {"timeout": settings.model_timeout, "max_tokens": settings.model_tokens},
    ),
    "ollama": Provider(
        "langchain_ollama",
        "ChatOllama",
        "ollama",
        lambda settings: {
            "num_predict": settings.model_tokens,
            "client_kwargs": {"timeout": settings.model_timeout},
        },
    ),
}


def connect(name: str, settings: Settings) -> LanguageModel:
    """The language model of that name. Nothing is sent before the first question.

    Args:
        name: `openai:NAME`, `anthropic:NAME`, `ollama:NAME`, or `scripted:FILE` (a script of replies).
        settings: Addresses, keys and limits.

    Raises:
        InputError: An unknown provider, no model name, a provider whose extra is not installed, or no key.
    """
    provider, _, model = name.partition(":")
    if provider == "scripted" and model:
        return ScriptedModel.from_file(Path(model))
    known = PROVIDERS.get(provider)
    if known is None or not model:
        raise InputError(
            f"no language model is named {name!r}",
            f"PROVIDER:NAME with a provider among {', '.join([*PROVIDERS, 'scripted'])}",
            "for instance openai:gpt-4o-mini; the setting model = rules works without a language model",
        )
    try:
        chat = getattr(import_module(known.module), known.chat)
    except ModuleNotFoundError:
        raise InputError(
            f"the provider {provider!r} is not installed",
            f"the package {known.module}",
            f"install it with: pip install 'truthhypo[{known.extra}]'",
        ) from None
    return ChatModel(name, chat(model=model, **known.arguments(settings)), known.structured, settings)


class ChatModel:
    """A LangChain chat model as a `LanguageModel`; safe to use from several threads.

    Args:
        name: As it is printed and stored.
        chat: The LangChain model.
        structured: Arguments for `with_structured_output` beyond the JSON schema.
        settings: The time limit, and the address and key for error messages.
    """

    def __init__(self, name: str, chat: BaseChatModel, structured: Mapping[str, Any], settings: Settings) -> None:
        self.name = name
        self._chat = chat
        self._structured = dict(structured)
        self._settings = settings
        self._lock = Lock()
        self._usage = {"calls": 0, "prompt_tokens": 0, "completion_tokens": 0, "repairs": 0}

    def ask(self, system: str, prompt: str, shape: type[Shape], *, temperature: float = 0.0, seed: int = 0) -> Shape:
        """One answer as a typed value; see `LanguageModel.ask`.

        Raises:
            ReplyError: The reply did not fit the second time either.
            ModelUnreachable: The model is not there, or refuses us.
            TimeLimit: No reply within the setting `model_timeout`.
        """
        wanted = {"temperature": temperature, "seed": seed}
        fields = type(self._chat).model_fields
        chat = self._chat.model_copy(update={name: value for name, value in wanted.items() if name in fields})
        structured = chat.with_structured_output(
            shape.model_json_schema(), method="json_schema", include_raw=True, **self._structured
        )

        def say(turns: Sequence[Turn]) -> str:
            self._count(calls=1)
            try:
                answer: Any = structured.invoke([_message(turn) for turn in turns])
            except openai.LengthFinishReasonError as error:
                self._count_tokens(error.completion.usage)
                limit = self._settings.model_tokens
                raise _no_reply(f"broken off after {limit} tokens (the setting model_tokens)") from None
            except openai.ContentFilterFinishReasonError:
                raise _no_reply("stopped by the provider's content filter") from None
            except DRIVER_ERRORS as error:
                raise explained(error, self.name, self._settings) from None
            return self._text(answer["raw"])

        return converse(say, system, prompt, shape, lambda: self._count(repairs=1))

    def usage(self) -> dict[str, int]:
        """Calls, prompt tokens, completion tokens and repairs since the model was made."""
        with self._lock:
            return dict(self._usage)

    def _text(self, message: AIMessage) -> str:
        tokens = message.usage_metadata or {"input_tokens": 0, "output_tokens": 0}
        self._count(prompt_tokens=tokens["input_tokens"], completion_tokens=tokens["output_tokens"])
        refusal = message.additional_kwargs.get("refusal")
        if refusal:
            raise _no_reply(f"refused by the model: {refusal}")
        return message.text

    def _count_tokens(self, usage: Any) -> None:
        if usage is not None:
            self._count(prompt_tokens=usage.prompt_tokens, completion_tokens=usage.completion_tokens)

    def _count(self, **amounts: int) -> None:
        with self._lock:
            for name, amount in amounts.items():
                self._usage[name] += amount


def _message(turn: Turn) -> BaseMessage:
    classes: dict[str, type[BaseMessage]] = {"system": SystemMessage, "user": HumanMessage, "assistant": AIMessage}
    return classes[turn.role](content=turn.text)


def _no_reply(reason: str) -> ReplyError:
    return ReplyError(f"the reply was {reason}", "a whole reply", "ask a shorter question or another model")
