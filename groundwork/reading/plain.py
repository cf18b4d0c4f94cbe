"""Decide whether a sentence can be read: it is not too long, and it is in English."""

import re
from functools import lru_cache

from groundwork.word_lists import rows

#: Maximum length of a sentence, in characters. The longest of 20,000 sentences in BioRED and BC5CDR has about 1,000.
LONGEST_SENTENCE = 2_500

_WORD = re.compile(r"[^\W\d_]+")


def unread(sentence: str) -> str | None:
    """Return why a sentence cannot be read, as a flag: `too_long` or `not_english`; None if it can be read."""
    if len(sentence) > LONGEST_SENTENCE:
        return "too_long"
    words = _WORD.findall(sentence.lower())
    letters = "".join(words)
    strange = sum(letter > "\u024f" and not "\u0370" <= letter <= "\u03ff" for letter in letters)  # Greek is allowed
    foreign, english = (sum(word in _words(language) for word in words) for language in ("foreign", "english"))
    return "not_english" if strange * 2 > len(letters) or (foreign > 1 and foreign > english) else None


@lru_cache(maxsize=2)
def _words(language: str) -> frozenset[str]:
    return frozenset(word for kind, word in rows("groundwork.reading", "function_words.tsv") if kind == language)
