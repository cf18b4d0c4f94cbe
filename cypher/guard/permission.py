"""Check a free query and its parameters before a store runs it."""

from collections.abc import Mapping
from math import isfinite
from typing import Any

from cypher.guard.guard import checked
from groundwork.errors import InputError


def permitted(cypher: str, parameters: Mapping[str, Any] | None) -> tuple[str, dict[str, Any]]:
    """Check a query and its parameters. Return the text that the store may run, and the parameters.

    Raises:
        QueryRefused: If it does more than read.
        InputError: If it is not Cypher, a parameter is missing, or a parameter contains NaN or infinity.
    """
    query, named = checked(cypher)
    given = dict(parameters or {})
    missing = sorted(named - given.keys())
    if missing:
        raise InputError(
            f"the query names the parameter{'s' * (len(missing) > 1)} {', '.join('$' + name for name in missing)}",
            "a value for each parameter",
            f"give a value for the parameter {missing[0]}",
        )
    for name in sorted(named):
        _check_finite(name, given[name])
    return query, given


def _check_finite(name: str, value: object) -> None:
    """Check that a value contains no NaN or infinity, because stores would answer null or NaN."""
    if isinstance(value, float) and not isfinite(value):
        raise InputError(f"the parameter ${name} contains {value}", "finite numbers", "leave this value out")
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for item in value:
            _check_finite(name, item)
