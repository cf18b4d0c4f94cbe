"""Convert values of the Neo4j driver to plain values."""

from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa
from neo4j.graph import Node, Path, Relationship
from neo4j.time import Date, DateTime, Duration, Time

from cypher import query_values

#: Properties of concepts and edges that only the full-text index (forms of names) or Neo4j Browser needs. They are not
#: part of answers, which are the same on every store.
FORMS, CAPTION, URL = HIDDEN = ("forms", "caption", "url")


def plain(value: object) -> Any:
    """Convert a value in the answer to a user's query to a value that JSON can represent, the same on every store."""
    if isinstance(value, Node):
        return query_values.node(_shown(value))
    if isinstance(value, Relationship):
        return query_values.edge(value.type, _shown(value))
    if isinstance(value, Path):
        return query_values.path(map(plain, value.nodes), map(plain, value.relationships))
    if isinstance(value, Date | DateTime | Time | Duration):
        return value.iso_format()
    if isinstance(value, dict):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return query_values.plain(value)


def _shown(value: Node | Relationship) -> dict[str, Any]:
    return {name: plain(item) for name, item in value.items() if name not in HIDDEN}


def table(columns: Iterable[Sequence[Any]], schema: pa.Schema) -> pa.Table:
    """Return columns as an Arrow table."""
    return pa.table(
        [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)], schema=schema
    )
