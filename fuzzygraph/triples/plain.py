"""Whether a sentence can be read."""

import re

from fuzzygraph.triples.predicates import predicates

#: The longest sentence that is read, in characters; the longest of 20,000 in BioRED and BC5CDR has about 1,000.
LONGEST_SENTENCE = 2_500

_WORD = re.compile(r"[^\W\d_]+")


def unread(sentence: str) -> str | None:
    """Why a sentence is not read, as a flag: `too_long` or `not_english`; None if it is."""
    if len(sentence) > LONGEST_SENTENCE:
        return "too_long"
    words = _WORD.findall(sentence.lower())
    letters = "".join(words)
    strange = sum(letter > "\u024f" and not "\u0370" <= letter <= "\u03ff" for letter in letters)  # Greek is at home
    foreign, english = (sum(word in predicates().words[kind] for word in words) for kind in ("foreign", "english"))
    return "not_english" if strange * 2 > len(letters) or (foreign > 1 and foreign > english) else None
