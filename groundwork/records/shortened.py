"""Short texts for records: what Python shows for a record in a console or in an error message."""

from collections.abc import Iterable
from dataclasses import fields
from reprlib import Repr
from typing import Any

from groundwork.characters import printable

#: Maximum length of a `repr`, in characters.
LONGEST = 2000
#: Maximum length of a line in `listed`.
_LINE = 160

_SHORT = Repr()
_SHORT.maxtuple = _SHORT.maxlist = _SHORT.maxset = _SHORT.maxfrozenset = 3
_SHORT.maxdict, _SHORT.maxlevel = 8, 3
_SHORT.maxstring, _SHORT.maxother = 120, 160


def shortened(record: Any) -> str:
    """Return a record as `Name(field=value, ...)`. Long values are cut, and the text has at most LONGEST characters."""
    told = (f"{field.name}={_SHORT.repr(getattr(record, field.name))}" for field in fields(record) if field.repr)
    return cut(f"{type(record).__name__}({', '.join(told)})", LONGEST)


def listed(title: str, lines: Iterable[str]) -> str:
    """Return a title and lines below it. Lines that do not fit into LONGEST characters are only counted."""
    told, room, left = [cut(title, _LINE * 2)], LONGEST - 2 * _LINE - 40, 0
    for line in lines:
        short = cut(line, _LINE)
        room -= len(short) + 3
        if room < 0:
            left += 1
        else:
            told.append(short)
    return "\n  ".join([*told, *([f"... and {left:,} more"] if left else [])])


def cut(text: str, longest: int) -> str:
    """Return a text in one printable line of at most this many characters."""
    flat = printable(" ".join(text.splitlines()))
    return flat if len(flat) <= longest else f"{flat[: longest - 3]}..."


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: "1 article", "2 articles"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def number(value: float | None) -> str:
    """Return a score with two decimals, or `none` for None."""
    return "none" if value is None else f"{value:.2f}"
