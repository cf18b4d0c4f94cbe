"""Secrets do not reach logs, pages, errors or run folders."""

import re

MASK = "********"

#: scheme://user:password@ up to the last @, also where the rest is no address.
_CREDENTIALS = re.compile(r"^(\s*[\w+.-]+:/*[^:@/]*):.*@", re.DOTALL)


def without_password(address: str) -> str:
    """The address with a password in it masked, however badly the address is written."""
    return _CREDENTIALS.sub(rf"\g<1>:{MASK}@", address)
