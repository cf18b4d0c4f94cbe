"""What a free query is before a store may have it: checked, and with a value for every parameter it names."""

from collections.abc import Mapping
from typing import Any

from cypher.guard import checked
from groundwork.errors import InputError


def permitted(cypher: str, parameters: Mapping[str, Any] | None) -> tuple[str, dict[str, Any]]:
    """The query as a store may have it, and its parameters.

    Raises:
        QueryRefused: It does more than read.
        InputError: It is not Cypher, or a parameter it names is missing.
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
    return query, given
