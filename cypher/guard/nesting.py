"""Limit the nesting depth of a query.

The parsers of the stores are recursive, and a deeply nested query makes them overflow their stack or run for minutes.
Therefore the guard refuses such a query before a parser reads it.
"""

from dataclasses import dataclass

from cypher.guard.tokens import Kind, Token
from groundwork.errors import InputError

#: Maximum number of levels. ladybug 0.22 needs seconds for 200 brackets and more than half a minute for 500.
MOST = 200


@dataclass(frozen=True, slots=True)
class Depth:
    """How deep a query may be nested.

    Attributes:
        levels: Maximum number of levels of any kind (see `Nesting`) inside each other.
        subqueries: Maximum number of subqueries (EXISTS, COUNT, COLLECT, CALL) inside each other.
    """

    levels: int = MOST
    subqueries: int = MOST


_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_CASE = "CASE"


class Nesting:
    """The levels that are open at one position of a query.

    A level is an open bracket, a CASE without its END, or an operator before its operand: NOT, a sign, the `!` of a
    label.

    Args:
        most: Maximum number of levels.
    """

    def __init__(self, most: int = MOST) -> None:
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
