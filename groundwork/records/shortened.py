"""Short texts that are safe to print: what Python shows for a record in a console or in an error message."""

import re
from collections.abc import Iterable
from dataclasses import fields
from reprlib import Repr
from typing import Any

#: Maximum length of a `repr`, in characters.
LONGEST = 2000
#: Maximum length of a line in `listed`.
_LINE = 160

#: Characters that control a terminal (all controls but tab and line feed) or change the order of other characters.
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

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


def printable(text: str) -> str:
    """Return a text with a replacement character (U+FFFD) for each of `CONTROLS`.

    Texts from models, servers and files may contain sequences that clear a terminal, write to the clipboard, or hide
    text. All texts for people go through this function before they are printed.
    """
    return CONTROLS.sub("\ufffd", text)


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
