"""The words of Cypher, sorted by how the guard treats them. This is data; `guard` contains the rules."""

#: Words that open a query or a subquery.
OPENING = frozenset({"MATCH", "OPTIONAL", "WITH", "UNWIND", "RETURN", "CALL"})
#: Words that open a clause after another clause has ended.
CLAUSES = OPENING | {"WHERE", "ORDER", "SKIP", "OFFSET", "LIMIT", "UNION"}
#: Words that follow an operand and must be followed by another operand.
INFIX = frozenset(
    {"AND", "OR", "XOR", "NOT", "IN", "STARTS", "ENDS", "CONTAINS", "IS", "AS", "WHERE", "WHEN", "THEN", "ELSE"}
)
#: Words that follow an operand and need no operand after them.
POSTFIX = frozenset({"ASC", "ASCENDING", "DESC", "DESCENDING", "END"})
#: Words of path patterns. They need no operand after them.
PATTERN = frozenset({"SHORTEST", "PATH", "PATHS", "GROUP", "GROUPS", "ACYCLIC", "TRAIL", "WALK"})
#: Words that precede an operand.
PREFIX = frozenset({"NOT", "DISTINCT", "CASE", "WHEN"})
#: Words that must be followed by one of a few other words.
PAIRED = {
    "ORDER": frozenset({"BY"}),
    "STARTS": frozenset({"WITH"}),
    "ENDS": frozenset({"WITH"}),
    "OPTIONAL": frozenset({"MATCH"}),
    "IS": frozenset({"NOT", "NULL"}),
}
#: Words that, if a brace follows, open a subquery that returns a value.
SUBQUERIES = frozenset({"EXISTS", "COUNT", "COLLECT"})
#: Words that write, load or administer in some dialect; allowed as a bare name only where no clause is possible.
DANGEROUS = frozenset(
    """
    ALTER ANALYZE ATTACH BEGIN CALL CHECKPOINT COMMENT COMMIT COPY CREATE CYPHER DEALLOCATE DELETE DENY DETACH DROP
    DRYRUN ENABLE EXPLAIN EXPORT FINISH FOREACH FORCE GRANT IMPORT INSERT INSTALL LET LOAD MERGE NEXT NODETACH PROFILE
    REMOVE RENAME REVOKE ROLLBACK SET SHOW START STOP TERMINATE UNINSTALL UPDATE USE USING YIELD
    """.split()  # noqa: SIM905 - a list of 47 quoted words is no easier to read
)
#: Namespaces of built-in functions. Functions in other namespaces (apoc, plugins) may write or reach external systems.
NAMESPACES = frozenset({"date", "datetime", "time", "localtime", "localdatetime", "duration", "point", "vector"})
