"""LangChain's chat models by provider: where each class is, and how it is created from the settings.

Importing LangChain takes seconds, so a provider's package is imported only when one of its models is needed. For a
provider that is not listed here, LangChain's naming convention applies: the package `langchain_PROVIDER` with one chat
model in it.
"""

import inspect
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

from groundwork.errors import InputError, without_secrets
from groundwork.settings import Settings

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from groundwork.llm.chat import Way


@dataclass(frozen=True, slots=True)
class Provider:
    """Where a provider's LangChain class is.

    Attributes:
        module: Name of the package.
        chat: Name of the chat class; empty if the package offers exactly one.
        extra: The extra (optional dependencies) of this distribution that installs the package; empty if there is none.
        way: How the shape of a reply is requested; None to choose a way that the class supports.
        structured: Arguments for `with_structured_output` beyond the JSON schema.
    """

    module: str
    chat: str = ""
    extra: str = ""
    way: "Way | None" = None
    structured: Mapping[str, Any] = field(default_factory=dict)


#: Providers whose package follows LangChain's naming convention.
_BY_CUSTOM = (
    "baseten",
    "cohere",
    "deepseek",
    "fireworks",
    "groq",
    "ibm",
    "litellm",
    "meta",
    "mistralai",
    "openrouter",
    "perplexity",
    "together",
    "upstage",
    "xai",
)

#: All known providers by name. Those that do not follow the convention, or for which more is known, come first.
PROVIDERS: dict[str, Provider] = {
    "openai": Provider("langchain_openai", "ChatOpenAI", "", "json_schema", {"strict": True}),
    # Only newer models accept JSON schemas; all of them accept tools.
    "anthropic": Provider("langchain_anthropic", "ChatAnthropic", "anthropic", "function_calling"),
    "ollama": Provider("langchain_ollama", "ChatOllama", "ollama", "json_schema"),
    "azure_ai": Provider("langchain_azure_ai.chat_models", "AzureAIOpenAIApiChatModel"),
    "azure_openai": Provider("langchain_openai", "AzureChatOpenAI", "", "json_schema"),
    "bedrock": Provider("langchain_aws", "ChatBedrock"),
    "bedrock_converse": Provider("langchain_aws", "ChatBedrockConverse"),
    "google_genai": Provider("langchain_google_genai", "ChatGoogleGenerativeAI"),
    "google_vertexai": Provider("langchain_google_vertexai", "ChatVertexAI"),
    "nvidia": Provider("langchain_nvidia_ai_endpoints", "ChatNVIDIA"),
    **{name: Provider(f"langchain_{name}") for name in _BY_CUSTOM},
}

#: The names that chat classes use for the same argument, in order of preference.
_NAMES = {
    "model": ("model", "model_name", "model_id"),
    "seconds": ("timeout", "request_timeout"),
    "tokens": ("max_tokens", "max_completion_tokens", "max_output_tokens", "num_predict"),
    "tries": ("max_retries",),
    "address": ("base_url", "endpoint", "endpoint_url"),
}


def require(provider: str) -> None:
    """Check that a provider's package is installed. The package is not imported, because that takes seconds.

    Raises:
        InputError: If there is no such provider, or its package is not installed.
    """
    known = PROVIDERS.get(provider, Provider(f"langchain_{provider}"))
    if find_spec(known.module.partition(".")[0]) is None:
        raise _missing(provider, known)


def chat_class(provider: str) -> "type[BaseChatModel]":
    """Return the provider's chat class.

    Raises:
        InputError: If the package is not installed, or if it is unclear which of its classes is the chat model.
    """
    from langchain_core.language_models import BaseChatModel

    known = PROVIDERS.get(provider, Provider(f"langchain_{provider}"))
    try:
        module = import_module(known.module)
    except ModuleNotFoundError:
        raise _missing(provider, known) from None
    named = getattr(module, known.chat, None) if known.chat else None
    found = [named] if named else _chat_classes(module, BaseChatModel)
    if len(found) != 1:
        raise InputError(
            f"the package {known.module} has {len(found)} chat models, and none of them is named {provider!r}",
            "a package with one chat model",
            "serve the model with the OpenAI protocol (openai:NAME with OPENAI_BASE_URL)",
        )
    chat: type[BaseChatModel] = found[0]
    return chat


