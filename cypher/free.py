"""Free queries on ladybug: guarded, read-only, limited in time and rows, answered in plain values."""

from collections.abc import Mapping
from typing import Any

from cypher import rows
from cypher.embedded.session import Session
from cypher.guard.guard import subqueries
from cypher.guard.permission import permitted
from groundwork.errors import InputError
from groundwork.records import Table
from groundwork.settings import Settings

#: Subqueries that ladybug cannot parse, and what to write in their place.
_LACKING = {
    "CALL": "ask for it with WITH (MATCH (a) WITH a MATCH (a)--(b) RETURN a, count(b)) or in an EXISTS or COUNT",
    "COLLECT": "gather with collect() (MATCH (a)--(b) WITH a, collect(b.key) AS keys RETURN a, keys)",
}


def answer(
    session: Session, cypher: str, parameters: Mapping[str, Any] | None, limit: int, settings: Settings
) -> Table:
    """Answer a free query.

    Args:
        session: Open for reading only, or in a read-only transaction.
        cypher: As somebody wrote it.
        parameters: Values of its parameters.
        limit: Most rows; `row_limit` is the most anybody may ask for.
        settings: Holds `row_limit`.
    """
    if limit < 0:
        raise InputError(f"limit {limit}", "0 or more rows", "leave it out for the default")
    most = min(limit, settings.row_limit)
    query, given = permitted(cypher, parameters)
    _check_subqueries(query)
    for name, value in given.items():
        _check_uniform(name, value)
    columns, found = session.table(query, given, most + 1)
    shown = tuple(tuple(_value(value) for value in row) for row in found[:most])
    return Table(tuple(columns), shown, truncated=len(found) > most)


def _check_subqueries(query: str) -> None:
    """Refuse subqueries that Neo4j has and ladybug has not, in clearer words than its parser's."""
    lacking = subqueries(query) & _LACKING.keys()
    if lacking:
        word = min(lacking)
        raise InputError(
            f"a {word} subquery, which the embedded and the memory store do not have",
            "EXISTS { ... } and COUNT { ... } subqueries, or WITH between two parts of a query",
            f"{_LACKING[word]}; on Neo4j the query works as it is",
        )


def _check_uniform(name: str, value: object) -> None:
    """See that lists hold one kind of value: ladybug gives maps of unlike keys the first one's, without a word."""
    if isinstance(value, Mapping):
        value = list(value.values())
        kinds = set[object]()
    elif isinstance(value, list | tuple):
        kinds = {_kind(item) for item in value if item is not None}
    else:
        return
    if len(kinds) > 1:
        raise InputError(
            f"parameter ${name} holds a list of several kinds of value",
            "lists of one kind of value, maps with the same keys, on the embedded and the memory store",
            "give them as several parameters",
        )
    for item in value:
        _check_uniform(name, item)


def _kind(value: object) -> object:
    if isinstance(value, Mapping):
        return frozenset(value)
    return float if isinstance(value, int | float) and not isinstance(value, bool) else type(value)


def _value(value: object) -> Any:
    """A ladybug value made plain: its nodes, relationships and paths are dicts with names of its own."""
    if isinstance(value, dict):
        if "_NODES" in value and "_RELS" in value:
            return rows.path(map(_value, value["_NODES"]), map(_value, value["_RELS"]))
        if "_ID" in value and "_LABEL" in value:
            properties = {name: item for name, item in value.items() if not name.startswith("_")}
            return rows.edge(value["_LABEL"], properties) if "_SRC" in value else rows.node(properties)
        return {str(name): _value(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_value(item) for item in value]
    return rows.plain(value)
