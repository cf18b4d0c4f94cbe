r"""Split Cypher into tokens, so that the guard never mistakes a string or comment for a clause, and limit its nesting.

The lexers of Neo4j and ladybug differ in details (which characters are spaces, where a comment ends, which escapes
exist). If two lexers split a text differently, a clause could pass the guard unnoticed. Therefore everything on which
they could differ is either refused or rewritten: comments and unusual spaces become one plain space, and the store gets
the rewritten text. `\u` escapes are always refused, because Neo4j decodes them before it looks for strings.

The parsers of the stores are recursive, and a deeply nested query makes them overflow their stack or run for minutes.
Therefore the guard refuses such a query before a parser reads it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import NoReturn

from groundwork.errors import InputError, QueryRefused


class Kind(Enum):
    """The kind of a token."""

    WORD = "word"
    QUOTED = "quoted name"
    STRING = "string"
    NUMBER = "number"
    PARAMETER = "parameter"
    SYMBOL = "symbol"


@dataclass(frozen=True, slots=True)
class Token:
    """A token: its kind, its text, and its position in the rewritten query."""

    kind: Kind
    text: str
    at: int

    @property
    def upper(self) -> str:
        """The text, in capitals if the token is a word. So a quoted `MATCH` is not a keyword."""
        return self.text.upper() if self.kind is Kind.WORD else self.text


#: All characters that Unicode or a Cypher lexer treats as a space.
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
#: Maximum number of levels. ladybug 0.22 needs seconds for 200 brackets and more than half a minute for 500.
MOST_LEVELS = 200
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_CASE = "CASE"


def tokens(cypher: str) -> tuple[list[Token], str]:
    r"""Split a query into tokens.

    Args:
        cypher: The query as given.

    Returns:
        The tokens, and the rewritten query, in which each comment and each run of spaces is one space or line end.

    Raises:
        QueryRefused: If the query contains a `\u` escape or a NUL.
        InputError: If a string, quoted name or comment does not end, or an escape or character is unknown.
    """
    escape = _UNICODE_ESCAPE.search(cypher)
    if escape or "\0" in cypher:
        raise QueryRefused(
            "the query contains " + ("a \\u escape" if escape else "a NUL character"),
            "text without such characters",
            "write the character itself, or pass it as a parameter ($name)",
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
    """Yield the parts of the query in order: tokens, and between them plain spaces or line ends."""
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
    """Raise an error for a position where no token starts."""
    what = {"'": "a string", '"': "a string", "`": "a quoted name", "/*": "a comment", "$": "a parameter"}
    opened = what.get(cypher[at : at + 2]) or what.get(cypher[at])
    seen = f"{opened} that does not end, or has an unknown escape," if opened else f"the character {cypher[at]!r}"
    raise InputError(
        f"the query cannot be read: {seen} at position {at}: {cypher[at : at + 30]!r}",
        "Cypher with closed strings; escapes are \\\\ \\' \\\" \\b \\f \\n \\r \\t",
        "correct the query there, or pass the text as a parameter ($name)",
    )


@dataclass(frozen=True, slots=True)
class Depth:
    """How deep a query may be nested.

    Attributes:
        levels: Maximum number of levels of any kind (see `Nesting`) inside each other.
        subqueries: Maximum number of subqueries (EXISTS, COUNT, COLLECT, CALL) inside each other.
    """

    levels: int = MOST_LEVELS
    subqueries: int = MOST_LEVELS


class Nesting:
    """The levels that are open at one position of a query.

    A level is an open bracket, a CASE without its END, or an operator before its operand: NOT, a sign, the `!` of a
    label.

    Args:
        most: Maximum number of levels.
    """

    def __init__(self, most: int = MOST_LEVELS) -> None:
        self._most = most
        self._levels: list[tuple[str, int]] = []  # brackets and CASE, each with the number of operators before it
        self._operators = 0
        self._depth = 0

    def follow(self, token: Token, *, before_operand: bool, after_operand: bool) -> None:
        """Process the next token.

        Args:
            token: The token.
            before_operand: Whether an operand may begin at the token.
            after_operand: Whether an operand has ended with the token.

        Raises:
            InputError: If the query is nested deeper than `most` levels.
        """
        text = token.upper if token.kind in (Kind.WORD, Kind.SYMBOL) else ""
        if text in _OPENING or (text == _CASE and before_operand and not after_operand):
            self._levels.append((text, self._operators))
            self._depth += 1
            self._operators = 0
        elif text in _CLOSING:
            while self._levels and self._close() == _CASE:
                pass
        elif text == "END" and not before_operand and self._levels and self._levels[-1][0] == _CASE:
            self._close()
        elif after_operand or not before_operand:
            self._depth -= self._operators
            self._operators = 0
        else:
            self._depth += 1
            self._operators += 1
        if self._depth > self._most:
            raise InputError(
                f"the query is nested deeper than {self._most} levels at position {token.at}",
                f"at most {self._most} levels of brackets, CASE, NOT and signs",
                "use fewer levels, or pass nested values as a parameter ($name)",
            )

    def _close(self) -> str:
        """Close the innermost bracket or CASE with the operators in it and before it. Return its opening text."""
        kind, operators = self._levels.pop()
        self._depth -= 1 + self._operators + operators
        self._operators = 0
        return kind
