"""Access tokens of a service: who may read and who may judge. The token file holds only the SHA-256 of each token."""

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from typing import Literal, get_args

from groundwork.errors import InputError

Scope = Literal["read", "judge"]

#: The cookie in which a browser keeps its token.
COOKIE = "truthhypo_token"

_NAME = re.compile(r"[\w.@-]{1,64}")


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a token file.

    Attributes:
        scopes: The scope of each token (`read`, or `judge`, which includes `read`), by the SHA-256 of the token.
    """

    scopes: Mapping[str, Scope]

    @classmethod
    def read(cls, path: Path) -> "Tokens":
        """Read a token file, which holds one line `NAME SCOPE SHA256` per token.

        Raises:
            InputError: The file cannot be read or has no token, or a line has another form.
        """
        try:
            lines = path.read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(
                f"the token file {path} cannot be read: {error}",
                "a file of tokens",
                "make the file with: truthhypo serve token NAME",
            ) from None
        scopes: dict[str, Scope] = {}
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            match line.split():
                case [_, ("read" | "judge") as scope, digest] if re.fullmatch("[0-9a-f]{64}", digest):
                    scopes[digest] = scope
                case _:
                    raise InputError(
                        f"{path} line {number} is no token", "NAME SCOPE SHA256", "remove the line, or make a new token"
                    )
        if not scopes:
            raise InputError(
                f"the token file {path} has no token", "at least one token", "make one with: truthhypo serve token NAME"
            )
        return cls(scopes)

    def scope(self, token: str) -> Scope | None:
        """Return the scope of a token; None for an unknown token. All digests are compared, each in constant time."""
        digest = sha256(token.encode("utf-8", "replace")).hexdigest()
        found = [scope for held, scope in self.scopes.items() if compare_digest(held, digest)]
        return found[0] if found else None


def add(path: Path, name: str, scope: str) -> str:
    """Make a token, append its SHA-256 to a token file, and return the token. The token itself is not stored.

    Raises:
        InputError: The scope is unknown, the name contains spaces or other invalid characters, or the file cannot be
            written.
    """
    if scope not in get_args(Scope):
        raise InputError(f"the scope {scope!r}", "read or judge; judge includes read", "give --scope read or judge")
    if not _NAME.fullmatch(name):
        raise InputError(f"the name {name!r}", "1 to 64 letters, digits, or one of . _ @ -", "choose another name")
    token = secrets.token_urlsafe(32)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.touch(mode=0o600)
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{name} {scope} {sha256(token.encode()).hexdigest()}\n")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}", "a file", "give another --token-file") from None
    return token
