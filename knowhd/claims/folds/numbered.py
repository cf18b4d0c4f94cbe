"""Numbers that a sentence gives to what it lists: "A (1) lowers B, (2) raises C and (3) prevents D"."""

import re
from collections.abc import Iterator

from knowhd.claims.grammar.shown import Part, Shown

_SERIES = (("1", "2", "3", "4", "5", "6", "7", "8", "9"), tuple("abcdefghi"), ("i", "ii", "iii", "iv", "v", "vi"))
_NUMBER = re.compile(r"(?<![^\s(])\(?(?P<which>\d|[a-i]|[iv]+)\) (?=\S)")
#: Numbers from which on they count something.
_FEWEST = 2


def numbered(told: Shown) -> Iterator[list[Part]]:
    """The sentence without them, where they run on from one."""
    found = tuple(number["which"] for number in _NUMBER.finditer(told.text))
    if len(found) >= _FEWEST and any(found == series[: len(found)] for series in _SERIES):
        yield [(_NUMBER.sub("", told.text), False)]
