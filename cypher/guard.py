"""Check that a free query (Cypher that a user wrote) only reads, and its parameters, before a store runs the query.

The check uses the structure of the query. The guard goes through the tokens and tracks one state: a clause must come
next, an operand may come next, or an operand has just ended. A word in the place of an operand is a name or a function.
A word after an operand is an infix word or opens a clause, and it must be on a list of allowed words. So `n.load`,
`:Set` and `{delete: 1}` are allowed. SET is not allowed, and neither is a clause of a future version of Cypher. If an
operator could also end an operand (`((a)-->(b))+ CREATE`, `3! SET`, `1. SET`), the guard uses the stricter
interpretation. In addition, the store runs the query read-only.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from math import isfinite
from typing import Any, NoReturn

from cypher.tokens import Depth, Kind, Nesting, Token, tokens
from groundwork.errors import InputError, QueryRefused
from groundwork.readable import broken

#: Words that open a query or a subquery.
_OPENING = frozenset({"MATCH", "OPTIONAL", "WITH", "UNWIND", "RETURN", "CALL"})
#: Words that open a clause after another clause has ended.
_CLAUSES = _OPENING | {"WHERE", "ORDER", "SKIP", "OFFSET", "LIMIT", "UNION"}
#: Words that follow an operand and must be followed by another operand.
_INFIX = frozenset(
    {"AND", "OR", "XOR", "NOT", "IN", "STARTS", "ENDS", "CONTAINS", "IS", "AS", "WHERE", "WHEN", "THEN", "ELSE"}
)
#: Words that follow an operand and need no operand after them.
_POSTFIX = frozenset({"ASC", "ASCENDING", "DESC", "DESCENDING", "END"})
#: Words of path patterns. They need no operand after them.
_PATTERN = frozenset({"SHORTEST", "PATH", "PATHS", "GROUP", "GROUPS", "ACYCLIC", "TRAIL", "WALK"})
#: Words that precede an operand.
_PREFIX = frozenset({"NOT", "DISTINCT", "CASE", "WHEN"})
#: Words that must be followed by one of a few other words.
_PAIRED = {
    "ORDER": frozenset({"BY"}),
    "STARTS": frozenset({"WITH"}),
    "ENDS": frozenset({"WITH"}),
    "OPTIONAL": frozenset({"MATCH"}),
    "IS": frozenset({"NOT", "NULL"}),
}
#: Words that, if a brace follows, open a subquery that returns a value.
_SUBQUERIES = frozenset({"EXISTS", "COUNT", "COLLECT"})
#: Words that write, load or administer in some dialect; allowed as a bare name only where no clause is possible.
_DANGEROUS = frozenset(
    """
    ALTER ANALYZE ATTACH BEGIN CALL CHECKPOINT COMMENT COMMIT COPY CREATE CYPHER DEALLOCATE DELETE DENY DETACH DROP
    DRYRUN ENABLE EXPLAIN EXPORT FINISH FOREACH FORCE GRANT IMPORT INSERT INSTALL LET LOAD MERGE NEXT NODETACH PROFILE
    REMOVE RENAME REVOKE ROLLBACK SET SHOW START STOP TERMINATE UNINSTALL UPDATE USE USING YIELD
    """.split()  # noqa: SIM905 - a list of 47 quoted words is no easier to read
)
#: Namespaces of built-in functions. Functions in other namespaces (apoc, plugins) may write or reach external systems.
_NAMESPACES = frozenset({"date", "datetime", "time", "localtime", "localdatetime", "duration", "point", "vector"})

#: Maximum size of a query's text in bytes.
MOST_BYTES = 100_000
#: The stores hold integers from -2^63 to 2^63 - 1.
_INTEGERS = 2**63
_DEPTH = Depth()
_CLOSERS = {"(": ")", "[": "]", "{": "}"}
#: After these symbols, a dangerous word is more likely a clause than a name, because these symbols can end a pattern.
_DOUBTFUL = frozenset({"+", "*", "-", "/", "%", "^", "=", "<", ">", "<=", ">=", "<>", "=~", "?", "!"})


class Expect(Enum):
    """The state of the guard: what may come next."""

    CLAUSE = "a clause"
    OPERAND = "an operand"
    NEXT = "an operator, or the next clause"


@dataclass(slots=True)
class Frame:
    """An open bracket: its closing bracket, whether it contains clauses, and whether it belongs to CALL."""

    closer: str
    clauses: bool
    called: bool = False
    pattern: bool = False  # inside MATCH and before WHERE, where + and * are quantifiers


def permitted(cypher: str, parameters: Mapping[str, Any] | None, depth: Depth = _DEPTH) -> tuple[str, dict[str, Any]]:
    """Check a query and its parameters. Return the text that the store may run, and the parameters.

    Args:
        cypher: A query as the user wrote it.
        parameters: The parameters by name.
        depth: How deep the query may be nested.

    Raises:
        QueryRefused: If the query does more than read.
        InputError: If the query is not Cypher, a parameter is missing, or a parameter contains a value that not every
            store can hold.
    """
    query, named = checked(cypher, depth)
    given = dict(parameters or {})
    missing = sorted(named - given.keys())
    if missing:
        raise InputError(
            f"the query names the parameter{'s' * (len(missing) > 1)} {', '.join('$' + name for name in missing)}",
            "a value for each parameter",
            f"give a value for the parameter {missing[0]}",
        )
    _check_value("the name of a parameter", list(given))
    for name, value in given.items():
        _check_value(f"the parameter ${name}", value)
    return query, given


def checked(cypher: str, depth: Depth = _DEPTH) -> tuple[str, frozenset[str]]:
    """Check a query. Return the text that the store may run, and the names of its parameters.

    Args:
        cypher: A query as the user wrote it.
        depth: How deep the query may be nested.

    Returns:
        The same query without comments and without a final semicolon; the names of its parameters.

    Raises:
        QueryRefused: If the query has a clause, procedure or function that is not allowed; the message names it.
        InputError: If the text is not Cypher or not valid Unicode, is longer than MOST_BYTES, or is nested too deeply.
    """
    if broken(cypher):
        raise InputError(
            "the query contains an unpaired surrogate (half of a UTF-16 pair)", "valid Unicode", "leave it out"
        )
    size = len(cypher.encode())
    if size > MOST_BYTES:
        raise InputError(
            f"a query of {size} bytes",
            f"at most {MOST_BYTES} bytes",
            "pass long lists and texts as parameters ($name)",
        )
    found, cleaned = tokens(cypher)
    if found and found[-1].text == ";":
        cleaned = cleaned[: found.pop().at]
    if not found:
        raise InputError("the query is empty", "a Cypher query", "an example: MATCH (c:Concept) RETURN c.key LIMIT 10")
    Guard(found, depth).walk()
    return cleaned.strip(), frozenset(t.text[1:].strip("`") for t in found if t.kind is Kind.PARAMETER)


def subqueries(cypher: str) -> frozenset[str]:
    """Return which of the words CALL, EXISTS, COUNT and COLLECT open a subquery in an allowed query.

    Raises:
        QueryRefused: As `checked`.
    """
    guard = Guard(tokens(cypher)[0])
    guard.walk()
    return frozenset(guard.subqueries)


class Guard:
    """Checks the tokens of one query, in order."""

    def __init__(self, found: list[Token], depth: Depth = _DEPTH) -> None:
        self.tokens = found
        self.depth = depth
        self.frames = [Frame("", clauses=True)]
        self.expect = Expect.CLAUSE
        self.pair: frozenset[str] = frozenset()  # one of these words must come next
        self.called = False  # whether CALL was read and its subquery has not begun
        self.subqueries: set[str] = set()  # words that opened a subquery
        self.chain = -1  # index of the last token of the most recently checked dotted name

    def walk(self) -> None:
        """Check the query to its end.

        Raises:
            QueryRefused: As `checked`.
            InputError: If brackets or clauses are incomplete, or nested too deeply.
        """
        nesting = Nesting(self.depth.levels)
        for i, token in enumerate(self.tokens):
            operand = self.expect is Expect.OPERAND
            if self.pair and token.upper not in self.pair:
                self._refuse(token, " or ".join(sorted(self.pair)))
            if token.kind is Kind.SYMBOL:
                self._symbol(i, token)
            elif token.kind is Kind.WORD and not self._is_name(i):
                self._word(i, token)
            else:
                self._operand(i, token)
            nesting.follow(token, before_operand=operand, after_operand=self.expect is Expect.NEXT)
        if len(self.frames) > 1 or self.pair or self.called:
            wanted = self.frames[-1].closer or "the rest of the clause"
            raise InputError(f"the query ends too early, after {self.tokens[-1].text!r}", wanted, "complete the query")

    def _text(self, i: int) -> str:
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def _is_name(self, i: int) -> bool:
        """Return whether a word can only be a property, label, type or map key at its place, even if it is `SET`."""
        before, after, frame = self._text(i - 1), self._text(i + 1), self.frames[-1]
        if before == ".":
            return True
        if before in (":", "&", "|", "!"):  # a label, unless it is a map or list value that calls a function
            name = after not in (".", "(") and self.tokens[i].upper != "WHERE"
            return name and (before in (":", "&") or self.expect is Expect.OPERAND)
        return before in ("{", ",") and after == ":" and frame.closer == "}" and not frame.clauses

    # -- words

    def _operand(self, i: int, token: Token) -> None:
        """Process a literal, a parameter or a plain name."""
        if self.expect is Expect.CLAUSE or self.called:
            self._refuse(token, "a clause")
        if token.kind is Kind.QUOTED and self.expect is Expect.OPERAND:
            self._function(i)
        self.expect = Expect.NEXT

    def _word(self, i: int, token: Token) -> None:
        word, pair, self.pair = token.upper, self.pair, frozenset()
        if self.called:
            self._refuse(token, "CALL { ... } with a reading subquery; procedures are not allowed")
        if pair and word != "MATCH":  # ORDER BY, STARTS WITH, ENDS WITH, IS NULL, IS NOT NULL
            self.pair = frozenset({"NULL"}) if word == "NOT" else frozenset()
            self.expect = Expect.NEXT if word == "NULL" else Expect.OPERAND
        elif pair or self.expect is Expect.CLAUSE:
            self._clause(i, token, _CLAUSES if pair else _OPENING)
        elif self.expect is Expect.NEXT:
            self._next(i, token)
        elif word not in _PREFIX and not (word == "WHERE" and not self.frames[-1].clauses):
            self._name(i, token)

    def _next(self, i: int, token: Token) -> None:
        """Process a word after an operand."""
        word, frame = token.upper, self.frames[-1]
        if word in _POSTFIX or (word in _PATTERN and (frame.pattern or not frame.clauses)):
            self.expect = Expect.NEXT
        elif word in _INFIX:
            frame.pattern = frame.pattern and word != "WHERE"
            self.pair = _PAIRED.get(word, frozenset())
            self.expect = Expect.OPERAND
        elif frame.clauses:
            self._clause(i, token, _CLAUSES)
        else:
            self._refuse(token, "an operator or a closing bracket")

    def _clause(self, i: int, token: Token, allowed: frozenset[str]) -> None:
        """Process a word that opens a clause."""
        word, before = token.upper, self.tokens[i - 1].upper if i else ""
        if (word == "EXPLAIN" and i == 0) or (word in ("ALL", "DISTINCT") and before == "UNION"):
            return
        if word not in allowed:
            self._refuse(token, f"one of {', '.join(sorted(allowed))}")
        self.frames[-1].pattern = word == "MATCH"
        self.called = word == "CALL"
        self.subqueries |= {word} & {"CALL"}
        self.pair = _PAIRED.get(word, frozenset())
        self.expect = Expect.CLAUSE if word == "UNION" else Expect.OPERAND

    def _name(self, i: int, token: Token) -> None:
        """Process a variable or a function."""
        if token.upper in _DANGEROUS and (self._text(i - 1) in _DOUBTFUL or self._text(i + 1) in ("(", "{")):
            self._refuse(token, "a reading clause; if it is a name, write it in backticks")
        self._function(i)
        self.expect = Expect.NEXT

    def _function(self, i: int) -> None:
        """Refuse functions in a namespace that is not built in, and quoted function names.

        A quoted name can hide a namespace.
        """
        if i <= self.chain:  # this token belongs to a name that was already checked
            return
        end = i
        while self._text(end + 1) == "." and self._text(end + 2) not in ("", "*"):
            end += 2
        self.chain = end
        quoted = any(token.kind is Kind.QUOTED for token in self.tokens[i : end + 1])
        if self._text(end + 1) == "(" and (quoted or (end > i and self._text(i).lower() not in _NAMESPACES)):
            raise QueryRefused(
                f"the function {''.join(t.text for t in self.tokens[i : end + 1])} is not allowed",
                "built-in functions, because others may write or reach external systems",
                "leave the function out of the query",
            )

    # -- symbols

    def _symbol(self, i: int, token: Token) -> None:
        text, frame = token.text, self.frames[-1]
        if text in (";", "::"):
            self._refuse(token, "one statement, without type predicates")
        elif text in _CLOSERS:
            self._open(i, token)
        elif text in _CLOSERS.values():
            self._close(token)
        elif self.expect is Expect.CLAUSE or self.called:
            self._refuse(token, "a clause")
        elif text == "." and i and self.tokens[i - 1].kind is Kind.NUMBER:
            self._refuse(token, "digits on both sides of a decimal point")
        elif text == "*" and self.expect is Expect.OPERAND:
            self.expect = Expect.NEXT  # RETURN *, count(*)
        elif text in ("+", "*") and frame.pattern and frame.clauses:
            self.expect = Expect.NEXT  # a quantifier
        elif not (text == "!" and self.expect is Expect.NEXT):  # ladybug's factorial operator ends its operand
            self.expect = Expect.OPERAND

    def _open(self, i: int, token: Token) -> None:
        """Process an opening bracket: of a subquery, of the variables of CALL, of an expression or of a pattern."""
        brace, before = token.text == "{", self.tokens[i - 1] if i else None
        if self.called and token.text != "[":
            frame = Frame(_CLOSERS[token.text], clauses=brace, called=True)
        elif self.called or (self.expect is Expect.CLAUSE and not self._begins_pattern(i)):
            self._refuse(token, "a clause")
        else:
            asked = before is not None and before.upper in _SUBQUERIES and not self._is_name(i - 1)
            # `count {.name}` is a projection of a variable with the name count.
            frame = Frame(_CLOSERS[token.text], clauses=brace and asked and self._text(i + 1) != ".")
            self.subqueries |= {self.tokens[i - 1].upper} if frame.clauses else set()
        self.called = False
        self.frames.append(frame)
        if sum(each.clauses for each in self.frames) > 1 + self.depth.subqueries:  # the first frame is the query itself
            raise InputError(
                f"more than {self.depth.subqueries} subqueries are nested in each other at position {token.at}",
                f"at most {self.depth.subqueries} levels of EXISTS, COUNT, COLLECT and CALL",
                "join their patterns in one MATCH",
            )
        self.expect = Expect.CLAUSE if frame.clauses else Expect.OPERAND

    def _begins_pattern(self, i: int) -> bool:
        """Return whether a subquery begins with a pattern instead of a clause, as in EXISTS { (a)-->(b) }."""
        frame = self.frames[-1]
        frame.pattern = frame.closer == "}" and not frame.called and self._text(i) == "(" and self._text(i - 1) == "{"
        return frame.pattern

    def _close(self, token: Token) -> None:
        frame = self.frames.pop()
        if token.text != frame.closer:
            raise InputError(f"{token.text!r} at position {token.at} closes no bracket", frame.closer, "correct it")
        if self.called or (frame.clauses and self.expect is Expect.CLAUSE):
            self._refuse(token, "a query in the subquery")
        self.called = frame.called and not frame.clauses
        self.expect = Expect.CLAUSE if frame.called and frame.clauses else Expect.NEXT

    def _refuse(self, token: Token, wanted: str) -> NoReturn:
        if token.upper in _CLAUSES:
            seen = f"{token.text!r} at position {token.at} is not possible there"
            raise QueryRefused(seen, wanted, "complete the query before it; put a name with this spelling in backticks")
        raise QueryRefused(
            f"{token.text!r} at position {token.at} is not allowed, because look-ups only read",
            wanted,
            "use only MATCH, OPTIONAL MATCH, WHERE, WITH, UNWIND, RETURN, ORDER BY, SKIP, LIMIT, UNION, EXPLAIN and "
            "reading subqueries; put a name that is spelled like a clause in backticks",
        )


def _check_value(place: str, value: object) -> None:
    """Check that a value is one that every store can hold: finite numbers, 64-bit integers, valid Unicode."""
    if isinstance(value, float) and not isfinite(value):
        raise InputError(f"{place} contains {value}", "finite numbers", "leave this value out")
    if isinstance(value, int) and not -_INTEGERS <= value < _INTEGERS:
        raise InputError(f"{place} contains an integer beyond 64 bits", "integers of 64 bits", "give it as a text")
    if isinstance(value, str) and broken(value):
        raise InputError(
            f"{place} contains an unpaired surrogate (half of a UTF-16 pair)", "valid Unicode", "leave it out"
        )
    if isinstance(value, Mapping):
        value = [*value, *value.values()]
    if isinstance(value, list | tuple):
        for item in value:
            _check_value(place, item)
