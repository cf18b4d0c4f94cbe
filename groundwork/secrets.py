"""Keep secrets out of logs, pages, errors and run folders."""

import re
from collections.abc import Iterable, Mapping
from os import environ

MASK = "********"

#: scheme://user:password@ up to the last @, even if the rest is not an address.
_CREDENTIALS = re.compile(r"^(\s*[\w+.-]+:/*[^:@/]*):.*@", re.DOTALL)

#: Names of environment variables in which programs keep secrets.
_SECRET = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)S?$")

#: Texts that look like keys: `sk-...`, `Bearer ...`.
_LOOKS = re.compile(r"\b(sk-|Bearer\s+)[\w.~+/=-]{8,}", re.IGNORECASE)


def without_password(address: str) -> str:
    """Return the address with its password masked, however malformed the address is."""
    return _CREDENTIALS.sub(rf"\g<1>:{MASK}@", address)


def without_secrets(text: str, secrets: Iterable[str] = (), environment: Mapping[str, str] | None = None) -> str:
    """Return a text from outside, e.g. a server's message, without the secrets that it may repeat.

    Args:
        text: The text.
        secrets: Secrets to hide; empty ones are ignored.
        environment: Environment variables; os.environ by default. Values of at least 8 characters are hidden as well if
            the name of the variable ends with KEY, TOKEN, SECRET or PASSWORD, or a plural of these words.
    """
    held = environ if environment is None else environment
    kept = [value for name, value in held.items() if _SECRET.search(name.upper()) and len(value) >= 8]
    for secret in sorted({*filter(None, secrets), *kept}, key=len, reverse=True):
        text = text.replace(secret, "***")
    return _LOOKS.sub(r"\1***", text)
