"""Language models by name: LangChain's providers, local transformers models, and scripts."""

import re
from pathlib import Path

from groundwork.errors import InputError
from groundwork.llm import providers
from groundwork.llm.asking import AskingModel
from groundwork.llm.chat_provider import ChatProvider
from groundwork.llm.scripted import ScriptedModel
from groundwork.llm.usage import Prices
from groundwork.ports import LanguageModel
from groundwork.settings import Settings

#: Providers that have an extra or are part of the core; LangChain's others work too, once installed.
NAMED = ("openai", "anthropic", "ollama", "huggingface", "scripted")


def connect(name: str, settings: Settings) -> LanguageModel:
    """The language model of that name. Nothing is sent before the first question.

    Args:
        name: `openai:NAME` (any server of its protocol, with openai_base_url), `anthropic:NAME`, `ollama:NAME`,
            `PROVIDER:NAME` of any package langchain_PROVIDER that is installed, `huggingface:NAME_OR_PATH` (run here
            by transformers), or `scripted:FILE` (a script of replies).
        settings: Addresses, keys, limits, prices, cache.

    Raises:
        InputError: No such name, a provider that is not installed, no key, or a budget of cost without prices.
    """
    provider, _, model = name.partition(":")
    if not model or not re.fullmatch(r"[a-z][a-z0-9_]*", provider):
        raise InputError(
            f"no language model is named {name!r}",
            f"PROVIDER:NAME, for instance with a provider among {', '.join(NAMED)}",
            "for instance openai:gpt-4o-mini; the setting model = rules works without a language model",
        )
    if provider == "scripted":
        return ScriptedModel.from_file(Path(model))
    if settings.model_budget_cost is not None and not Prices.of(settings).known:
        raise InputError(
            "a budget of cost for a model whose prices are unknown",
            "model_price_prompt and model_price_completion, each of a million tokens",
            "set them (for instance TRUTHHYPO_MODEL_PRICE_PROMPT), or limit the tokens: --budget-tokens",
        )
    return AskingModel.of(_provider(name, provider, model, settings), settings)


def _provider(name: str, provider: str, model: str, settings: Settings) -> ChatProvider:
    if provider == "huggingface":
        from groundwork.llm.local import LocalChatProvider  # torch: half a minute on a cold disk

        return LocalChatProvider(name, model, settings)
    chat, way, structured, address = providers.make(provider, model, settings)
    from groundwork.llm.chat import LangChainChatProvider  # takes seconds to import, so only when it is wanted

    return LangChainChatProvider(name, chat, way, structured, address, settings)
