"""Check a free query and its parameters before a store runs it."""

from collections.abc import Mapping
from math import isfinite
from typing import Any

from cypher.guard.guard import checked
from cypher.guard.nesting import Depth
from groundwork.errors import InputError

_DEPTH = Depth()


def permitted(cypher: str, parameters: Mapping[str, Any] | None, depth: Depth = _DEPTH) -> tuple[str, dict[str, Any]]:
    """Check a query and its parameters. Return the text that the store may run, and the parameters.

    Args:
        cypher: A query as the user wrote it.
        parameters: The parameters by name.
        depth: How deep the query may be nested.

    Raises:
        QueryRefused: If it does more than read.
        InputError: If it is not Cypher, a parameter is missing, or a parameter contains NaN or infinity.
    """
    query, named = checked(cypher, depth)
    given = dict(parameters or {})
    missing = sorted(named - given.keys())
    if missing:
        raise InputError(
            f"the query names the parameter{'s' * (len(missing) > 1)} {', '.join('$' + name for name in missing)}",
            "a value for each parameter",
            f"add --param {missing[0]}=VALUE",
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
