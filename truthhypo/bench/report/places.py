"""Shorten absolute paths in a report, because others may read the report and must not see the folders of a machine."""

import re
from typing import Any

#: An absolute path, alone or after a kind of store (`embedded:/data/graph`).
_PLACE = re.compile(r"((?:embedded:)?)(?:/|[A-Za-z]:[\\/])(?:.*[\\/])?([^\\/]+)[\\/]?")


def told(value: Any) -> Any:
    """Shorten every absolute path in plain values to its last name: `/data/one` becomes `.../one`.

    Args:
        value: Values of a manifest, in dicts and lists. Keys are not changed.
    """
    if isinstance(value, str):
        found = _PLACE.fullmatch(value)
        return f"{found[1]}.../{found[2]}" if found else value
    if isinstance(value, dict):
        return {key: told(held) for key, held in value.items()}
    if isinstance(value, list | tuple):
        return [told(held) for held in value]
    return value
