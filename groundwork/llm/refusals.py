"""What a model driver's error means to us, said without secrets: by status, and by LangChain's own classes."""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

import httpx2
import openai
from langchain_core import exceptions as langchain_errors

from groundwork.errors import ModelFaltered, ModelUnreachable
from groundwork.retry import retry_after
from groundwork.secrets import without_secrets
from groundwork.settings import Settings

#: What drivers stumble over when a reply of status 200 is not of their protocol: they read it without checking it.
#: Only the driver runs where these are caught, and its arguments are ours and constant in shape.
_MISREADINGS = (AttributeError, IndexError, KeyError, TypeError, ValueError, openai.APIResponseValidationError)

_TOO_LATE = (langchain_errors.ModelTimeoutError, openai.APITimeoutError, httpx2.TimeoutException, TimeoutError)
_GONE = (langchain_errors.ModelConnectionError, openai.APIConnectionError, httpx2.HTTPError, ConnectionError)
_AGAIN = frozenset({408, 409, 425, 429})
_OVERLOAD = frozenset({429, 503, 529})

_SHOWN = 160  # characters of a server's own words; they may echo the prompt

#: What a status means that stands for every call: (what was seen, what to check).
_REFUSING = {
    401: ("refuses our key", "check the provider's API key (its value is not shown here)"),
    402: ("wants to be paid first", "check the account with the provider"),
    403: ("refuses our key", "check the provider's API key (its value is not shown here)"),
    404: (
        "does not know this model",
        "check the model's name, and that the address ends where the API starts (often /v1)",
    ),
}


def explained(error: Exception, name: str, address: str, settings: Settings) -> ModelUnreachable:
    """A driver's error in our words, without secrets: `ModelFaltered` where other calls may fare better.

    Args:
        error: As it was raised.
        name: The model.
        address: Where it is served; empty: the provider's own.
        settings: For the secrets.

    Raises:
        TimeoutError: The driver's own limit was over, which is the try's.
    """
    causes = list(_causes(error))
    if any(isinstance(cause, _TOO_LATE) for cause in causes):
        raise TimeoutError from None
    where = f"the model {name}{f' at {place(address)}' if address else ''}"
    status, headers = _answer(causes)
    if _exhausted(causes):
        return ModelUnreachable(f"{where} says the quota is used up", "a model that answers", "check the quota")
    if status in _REFUSING:
        seen, check = _REFUSING[status]
        return ModelUnreachable(f"{where} {seen}", "a model that answers", check)
    if any(isinstance(cause, langchain_errors.ContextOverflowError) for cause in causes) or status == 413:
        check = "give less evidence (a smaller --k) or use a model with a longer context"
        return ModelFaltered(f"{where} cannot hold so long a prompt", "a shorter prompt", check)
    said = clipped(without_secrets(str(error) or type(error).__name__, _ours(settings)))
    if status is not None:
        return _told(where, status, retry_after(headers), said)
    if any(isinstance(cause, _GONE) for cause in causes):
        check = "check that its server is running and that the address is right (openai_base_url or model_address)"
        return ModelFaltered(f"{where} cannot be reached", "a model that answers", check, again=True)
    if isinstance(error, _MISREADINGS):
        openai_like = name.startswith("openai:")
        said = "its reply holds no choice" if isinstance(error, IndexError) else said
        return ModelFaltered(
            f"{where} gave no chat completion ({said})",
            "an OpenAI-protocol server" if openai_like else "a server of the provider's protocol",
            "check OPENAI_BASE_URL (does it end in /v1?)" if openai_like else "check its address",
        )
    return ModelFaltered(f"{where} refused the call: {said}", "a model that answers", "see there")


def clipped(text: str) -> str:
    """A text from outside as one short line."""
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}..."


def place(address: str) -> str:
    """Scheme, host and port of an address: a user and password in it are left out."""
    parts = urlsplit(address)
    try:
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        port = ""
    return f"{parts.scheme}://{parts.hostname}{port}"


def _told(where: str, status: int, after: float | None, said: str) -> ModelFaltered:
    """What a status means for this one call."""
    asks = f"; it asks to wait {after:g} s" if after else ""
    seen, check = f"{where} refused the call: {said}", "see there"
    if status == 429:
        seen, check = f"{where} asks us to slow down, or the quota is used up", "wait, or check the quota there"
    return ModelFaltered(
        seen + asks,
        "a model that answers",
        check,
        again=status in _AGAIN or status >= 500,
        after=after,
        overload=status in _OVERLOAD,
    )


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error, and what it came from; drivers wrap one another."""
    for _ in range(8):
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__


def _answer(causes: list[BaseException]) -> tuple[int | None, Mapping[str, str]]:
    """Status and headers of the server's answer, by the names that drivers share; headers in lower case."""
    for cause in causes:
        answer: Any = getattr(cause, "response", None)
        status = getattr(cause, "status_code", None) or getattr(answer, "status_code", None)
        if isinstance(status, int) and status >= 400:
            headers = getattr(answer, "headers", None) or {}
            return status, {str(name).lower(): str(value) for name, value in dict(headers).items()}
    return None, {}


def _exhausted(causes: list[BaseException]) -> bool:
    """Whether the money is gone: the same status as for too many calls, yet waiting does not help."""
    return any(getattr(cause, "code", None) == "insufficient_quota" for cause in causes)


def _ours(settings: Settings) -> list[str]:
    return [settings.openai_api_key.get_secret_value()]
