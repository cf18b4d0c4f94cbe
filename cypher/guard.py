"""Which free queries go through: reading clauses only, by structure (contract.md, `graph query`).

The guard walks the tokens and keeps track of one thing: may an operand come next, or has one just ended? A word where
an operand may stand is a name or a function; a word after an operand is an infix word or opens a clause, and then it
must be on the list. So `n.load`, `:Set` and `{delete: 1}` pass and `SET`, or a clause that is yet to be invented, do
not. Where the two could be confused (`((a)-->(b))+ CREATE`) the guard takes the stricter reading. The store runs the
query read-only as well.
"""

from cypher.tokens import Kind, Token, tokens
from groundwork.errors import InputError, QueryRefused

#: Words that open a query; each is a clause of contract.md.
_OPENING = frozenset({"MATCH", "OPTIONAL", "WITH", "UNWIND", "RETURN", "CALL"})
#: Words that may follow where a clause has ended.
_CLAUSES = _OPENING | {"WHERE", "ORDER", "SKIP", "OFFSET", "LIMIT", "UNION"}
#: Words that stand after an operand and want another one.
_INFIX = frozenset(
    {"AND", "OR", "XOR", "NOT", "IN", "STARTS", "ENDS", "CONTAINS", "IS", "AS", "WHERE", "WHEN", "THEN", "ELSE"}
)
#: Words that stand after an operand and end it for good.
_POSTFIX = frozenset({"ASC", "ASCENDING", "DESC", "DESCENDING", "END"})
#: Words of path patterns: whatever follows is read as strictly as after an operand.
_PATTERN = frozenset({"SHORTEST", "PATH", "PATHS", "GROUP", "GROUPS", "ACYCLIC", "TRAIL", "WALK"})
#: Words that stand before an operand.
_PREFIX = frozenset({"NOT", "DISTINCT", "CASE", "WHEN"})
#: What must follow these words.
_PAIRED = {"ORDER": {"BY"}, "STARTS": {"WITH"}, "ENDS": {"WITH"}, "OPTIONAL": {"MATCH"}, "IS": {"NOT", "NULL"}}
#: Operand words that a `{` turns into a subquery.
_SUBQUERIES = frozenset({"EXISTS", "COUNT", "COLLECT"})
#: Words that write, load or administer in some dialect: never read as a bare name where that could be a mistake.
_DANGEROUS = frozenset(
    [
        "ALTER",
        "ANALYZE",
        "ATTACH",
        "BEGIN",
        "CALL",
        "CHECKPOINT",
        "COMMENT",
        "COMMIT",
        "COPY",
        "CREATE",
        "CYPHER",
        "DEALLOCATE",
        "DELETE",
        "DENY",
        "DETACH",
        "DROP",
        "DRYRUN",
        "ENABLE",
        "EXPLAIN",
        "EXPORT",
        "FINISH",
        "FOREACH",
        "FORCE",
        "GRANT",
        "IMPORT",
        "INSERT",
        "INSTALL",
        "LET",
        "LOAD",
        "MERGE",
        "NEXT",
        "NODETACH",
        "PROFILE",
        "RENAME",
        "REMOVE",
        "REVOKE",
        "ROLLBACK",
        "SET",
        "SHOW",
        "START",
        "STOP",
        "TERMINATE",
        "UNINSTALL",
        "UPDATE",
        "USE",
        "USING",
        "YIELD",
    ]
)
#: Namespaces of built-in functions; what is under another one (apoc, a plugin's) may have effects.
_NAMESPACES = frozenset({"date", "datetime", "time", "localtime", "localdatetime", "duration", "point", "vector"})
_OPENERS = {"(": ")", "[": "]", "{": "}"}
_CLAUSE, _OPERAND, _AFTER = "a clause", "an operand", "after an operand"


def checked(cypher: str) -> tuple[str, frozenset[str]]:
    """The query as the store may have it, and the parameters it names.

    Args:
        cypher: A query as somebody wrote it.

    Returns:
        The same query without comments and without a closing semicolon; the names of its parameters.

    Raises:
        QueryRefused: A clause, procedure or function that look-ups do not allow, naming it.
        InputError: Text that is not Cypher at all.
    """
    found, cleaned = tokens(cypher)
    while found and found[-1].text == ";":
        cleaned = cleaned[: found.pop().at]
    if not found:
        raise InputError("the query is empty", "for example MATCH (c:Concept) RETURN c.key LIMIT 10", "write a query")
    _Walk(found).run()
    parameters = frozenset(t.text[1:].strip("`") for t in found if t.kind is Kind.PARAMETER)
    return cleaned.strip(), parameters


