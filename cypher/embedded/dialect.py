"""Refuse queries of users that ladybug's Cypher cannot answer, with a clearer message than ladybug's own."""

from collections.abc import Mapping
from typing import Any

from cypher.guard import permitted, subqueries
from groundwork.errors import InputError

#: Subqueries that ladybug cannot parse, and what to write instead.
_LACKING = {
    "CALL": "ask for it with WITH (MATCH (a) WITH a MATCH (a)--(b) RETURN a, count(b)) or in an EXISTS or COUNT",
    "COLLECT": "gather with collect() (MATCH (a)--(b) WITH a, collect(b.key) AS keys RETURN a, keys)",
}


def answerable(cypher: str, parameters: Mapping[str, Any] | None) -> tuple[str, dict[str, Any]]:
    """Return a free query (Cypher that a user wrote) and its parameters in the form that ladybug accepts.

    Raises:
        QueryRefused: The query does more than read.
        InputError: The query is not Cypher, or ladybug cannot answer it.
    """
    query, given = permitted(cypher, parameters)
    _check_subqueries(query)
    for name, value in given.items():
        _check_uniform(name, value)
    return query, given


def _check_subqueries(query: str) -> None:
    """Refuse subqueries that Neo4j supports and ladybug does not."""
    lacking = subqueries(query) & _LACKING.keys()
    if lacking:
        word = min(lacking)
        raise InputError(
            f"a {word} subquery, which the embedded and the memory store do not have",
            "EXISTS { ... } and COUNT { ... } subqueries, or WITH between two parts of a query",
            f"{_LACKING[word]}; on Neo4j the query works as it is",
        )


def _check_uniform(name: str, value: object) -> None:
    """Check that lists hold one kind of value. ladybug silently gives all maps of a list the keys of the first map."""
    if isinstance(value, Mapping):
        value = list(value.values())
        kinds = set[object]()
    elif isinstance(value, list | tuple):
        kinds = {_kind(item) for item in value if item is not None}
    else:
        return
    if len(kinds) > 1:
        raise InputError(
            f"the parameter ${name} contains a list of values with different types",
            "lists of values with one type, and maps with the same keys; only a Neo4j server accepts others",
            "give them as several parameters",
        )
    for item in value:
        _check_uniform(name, item)


def _kind(value: object) -> object:
    if isinstance(value, Mapping):
        return frozenset(value)
    return float if isinstance(value, int | float) and not isinstance(value, bool) else type(value)
