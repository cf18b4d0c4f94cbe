"""What a model driver's error means to us, said without secrets. LangChain's own classes mean the same everywhere."""

from urllib.parse import urlsplit

import httpx2
import openai
from langchain_core import exceptions as langchain_errors

from groundwork.errors import ModelUnreachable, TimeLimit, TruthHypoError
from groundwork.settings import Settings

#: What LangChain and the drivers under it raise.
DRIVER_ERRORS = (langchain_errors.ModelError, openai.OpenAIError, httpx2.HTTPError, ConnectionError, TimeoutError)

#: What drivers stumble over when a reply of status 200 is not of their protocol: they read it without checking it.
#: Only the driver runs where these are caught, and its arguments are ours and constant in shape.
MISREADINGS = (AttributeError, IndexError, KeyError, TypeError, ValueError)

_TOO_LATE = (langchain_errors.ModelTimeoutError, openai.APITimeoutError, httpx2.TimeoutException, TimeoutError)

_SHOWN = 160  # characters of a server's own words; they may echo the prompt

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
        (langchain_errors.ModelConnectionError, openai.APIConnectionError, httpx2.HTTPError, ConnectionError),
        "cannot be reached",
        "check that its server is running and that the address (openai_base_url) is right",
    ),
)


def explained(error: Exception, name: str, settings: Settings) -> TruthHypoError:
    """A driver's error in our words, without secrets."""
    if isinstance(
        error, langchain_errors.ModelTimeoutError | openai.APITimeoutError | httpx2.TimeoutException | TimeoutError
    ):
        return TimeLimit(f"a call of the model {name}", settings.model_timeout, "model_timeout")
    where = f" at {_place(settings.openai_base_url)}" if name.startswith("openai:") and settings.openai_base_url else ""
    for classes, seen, check in _MEANINGS:
        if isinstance(error, classes):
            return ModelUnreachable(f"the model {name}{where} {seen}", "a model that answers", check)
    said = _said(error, settings)
    if isinstance(error, (*MISREADINGS, openai.APIResponseValidationError)):
        return ModelUnreachable(
            f"the model {name}{where} gave no chat completion ({said})",
            "an OpenAI-protocol server" if name.startswith("openai:") else "a server of the provider's protocol",
            "check OPENAI_BASE_URL (does it end in /v1?)" if name.startswith("openai:") else "check its address",
        )
    return ModelUnreachable(f"the model {name}{where} refused the call: {said}", "a model that answers", "see there")


def clipped(text: str) -> str:
    """A text from outside as one short line."""
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}..."


def _said(error: Exception, settings: Settings) -> str:
    """An error's text without our key (taken out first: half a key is not found), clipped."""
    said, key = str(error) or type(error).__name__, settings.openai_api_key.get_secret_value()
    return clipped(said.replace(key, "***") if key else said)


def _place(address: str) -> str:
    """Scheme, host and port of an address: a user and password in it are left out."""
    parts = urlsplit(address)
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname}{port}"