def make(provider: str, model: str, settings: Settings) -> "tuple[BaseChatModel, Way, Mapping[str, Any], str]":
    """Return a chat model and the values that its requests need.

    Returns:
        The model, the way to request replies that fit a JSON schema, further arguments for `with_structured_output`,
        and the address of the server ("" for the provider's own server).

    Raises:
        InputError: If the provider is not installed or cannot be set up, for instance because a key is missing.
    """
    chat, known = chat_class(provider), PROVIDERS.get(provider, Provider(""))
    address = settings.model_address or (settings.openai_base_url if provider == "openai" else "")
    arguments = _arguments(
        chat,
        {
            "model": model,
            "seconds": settings.model_timeout,
            "tokens": settings.model_tokens,
            "tries": 0,  # this program retries by itself
            "address": address or None,
        },
    )
    if provider == "openai":
        arguments["api_key"] = _openai_key(settings)
        arguments["http_client"] = _http_client(settings.model_timeout)
    if provider == "ollama":
        arguments["client_kwargs"] = {"timeout": settings.model_timeout}
    try:
        made = chat(**arguments)
    except Exception as error:  # noqa: BLE001 - the class of an unknown package may raise any type
        said = " ".join(without_secrets(str(error), [settings.openai_api_key.get_secret_value()]).split())[:300]
        raise InputError(
            f"the provider {provider!r} cannot be set up: {said}",
            "the provider's key and address, usually in environment variables",
            f"set them as the documentation of {known.module or f'langchain_{provider}'} says",
        ) from None
    ways: dict[str, Way | None] = {"auto": known.way, "schema": known.way, "prompt": "prompt"}
    return made, ways[settings.model_answers] or _way(chat), known.structured, address


def _http_client(seconds: float) -> Any:
    """Return an HTTP client that mends two kinds of answers with status 200 that the driver cannot read.

    Some servers of the OpenAI protocol send {"error": ...} with this status. The driver would see an answer without
    choices and lose what the server said. Others send the arguments of a tool call as an object, not as its JSON.
    """
    import openai

    from groundwork.llm.chat import message_in

    def correct(response: Any) -> None:
        if response.status_code == 200 and "json" in response.headers.get("content-type", ""):
            response.read()
            with suppress(ValueError):
                body = response.json()
                if isinstance(body, dict) and not body.get("choices") and message_in(body):
                    response.status_code = 400
                elif _write_arguments(body):
                    response._content = json.dumps(body).encode()

    return openai.DefaultHttpxClient(timeout=seconds, event_hooks={"response": [correct]})


def _write_arguments(body: Any) -> bool:
    """Write the arguments of tool calls that are objects as JSON. Return whether there were any."""
    changed = False
    for choice in body.get("choices") or () if isinstance(body, dict) else ():
        message = choice.get("message") if isinstance(choice, dict) else None
        for call in (message.get("tool_calls") or ()) if isinstance(message, dict) else ():
            function = call.get("function") if isinstance(call, dict) else None
            if isinstance(function, dict) and isinstance(function.get("arguments"), dict):
                function["arguments"] = json.dumps(function["arguments"])
                changed = True
    return changed


def _arguments(chat: "type[BaseChatModel]", wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that the class accepts, under the names that the class gives them; leave out the others."""
    taken = {name for key, info in chat.model_fields.items() for name in (key, info.alias) if name}
    arguments = {}
    for meaning, value in wanted.items():
        name = next((name for name in _NAMES[meaning] if name in taken), None)
        if name is not None and value is not None:
            arguments[name] = value
    return arguments


def _way(chat: "type[BaseChatModel]") -> "Way":
    """Return how models of this class are asked for the shape of a reply: `prompt` if no other way is supported."""
    from langchain_core.language_models import BaseChatModel

    method = inspect.signature(chat.with_structured_output).parameters.get("method")
    if method is not None and "json_schema" in str(method.annotation):
        return "json_schema"
    return "prompt" if chat.bind_tools is BaseChatModel.bind_tools else "function_calling"


def _chat_classes(module: ModuleType, base: type) -> list[Any]:
    offered: Iterable[str] = getattr(module, "__all__", None) or vars(module)
    found = {value for name in offered if inspect.isclass(value := getattr(module, name, None))}
    return [value for value in found if issubclass(value, base) and value is not base]


def _openai_key(settings: Settings) -> str:
    key = settings.openai_api_key.get_secret_value()
    if not key and not (settings.openai_base_url or settings.model_address):
        raise InputError(
            "no key for the OpenAI API",
            "the setting openai_api_key, or the address of another server in openai_base_url",
            "set OPENAI_API_KEY, or set OPENAI_BASE_URL if you run your own server",
        )
    return key or "none"  # private servers often need no key, but the client requires one


def _missing(provider: str, known: Provider) -> InputError:
    package = known.module.partition(".")[0].replace("_", "-")
    if provider not in PROVIDERS:  # the package may not exist, so the message does not name one to install
        return InputError(
            f"there is no provider of language models named {provider!r}",
            f"PROVIDER:NAME with a provider among {', '.join([*PROVIDERS, 'huggingface', 'scripted'])}",
            "correct the name; or, for another provider, install its LangChain package, "
            f"which contains the module {known.module}",
        )
    mend = f"'truthhypo[{known.extra}]'" if known.extra else package
    return InputError(
        f"the provider {provider!r} is not installed", f"the package {package}", f"install it with: pip install {mend}"
    )
