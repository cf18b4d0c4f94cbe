"""Convert values in the answers to free queries (Cypher that a user wrote) to the same plain values on every store.

The process that answers free queries imports this module when it starts, so the module imports only the standard
library.
"""

from collections.abc import Iterable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from math import isfinite
from typing import Any
from uuid import UUID


def plain(value: object) -> Any:
    """Convert a driver's value to a value that JSON can represent: dict, list, text, number, boolean or None.

    Times become ISO 8601 texts, and decimals and UUIDs become texts. NaN and infinity, which JSON does not have, become
    None.
    """
    if isinstance(value, float):
        return value if isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if isinstance(value, date | datetime | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return f"PT{value.total_seconds():g}S"
    if isinstance(value, Decimal | UUID):
        return str(value)
    return bytes(value).hex() if isinstance(value, bytes | bytearray | memoryview) else str(value)


def node(properties: Mapping[str, object]) -> dict[str, Any]:
    """Return a node in the form that look-ups show: its properties."""
    return {name: plain(value) for name, value in sorted(properties.items()) if value is not None}


def edge(kind: str, properties: Mapping[str, object]) -> dict[str, Any]:
    """Return a relationship in the form that look-ups show: its type in capitals under `type`, and its properties."""
    return {"type": kind, **node(properties)}


def path(nodes: Iterable[dict[str, Any]], edges: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return a path in the form that look-ups show: the nodes in walking order, and the edges between them."""
    return {"nodes": list(nodes), "edges": list(edges)}
