"""Misspelling: whether one phrase is another with an error in it, rather than another name."""

import re

from groundwork.opposites import opposed_pairs
from groundwork.spelling import comparable

#: A near match counts only from this similarity on (rapidfuzz ratio of the bare names, 0-100): taken freely, near
#: matches are right on only 17-32 %.
NEAR = 90.0
#: For how many letters a name may have one that is wrong, left out, put in or exchanged; every name may have one.
LETTERS = 12
#: Words up to this length allow of no error.
SHORT = 3

_WORD = re.compile(r"[^\W_]+")


def misspelt(words: str, name: str) -> bool:
    """Whether two spellings are near enough to be one name: a misspelling, never another number or an opposite.

    Short words and those with numbers must be the same: "prostaglandin A2" is not prostaglandin D2.
    """
    a, b = comparable(words), comparable(name)
    if len(a) < 5 or _exact_parts(words) != _exact_parts(name) or opposed_pairs(words, name):
        return False
    from rapidfuzz import fuzz
    from rapidfuzz.distance import OSA

    return fuzz.ratio(a, b) >= NEAR and OSA.distance(a, b) <= max(1, len(a) // LETTERS)


def _exact_parts(name: str) -> tuple[list[str], set[str]]:
    """The numbers of a name, and its words of up to three characters."""
    return re.findall(r"\d+", name), {word for word in _WORD.findall(name.casefold()) if len(word) <= SHORT}
