"""Language models by name: LangChain's providers, local transformers models, and scripted replies."""

import re
from pathlib import Path

from groundwork.errors import InputError
from groundwork.llm import providers
from groundwork.llm.model_client import AskingModel
from groundwork.llm.replies import ChatProvider
from groundwork.llm.scripted import ScriptedModel
from groundwork.llm.usage import Prices
from groundwork.ports import LanguageModel
from groundwork.settings import Settings

#: Providers that are not LangChain's.
_OWN = ("huggingface", "scripted")
#: Providers that come with the program or with one of its extras (optional dependencies). Other LangChain providers
#: work once their packages are installed.
NAMED = ("openai", "anthropic", "ollama", *_OWN)


def connect(name: str, settings: Settings) -> LanguageModel:
    """Return the language model with this name. Nothing is sent before the first question.

    Args:
        name: `openai:NAME` (any server of the OpenAI protocol, see the setting openai_base_url), `anthropic:NAME`,
            `ollama:NAME`, `PROVIDER:NAME` for any installed package langchain_PROVIDER, `huggingface:NAME_OR_PATH` (run
            on this machine by transformers), or `scripted:FILE` (a file of replies).
        settings: Addresses, keys, limits, prices and cache.

    Raises:
        InputError: If the name is unknown, the provider is not installed, the key is missing, or a cost budget is set
            without prices.
    """
    provider, model = checked_name(name)
    if provider == "scripted":
        return ScriptedModel.from_file(Path(model))
    if settings.model_budget_cost is not None and not Prices.of(settings).known:
        raise InputError(
            "a cost budget for a model whose prices are unknown",
            "the settings model_price_prompt and model_price_completion, each the price of a million tokens",
            "set both prices (for instance TRUTHHYPO_MODEL_PRICE_PROMPT), or limit the tokens by model_budget_tokens",
        )
    return AskingModel.of(_provider(name, provider, model, settings), settings)


def checked_name(name: str) -> tuple[str, str]:
    """Return the provider and the rest of a language model's name. The provider's package is not imported.

    Raises:
        InputError: If the name has another form, or the provider is unknown or not installed.
    """
    provider, _, model = name.partition(":")
    if not model or not re.fullmatch(r"[a-z][a-z0-9_]*", provider):
        raise InputError(
            f"there is no language model named {name!r}",
            f"PROVIDER:NAME, with a provider such as {', '.join(NAMED)}",
            "name a model, for instance openai:gpt-4o-mini; or choose rules, which needs no language model",
        )
    if provider not in _OWN:
        providers.require(provider)
    return provider, model


def _provider(name: str, provider: str, model: str, settings: Settings) -> ChatProvider:
    if provider == "huggingface":
        from groundwork.llm.local import LocalChatProvider  # torch: half a minute on a cold disk

        return LocalChatProvider(name, model, settings)
    chat, way, structured, address = providers.make(provider, model, settings)
    from groundwork.llm.chat import LangChainChatProvider  # imported here because it takes seconds

    return LangChainChatProvider(name, chat, way, structured, address, settings)
