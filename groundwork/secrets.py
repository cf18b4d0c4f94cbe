"""Secrets do not reach logs, pages, errors or run folders."""

import re
from collections.abc import Iterable, Mapping
from os import environ

MASK = "********"

#: scheme://user:password@ up to the last @, also where the rest is no address.
_CREDENTIALS = re.compile(r"^(\s*[\w+.-]+:/*[^:@/]*):.*@", re.DOTALL)

#: Variables in which other programs keep secrets.
_SECRET = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)S?$")

#: What looks like a key wherever it stands: `sk-...`, `Bearer ...`.
_LOOKS = re.compile(r"\b(sk-|Bearer\s+)[\w.~+/=-]{8,}", re.IGNORECASE)


def without_password(address: str) -> str:
    """The address with a password in it masked, however badly the address is written."""
    return _CREDENTIALS.sub(rf"\g<1>:{MASK}@", address)


def without_secrets(text: str, secrets: Iterable[str] = (), environment: Mapping[str, str] | None = None) -> str:
    """A text from outside, e.g. a server's words, without the secrets that it may repeat.

    Args:
        text: The text.
        secrets: Ours; empty ones are passed over.
        environment: Stands in for os.environ, whose keys and tokens are ours as well.
    """
    held = environ if environment is None else environment
    kept = [value for name, value in held.items() if _SECRET.search(name.upper()) and len(value) >= 8]
    for secret in sorted({*filter(None, secrets), *kept}, key=len, reverse=True):
        text = text.replace(secret, "***")
    return _LOOKS.sub(r"\1***", text)
