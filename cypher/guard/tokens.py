r"""Cypher cut into tokens, so that the guard never mistakes a string or a comment for a clause.

The lexers of Neo4j and ladybug differ at the edges (which characters are spaces, where a comment ends, what an escape
is), and a text that two lexers cut differently is how a clause is smuggled past a guard. So what they could disagree
on is either refused here or rewritten: comments and unusual spaces become one plain space, and the cleaned text is
what the store gets. `\u` escapes are refused everywhere, since Neo4j decodes them before it looks for strings.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import NoReturn

from groundwork.errors import InputError, QueryRefused


class Kind(Enum):
    """What a token is."""

    WORD = "word"
    QUOTED = "quoted name"
    STRING = "string"
    NUMBER = "number"
    PARAMETER = "parameter"
    SYMBOL = "symbol"


@dataclass(frozen=True, slots=True)
class Token:
    """A token: its kind, its text as written, and its position in the cleaned query."""

    kind: Kind
    text: str
    at: int

    @property
    def upper(self) -> str:
        """The word in capitals; other tokens as they are, so that a quoted `MATCH` is no keyword."""
        return self.text.upper() if self.kind is Kind.WORD else self.text


#: All that Unicode or a Cypher lexer takes for a space.
_SPACES = "\t\n\v\f\r \x1c\x1d\x1e\x1f\x85\xa0\u1680\u180e\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_UNICODE_ESCAPE = re.compile(r"\\u", re.IGNORECASE)
_PARTS = re.compile(
    rf"""
      (?P<space>    [{_SPACES}]+ | //[^\n\r]* | /\*.*?\*/ )
    | (?P<string>   '(?:[^'\\]|\\['"\\bfnrt])*' | "(?:[^"\\]|\\['"\\bfnrt])*" )
    | (?P<quoted>   `(?:[^`\\]|``)+` )
    | (?P<parameter>\$(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]+|`[^`\\]+`) )
    | (?P<number>   0[xX][0-9a-fA-F]+ | 0[oO][0-7]+ | (?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)? )
    | (?P<word>     [^\W\d]\w* )
    | (?P<symbol>   \.\. | :: | =~ | <> | <= | >= | != | \|\| | /(?!\*) | [-+*%^=<>()\[\]{{}},.:;|&!?] )
    """,
    re.VERBOSE | re.DOTALL,
)
_KINDS = {
    "word": Kind.WORD,
    "quoted": Kind.QUOTED,
    "string": Kind.STRING,
    "number": Kind.NUMBER,
    "parameter": Kind.PARAMETER,
    "symbol": Kind.SYMBOL,
}


def tokens(cypher: str) -> tuple[list[Token], str]:
    r"""Cut a query into tokens.

    Args:
        cypher: The query as given.

    Returns:
        Its tokens, and the query cleaned: each comment or run of unusual spaces turned into one space.

    Raises:
        QueryRefused: A `\u` escape or a NUL.
        InputError: A string, quoted name or comment that does not end, an unknown escape or an unknown character.
    """
    escape = _UNICODE_ESCAPE.search(cypher)
    if escape or "\0" in cypher:
        raise QueryRefused(
            "the query holds " + ("a \\u escape" if escape else "a NUL character"),
            "text that means what it shows",
            "write the character itself, or pass it as a parameter: --param name=value",
        )
    found: list[Token] = []
    cleaned: list[str] = []
    length = 0
    for kind, text in _parts(cypher):
        if kind is not None:
            found.append(Token(kind, text, length))
        cleaned.append(text)
        length += len(text)
    return found, "".join(cleaned)


def _parts(cypher: str) -> Iterator[tuple[Kind | None, str]]:
    """The query in order: tokens, and what stands between them as plain spaces or line ends."""
    at = 0
    while at < len(cypher):
        part = _PARTS.match(cypher, at)
        if part is None:
            _unreadable(cypher, at)
        at = part.end()
        group = str(part.lastgroup)
        if group == "space":
            yield None, " " if part.group().startswith("/") or not part.group().isascii() else _plain(part.group())
        else:
            yield _KINDS[group], part.group()


def _plain(space: str) -> str:
    return "\n" if "\n" in space or "\r" in space else " "


def _unreadable(cypher: str, at: int) -> NoReturn:
    """Say what is wrong at a place where no token starts."""
    what = {"'": "a string", '"': "a string", "`": "a quoted name", "/*": "a comment", "$": "a parameter"}
    opened = what.get(cypher[at : at + 2]) or what.get(cypher[at])
    seen = f"{opened} that does not end, or holds an unknown escape," if opened else f"the character {cypher[at]!r}"
    raise InputError(
        f"cannot read the query: {seen} at position {at}: {cypher[at : at + 30]!r}",
        "Cypher with closed strings; escapes are \\\\ \\' \\\" \\b \\f \\n \\r \\t",
        "correct it there, or pass the text as a parameter: --param name=value",
    )
