"""What a model driver's error means to us, said without secrets. LangChain's own classes mean the same everywhere."""

from urllib.parse import urlsplit

import httpx
import openai
from langchain_core import exceptions as langchain_errors

from groundwork.errors import ModelUnreachable, TimeLimit, TruthHypoError
from groundwork.settings import Settings

#: What LangChain and the drivers under it raise.
DRIVER_ERRORS = (langchain_errors.ModelError, openai.OpenAIError, httpx.HTTPError, ConnectionError)

#: Which class means what, first match wins: (classes, what was seen, what to check).
_MEANINGS: tuple[tuple[tuple[type[Exception], ...], str, str], ...] = (
    (
        (langchain_errors.ModelAuthenticationError, langchain_errors.ModelPermissionDeniedError),
        "refuses our key",
        "check the provider's API key (its value is not shown here)",
    ),
    (
        (langchain_errors.ModelNotFoundError,),
        "does not know this model",
        "check the model's name, and that the address ends where the API starts (often /v1)",
    ),
    (
        (langchain_errors.ModelRateLimitError,),
        "asks us to slow down, or the quota is used up",
        "wait, or check the quota with the provider",
    ),
    (
        (langchain_errors.ContextOverflowError,),
        "cannot hold so long a prompt",
        "give less evidence (a smaller --k) or use a model with a longer context",
    ),
    (
        (langchain_errors.ModelConnectionError, openai.APIConnectionError, httpx.HTTPError, ConnectionError),
        "cannot be reached",
        "check that its server is running and that the address (openai_base_url) is right",
    ),
)


def explained(error: Exception, name: str, settings: Settings) -> TruthHypoError:
    """A driver's error in our words, without secrets."""
    if isinstance(error, langchain_errors.ModelTimeoutError | openai.APITimeoutError | httpx.TimeoutException):
        return TimeLimit(f"a call of the model {name}", settings.model_timeout, "model_timeout")
    where = f" at {_place(settings.openai_base_url)}" if name.startswith("openai:") and settings.openai_base_url else ""
    for classes, seen, check in _MEANINGS:
        if isinstance(error, classes):
            return ModelUnreachable(f"the model {name}{where} {seen}", "a model that answers", check)
    said = str(error).splitlines()[0] if str(error) else type(error).__name__
    key = settings.openai_api_key.get_secret_value()
    said = said.replace(key, "***") if key else said
    return ModelUnreachable(f"the model {name}{where} refused the call: {said}", "a model that answers", "see there")


def _place(address: str) -> str:
    """Scheme, host and port of an address: a user and password in it are left out."""
    parts = urlsplit(address)
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname}{port}"
