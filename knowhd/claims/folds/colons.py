"""What a sentence announces and then says behind a colon: "A acts in two ways: it lowers B, and it raises C"."""

import re
from collections.abc import Iterator

from knowhd.claims.grammar.shown import Part, Shown
from knowhd.claims.reasons import CONDITION, whole

_COLON = re.compile(r": (?=[A-Za-z])")
_JOINT = re.compile(r"(?:,|;)? and (?=(?:it|they) )|[,;] (?=(?:it|they) )")


def colons(told: Shown) -> Iterator[list[Part]]:
    """What stands before the colon, and each clause behind it."""
    joints = list(_COLON.finditer(told.text))
    if len(joints) != 1 or CONDITION.search(told.text):
        return
    before, after = told.text[: joints[0].start()], told.text[joints[0].end() :]
    yield [(whole(part), False) for part in (before, *_JOINT.split(after))]
