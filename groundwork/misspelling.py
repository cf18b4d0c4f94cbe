"""Detect whether one phrase is a misspelling of another, rather than a different name."""

import re

from groundwork.opposites import opposed_pairs
from groundwork.spelling import comparable

#: Smallest similarity of a near match: the rapidfuzz ratio (0-100) of the names without hyphens, spaces and case.
#: Without a limit, only 17-32 % of the near matches are right.
NEAR = 90.0
#: A name may have one wrong, missing, added or swapped letter per this many letters; every name may have one.
LETTERS = 12
#: Words up to this length must match exactly.
SHORT = 3

_WORD = re.compile(r"[^\W_]+")


def misspelt(words: str, name: str) -> bool:
    """Return whether some words are a name, possibly with spelling errors.

    Numbers and words of at most `SHORT` characters must be equal: "prostaglandin A2" is not prostaglandin D2. If the
    words and the name contain opposites, such as "hyper" and "hypo", the result is False. It is also False if the words
    together have fewer than five characters.
    """
    a, b = comparable(words), comparable(name)
    if len(a) < 5 or _exact_parts(words) != _exact_parts(name) or opposed_pairs(words, name):
        return False
    from rapidfuzz import fuzz
    from rapidfuzz.distance import OSA

    return fuzz.ratio(a, b) >= NEAR and OSA.distance(a, b) <= max(1, len(a) // LETTERS)


def _exact_parts(name: str) -> tuple[list[str], set[str]]:
    """Return the numbers of a name, and its words of up to three characters."""
    return re.findall(r"\d+", name), {word for word in _WORD.findall(name.casefold()) if len(word) <= SHORT}
