"""Read JSON whose source is not trusted."""

import json
from typing import Any


def loads(text: str | bytes) -> Any:
    """Return the value of a JSON text.

    Raises:
        json.JSONDecodeError: If the text is not JSON, or its brackets are nested too deeply for the parser.
        UnicodeDecodeError: If the bytes are not UTF-8.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise json.JSONDecodeError("brackets nested too deep", "", 0) from None


def written_value(value: Any) -> Any:
    """Return the value that a model means: a text that is JSON stands for its value, and 4.0 for the integer 4.

    The values in a list are read in the same way. Any other value is returned unchanged.
    """
    if isinstance(value, str):
        try:
            value = loads(value)
        except ValueError:
            return value
    if isinstance(value, list):
        return [written_value(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
