"""Split very long sentences, so that each part is read in milliseconds.

The time for parsing a sentence and finding its clauses grows faster than its length. Of 14,566 sentences of the BioRED
and BC5CDR abstracts, one is split.
"""

import re
from bisect import bisect_right

from groundwork.language import Sentence

#: Maximum number of characters in a part.
LONGEST = 1000
#: Maximum number of semicolons and joining words ("and", "but", "which" ...) in a part.
JOINED = 16

_JOINING = re.compile(r"\b(?:and|but|not|nor|which|while|whereas|unlike)\b|;", re.I)
#: Places where a sentence may be split, best first. Each pattern is searched in the second half of the allowed length.
_PLACES = tuple(re.compile(places, re.I) for places in (r";\s", r",\s+(?:and|but|whereas|while)\b", r",\s", r"\s"))
#: Text that joins two parts and belongs to neither.
_BETWEEN = re.compile(r"[\s,;]*(?:\b(?:and|but)\b)?\s*", re.I)


def cut(sentence: Sentence) -> tuple[Sentence, ...]:
    """Split a sentence into parts, each with at most `LONGEST` characters and `JOINED` semicolons or joining words.

    A sentence is split at a semicolon if possible, else before a clause, at a comma, between words, and only then
    inside a word. The text that joins two parts ("; ", ", and") belongs to neither part; nothing else is left out.

    Returns:
        The parts in order, or the sentence alone if it is short enough.
    """
    text = sentence.text
    joints = [match.start() for match in _JOINING.finditer(text)]
    parts: list[Sentence] = []
    at = 0
    while at < len(text):
        begun = bisect_right(joints, at - 1)
        room = min(at + LONGEST, joints[begun + JOINED] if begun + JOINED < len(joints) else len(text), len(text))
        end = room if room == len(text) else _end(text, at, room)
        words = text[at:end].strip()
        if words:
            start = sentence.start + text.index(words, at)
            parts.append(Sentence(words, start, start + len(words)))
        at = max(end, _between(text, end))
    whole = len(text) <= LONGEST and len(joints) <= JOINED
    return (sentence,) if whole or not parts else tuple(parts)


def _end(text: str, at: int, room: int) -> int:
    """Return the end of the part that starts at `at`. The end is at most `room`."""
    for places in _PLACES:
        found = [match.start() for match in places.finditer(text, (at + room) // 2, room + 1)]
        if found:
            return found[-1]
    return room


def _between(text: str, end: int) -> int:
    joint = _BETWEEN.match(text, end)
    return joint.end() if joint else end
