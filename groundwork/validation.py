"""Explain the errors that pydantic finds in a document."""

from collections.abc import Mapping


def fault_message(fault: Mapping[str, object]) -> str:
    """Return the message of one of pydantic's errors, without the prefix that pydantic adds to a ValueError."""
    return str(fault["msg"]).removeprefix("Value error, ")
