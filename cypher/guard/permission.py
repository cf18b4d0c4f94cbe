"""Check a free query (Cypher that a user wrote) and its parameters before a store runs the query."""

from collections.abc import Mapping
from math import isfinite
from typing import Any

from cypher.guard.guard import checked
from cypher.guard.nesting import Depth
from groundwork.characters import broken
from groundwork.errors import InputError

_DEPTH = Depth()

#: The stores hold integers from -2^63 to 2^63 - 1.
_INTEGERS = 2**63


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
