"""Places of the machine that a run was made on, which are nobody else's business: a report is made to be handed on."""

import re
from typing import Any

#: A path from the root or from a drive, by itself or behind the kind of a store (`embedded:/data/graph`).
_PLACE = re.compile(r"((?:embedded:)?)(?:/|[A-Za-z]:[\\/])(?:.*[\\/])?([^\\/]+)[\\/]?")


def told(value: Any) -> Any:
    """Plain values, in which every text that is an absolute path keeps its last name only: `/data/one` -> `.../one`.

    Args:
        value: A manifest's, in dicts and lists. Keys are left as they are.
    """
    if isinstance(value, str):
        found = _PLACE.fullmatch(value)
        return f"{found[1]}.../{found[2]}" if found else value
    if isinstance(value, dict):
        return {key: told(held) for key, held in value.items()}
    if isinstance(value, list | tuple):
        return [told(held) for held in value]
    return value
