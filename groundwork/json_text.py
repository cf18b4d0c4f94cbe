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
