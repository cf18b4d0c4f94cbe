"""Turn errors of libraries into messages: pydantic's errors in a document, and the first line of any other error."""

from collections.abc import Mapping
from typing import Any

from pydantic_core import PydanticCustomError

from groundwork.errors import InputError

#: Type of pydantic's errors that `refusal` makes.
_REFUSED = "refused"
#: Longest value that a message repeats, in characters.
_LONGEST = 40


def refusal(error: InputError) -> PydanticCustomError:
    """Return the error by which a validator of pydantic refuses a value, with what was seen and what was expected."""
    return PydanticCustomError(_REFUSED, "{wanted}", {"seen": error.seen, "wanted": error.wanted})


def fault_message(fault: Mapping[str, Any]) -> str:
    """Return the message of one of pydantic's errors, without the prefix that pydantic adds to a ValueError."""
    return str(fault["msg"]).removeprefix("Value error, ")


def fault_place(fault: Mapping[str, Any]) -> str:
    """Return where one of pydantic's errors is, with what was seen: the wrong value if it is short: `body.hops = 9`."""
    place, value = ".".join(map(str, fault["loc"])) or "the document", fault["input"]
    if fault["type"] == _REFUSED:
        return f"{place}: {fault['ctx']['seen']}"
    shown = ascii(value) if isinstance(value, str | int | float) else ""
    return f"{place} = {shown}" if 0 < len(shown) <= _LONGEST else place


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message, or the name of the error if it has no message."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]
