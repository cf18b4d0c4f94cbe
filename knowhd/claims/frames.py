"""Remove frames that only report who found something, such as "we found that", before a sentence is parsed.

A frame ends with "that" after a word for finding, saying or thinking, and names no concept. Words that deny or ask ("it
has not been shown that", "it is unclear whether") are not a frame, and the sentence keeps them.
"""

import re
from collections.abc import Set

from knowhd.claims.words import listed

_THAT = re.compile(r"\bthat,? ")
_WORD = re.compile(r"[\w'\u2019-]+")
#: The place between two framed clauses: "that A lowers B and that C raises D".
_AND_THAT = re.compile(r",? (?:and|but) that (?=\w)|, that (?=\w)")
#: A part at the beginning or the end of a sentence that a comma separates from the rest.
_SET_OFF = (re.compile(r"^\w[^,]{2,80}, "), re.compile(r", \w[^,]{2,80}(?=[.!]$)"))
_CONCEDING = listed("assertive") | listed("assertive,")


def unframed(text: str, names: Set[str]) -> str:
    """Return a sentence without its frame, such as "we found that". A sentence without a frame is returned unchanged.

    If the frame introduces several clauses, they are separated by semicolons. A frame names no concept: `names` are the
    names of the concepts in the sentence, as written there.
    """
    for place in _SET_OFF:
        text = place.sub(lambda part: "" if _points(part[0], names) else part[0], text)
    lead, that, said = text.partition(found[0]) if (found := _THAT.search(text)) else (text, "", "")
    circumstance, comma, frame = lead.rpartition(", ")
    words = _words(frame)
    if not that or not _reports(words) or any(name in frame for name in names):
        return text
    told = _AND_THAT.sub("; ", said)
    opening = _words(circumstance)[:1]
    if words[-1].endswith("ing"):
        return f"{circumstance}; {told}"  # "A lowers B, suggesting that C rises" states both
    if not _CONCEDING.isdisjoint(opening):
        return f"{circumstance.partition(' ')[2]}; {told}"  # "As A lowers B, we propose that C rises" also states both
    if comma and listed("opening").isdisjoint(opening):
        return told if not any(name in circumstance for name in names) else text
    return circumstance + comma + told


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _points(part: str, names: Set[str]) -> bool:
    """Return whether a part of a sentence points to a study: "in this study", "contrary to earlier reports"."""
    words = _words(part)
    studied = words[0] in listed("opening") and any(word in listed("study") or _is_report(word) for word in words)
    return studied and not listed("pointing").isdisjoint(words) and not any(name in part for name in names)


def _reports(words: list[str]) -> bool:
    """Return whether the words before "that" form a frame: they end with a word for finding, saying or thinking."""
    if not words or not listed("denying").isdisjoint(words):
        return False
    *before, last = words
    acts = any(_is_report(word) or word in listed("being") for word in before)
    return acts if last in listed("being") or last in listed("study") else _is_report(last)


def _is_report(word: str) -> bool:
    return word.startswith(tuple(listed("reporting")))
