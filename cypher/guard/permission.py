"""What a free query is before a store may have it: checked, and with a value for every parameter it names."""

from collections.abc import Mapping
from math import isfinite
from typing import Any

from cypher.guard.guard import checked
from groundwork.errors import InputError


def permitted(cypher: str, parameters: Mapping[str, Any] | None) -> tuple[str, dict[str, Any]]:
    """The query as a store may have it, and its parameters.

    Raises:
        QueryRefused: It does more than read.
        InputError: It is not Cypher, a parameter it names is missing, or holds NaN or an infinity.
    """
    query, named = checked(cypher)
    given = dict(parameters or {})
    missing = sorted(named - given.keys())
    if missing:
        raise InputError(
            f"the query names the parameter{'s' * (len(missing) > 1)} {', '.join('$' + name for name in missing)}",
            "a value for each",
            f"add --param {missing[0]}=VALUE",
        )
    for name in sorted(named):
        _check_finite(name, given[name])
    return query, given


def _check_finite(name: str, value: object) -> None:
    """See that a value has no number that JSON has not: stores would answer with null, or with NaN."""
    if isinstance(value, float) and not isfinite(value):
        raise InputError(f"parameter ${name} holds {value}", "finite numbers", "leave it out")
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for item in value:
            _check_finite(name, item)
