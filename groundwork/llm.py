"""Language models by name: `openai:NAME` and other providers through LangChain, and `scripted:FILE`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from groundwork.errors import InputError
from groundwork.ports import LanguageModel
from groundwork.scripted import ScriptedModel
from groundwork.settings import Settings


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
    from groundwork.chat import ChatModel  # takes seconds to import, so only when it is wanted

    return ChatModel(name, chat(model=model, **known.arguments(settings)), known.structured, settings)