class _Frame:
    """A bracket that is open: what closes it, and whether it holds clauses of its own."""

    def __init__(self, closer: str, query: bool, call: bool = False) -> None:
        self.closer = closer
        self.query = query
        self.call = call
        self.pattern = False  # within MATCH and before WHERE, where + and * are quantifiers


class _Walk:
    """One pass over the tokens of a query."""

    def __init__(self, found: list[Token]) -> None:
        self.tokens = found
        self.frames = [_Frame("", query=True)]
        self.state = _CLAUSE
        self.wanted: frozenset[str] | set[str] = frozenset()  # words of which one must come next
        self.called = False  # after CALL, before its subquery

    def run(self) -> None:
        for i, token in enumerate(self.tokens):
            if self.wanted and token.upper not in self.wanted:
                self._refuse(token, f"one of {', '.join(sorted(self.wanted))} there")
            if token.kind is Kind.WORD and not self._is_name(i):
                self._word(i, token)
            elif token.kind is Kind.SYMBOL:
                self._symbol(i, token)
            else:
                self._operand(token)
        if len(self.frames) > 1:
            raise InputError(f"a bracket is open at the end of the query: {self.frames[-1].closer!r} is missing")
        if self.wanted or self.called:
            raise InputError(f"the query breaks off after {self.tokens[-1].text!r}")

    def _before(self, i: int) -> str:
        return self.tokens[i - 1].text if i else ""

    def _after(self, i: int) -> str:
        return self.tokens[i + 1].text if i + 1 < len(self.tokens) else ""

    def _is_name(self, i: int) -> bool:
        """Whether a word can only be a property, a label, a type or a map key, whatever it spells."""
        before, after = self._before(i), self._after(i)
        key = before in ("{", ",") and after == ":" and self.frames[-1].closer == "}" and not self.frames[-1].query
        return before in (".", ":", "&") or (before in ("|", "!") and self.state == _OPERAND and after != "(") or key

    def _operand(self, token: Token) -> None:
        if self.state == _CLAUSE or self.called:
            self._refuse(token, "a clause")
        self.state = _AFTER

    def _word(self, i: int, token: Token) -> None:
        self.wanted, word = frozenset(), token.upper
        paired = i > 0 and self.tokens[i - 1].kind is Kind.WORD and word in _PAIRED.get(self.tokens[i - 1].upper, ())
        if self.called:
            self._refuse(token, "CALL { ... } with a reading subquery; procedures are not called")
        if paired and word in ("BY", "WITH", "NOT"):
            self.wanted = {"NULL"} if word == "NOT" else frozenset()
            self.state = _OPERAND
        elif self.state == _CLAUSE or (paired and word == "MATCH"):
            self._clause(i, token)
        elif self.state == _AFTER:
            self._follow(i, token)
        else:
            self._name(i, token)

    def _follow(self, i: int, token: Token) -> None:
        """A word after an operand: infix, postfix, or the next clause."""
        word, frame = token.upper, self.frames[-1]
        if word in _POSTFIX or (word in _PATTERN and (frame.pattern or not frame.query)):
            self.state = _AFTER
        elif word in _INFIX:
            frame.pattern = frame.pattern and word != "WHERE"
            self.wanted = _PAIRED.get(word, frozenset())
            self.state = _OPERAND
        elif frame.query:
            self._clause(i, token)
        else:
            self._refuse(token, "an operator or a closing bracket")

    def _clause(self, i: int, token: Token) -> None:
        """A word that opens a clause."""
        word, frame = token.upper, self.frames[-1]
        if word == "EXPLAIN" and i == 0:
            return
        if word == "ALL" and i and self.tokens[i - 1].upper == "UNION":
            return
        opening = self.state == _CLAUSE
        if word not in (_OPENING if opening else _CLAUSES):
            self._refuse(token, f"one of {', '.join(sorted(_OPENING if opening else _CLAUSES))}")
        frame.pattern = word in ("MATCH", "OPTIONAL")
        self.called = word == "CALL"
        self.wanted = _PAIRED.get(word, frozenset())
        self.state = _CLAUSE if word == "UNION" else _OPERAND

    def _name(self, i: int, token: Token) -> None:
        """A word where an operand may stand: a prefix word, a function or a variable."""
        word, before = token.upper, self._before(i)
        if word in _PREFIX:
            return
        doubtful = before in ("+", "*", "-", ">", "<", "/", "%", "^", "=", "?", "!") or self._after(i) in ("(", "{")
        if word in _DANGEROUS and doubtful:
            self._refuse(token, "a reading clause; if it is a name, write it in backticks")
        self._function(i, token)
        self.state = _AFTER

    def _function(self, i: int, token: Token) -> None:
        """Refuse `a.b.c(...)` under a namespace that is not built in."""
        end = i
        while end + 2 < len(self.tokens) and self.tokens[end + 1].text == "." and self.tokens[end + 2].text != "*":
            end += 2
        if end > i and self._after(end) == "(" and token.text.lower() not in _NAMESPACES:
            name = "".join(t.text for t in self.tokens[i : end + 1])
            raise QueryRefused(
                f"the function {name} is not let through: it may write or reach out",
                "built-in functions",
                "ask without it",
            )

    def _symbol(self, i: int, token: Token) -> None:
        frame, text = self.frames[-1], token.text
        if text == ";" or text == "::":
            self._refuse(token, "one statement, without type predicates")
        if text in _OPENERS:
            self._open(i, token)
        elif text in _OPENERS.values():
            self._close(token)
        elif self.state == _CLAUSE or self.called:
            self._refuse(token, "a clause")
        elif text == "*" and self.state == _OPERAND:
            self.state = _AFTER  # RETURN *, count(*)
        elif text == "!" and self.state == _AFTER:
            pass  # ladybug's factorial ends an operand
        elif text in ("+", "*") and frame.pattern and frame.query:
            self.state = _AFTER  # a quantifier of a path pattern
        else:
            self.state = _OPERAND

    def _open(self, i: int, token: Token) -> None:
        text, before = token.text, self.tokens[i - 1] if i else None
        if self.called and text in ("(", "{"):
            call = text == "{"
        elif self.state == _CLAUSE and not (text == "(" and self.frames[-1].query and self._is_pattern(i)):
            self._refuse(token, "a clause")
            return
        else:
            call = False
        word = before.upper if before and before.kind is Kind.WORD and not self._is_name(i - 1) else ""
        query = text == "{" and (call or word in _SUBQUERIES)
        projected = query and not call and self._after(i) == "."  # count {.name}: a map of a variable called count
        frame = _Frame(_OPENERS[text], query and not projected, call or self.called)
        self.called = False
        self.frames.append(frame)
        self.state = _CLAUSE if frame.query else _OPERAND
        self.wanted = frozenset()

    def _is_pattern(self, i: int) -> bool:
        """Whether a subquery begins at once with a pattern: EXISTS { (a)-->(b) }."""
        frame = self.frames[-1]
        frame.pattern = len(self.frames) > 1 and not frame.call and self._before(i) == "{"
        return frame.pattern

    def _close(self, token: Token) -> None:
        frame = self.frames.pop()
        if token.text != frame.closer or not self.frames:
            raise InputError(f"a closing {token.text!r} at position {token.at} has no opening bracket before it")
        if frame.query and self.state == _CLAUSE:
            self._refuse(token, "a query in the subquery")
        self.called = frame.call and token.text == ")"
        self.state = _CLAUSE if frame.call and frame.query else _AFTER
        self.wanted = frozenset()

    def _refuse(self, token: Token, wanted: str) -> None:
        raise QueryRefused(
            f"{token.text!r} at position {token.at} is not let through: look-ups only read",
            wanted,
            "use MATCH, OPTIONAL MATCH, WHERE, WITH, UNWIND, RETURN, ORDER BY, SKIP, LIMIT, UNION, EXPLAIN and reading "
            "subqueries; a name that is spelled like a clause goes into backticks",
        )
