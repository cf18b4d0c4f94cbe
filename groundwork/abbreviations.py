"""Find the short forms that a text defines in brackets: "Alzheimer disease (AD)", "AD (Alzheimer disease)".

The method follows Schwartz and Hearst, "A simple algorithm for identifying abbreviation definitions in biomedical text"
(2003). The letters of the short form are searched in the long form from right to left. The first letter of the short
form must be found at the start of a word.
"""

import re
from typing import NamedTuple

_BRACKET = re.compile(r"[(\[]([^()\[\]]{2,120})[)\]]")
_SHORT = re.compile(r"[^\W_][\w\-/+.]{1,9}")
_WORDS_BEFORE = re.compile(r"\S+")
#: Number of characters before a bracket that are searched for the long form. A long form has at most fifteen words.
_WINDOW = 1000


class Abbreviation(NamedTuple):
    """A short form, with the start and end offsets of its long form in the text."""

    short: str
    start: int
    end: int


def abbreviations(text: str) -> tuple[Abbreviation, ...]:
    """Return the short forms that a text defines, each with the offsets of its long form.

    If a text defines a short form more than once, the first definition counts.
    """
    found: dict[str, Abbreviation] = {}
    for bracket in _BRACKET.finditer(text):
        inner = re.split(r"[;,]", bracket[1])[0].strip()
        begin = _word_start(text, bracket.start() - _WINDOW)
        before = text[begin : bracket.start()].rstrip()
        if _is_short(inner):
            start = _long_form(inner, before, len(before))
            if start is not None:
                found.setdefault(inner, Abbreviation(inner, begin + start, begin + len(before)))
        else:
            short = before[before.rfind(" ") + 1 :]
            offset = bracket.start(1)
            if _is_short(short) and _long_form(short, bracket[1].rstrip(), len(bracket[1].rstrip())) == 0:
                found.setdefault(short, Abbreviation(short, offset, offset + len(bracket[1].rstrip())))
    return tuple(found.values())


def _word_start(text: str, at: int) -> int:
    """Return the offset after the first space at or after `at`; 0 if `at` is at most 0 or no space follows."""
    return text.find(" ", at) + 1 if at > 0 else 0


def _is_short(form: str) -> bool:
    """Return whether a form is one word of 2 to 10 characters, with a letter and a character that is not lower-case."""
    return bool(_SHORT.fullmatch(form)) and any(c.isalpha() for c in form) and any(not c.islower() for c in form)


def _long_form(short: str, text: str, end: int) -> int | None:
    """Return the start of the long form that ends at `end`; None if no words before `end` spell the short form.

    For a short form of n letters and digits, at most min(n + 5, 2 n) words are examined.
    """
    letters = [c for c in short.lower() if c.isalnum()]
    words = list(_WORDS_BEFORE.finditer(text[:end]))[-min(len(letters) + 5, 2 * len(letters)) :]
    if not words:
        return None
    floor, place = words[0].start(), end
    lowered = text.lower()
    for index in range(len(letters) - 1, -1, -1):
        place -= 1
        while place >= floor and not (lowered[place] == letters[index] and (index > 0 or _starts_word(text, place))):
            place -= 1
        if place < floor:
            return None
    long = text[place:end]
    return place if len(long) > len(short) and short not in long.split() else None


def _starts_word(text: str, place: int) -> bool:
    return place == 0 or not text[place - 1].isalnum()
