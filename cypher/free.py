"""Free queries on ladybug: guarded, read-only, limited in time and rows, answered in plain values."""

from collections.abc import Mapping
from typing import Any

from cypher import rows
from cypher.permission import permitted
from cypher.session import Session
from groundwork.errors import InputError
from groundwork.records import Table
from groundwork.settings import Settings


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
    columns, found = session.table(query, given, most + 1)
    shown = tuple(tuple(_value(value) for value in row) for row in found[:most])
    return Table(tuple(columns), shown, truncated=len(found) > most)


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
