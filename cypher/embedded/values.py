"""Convert the values of free queries (Cypher that a user wrote) on ladybug.

Answers become plain values. Parameters become JSON for the process that answers the query.

The process that answers free queries imports this module when it starts, so the module imports little.
"""

from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from cypher import query_values

_TICK = timedelta(microseconds=1)
#: Types of parameters that JSON lacks: name, type, and the functions that convert a value to text and back.
#: A datetime is also a date, so datetime comes first.
_CARRIED: tuple[tuple[str, type, Callable[[Any], str], Callable[[str], object]], ...] = (
    ("datetime", datetime, datetime.isoformat, datetime.fromisoformat),
    ("date", date, date.isoformat, date.fromisoformat),
    ("timedelta", timedelta, lambda time: str(time // _TICK), lambda text: int(text) * _TICK),
    ("decimal", Decimal, str, Decimal),
    ("uuid", UUID, str, UUID),
    ("bytes", bytes, bytes.hex, bytes.fromhex),
)
_READERS = {name: read for name, _, _, read in _CARRIED}


def plain(value: object) -> Any:
    """Return a ladybug value in a form that JSON can hold. Nodes, relationships and paths become dicts."""
    if isinstance(value, dict):
        if "_NODES" in value and "_RELS" in value:
            return query_values.path(map(plain, value["_NODES"]), map(plain, value["_RELS"]))
        if "_ID" in value and "_LABEL" in value:
            properties = {name: item for name, item in value.items() if not name.startswith("_")}
            return query_values.edge(value["_LABEL"], properties) if "_SRC" in value else query_values.node(properties)
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return query_values.plain(value)


def packed(value: object) -> object:
    """Return a parameter in a form that JSON can hold: a map becomes `{"map": {...}}`, a date `{"date": "2026-01-31"}`.

    Raises:
        TypeError: ladybug does not take values of this type as parameters.
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {"map": {str(name): packed(item) for name, item in value.items()}}
    if isinstance(value, list):
        return [packed(item) for item in value]
    for name, kind, write, _ in _CARRIED:
        if isinstance(value, kind):
            return {name: write(value)}
    if hasattr(value, "tolist"):  # numbers and arrays of NumPy and pandas
        return packed(value.tolist())
    raise TypeError(f"a parameter may not be of the type {type(value).__name__}")


def unpacked(value: Any) -> Any:
    """Return the original parameter from the form that `packed` returned."""
    if isinstance(value, list):
        return [unpacked(item) for item in value]
    if isinstance(value, dict):
        ((kind, held),) = value.items()
        if kind == "map":
            return {name: unpacked(item) for name, item in held.items()}
        return _READERS[kind](held)
    return value
