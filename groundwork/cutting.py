"""Endless sentences, cut where they may be, so that reading one stays a matter of milliseconds.

A parse and the clauses of a sentence cost more than in step with its length. Of 14,566 sentences of BioRED's and
BC5CDR's abstracts one is cut.
"""

import re
from bisect import bisect_right

from groundwork.language import Sentence

#: Characters that a sentence may have.
LONGEST = 1000
#: Words in it that may join clauses or contrast things.
JOINED = 16

_JOINING = re.compile(r"\b(?:and|but|not|nor|which|while|whereas|unlike)\b|;", re.I)
#: Where a sentence is cut, the best place first; each is looked for in the second half of what there is room for.
_PLACES = tuple(re.compile(places, re.I) for places in (r";\s", r",\s+(?:and|but|whereas|while)\b", r",\s", r"\s"))
#: What joins two parts, and belongs to neither.
_BETWEEN = re.compile(r"[\s,;]*(?:\b(?:and|but)\b)?\s*", re.I)


def cut(sentence: Sentence) -> tuple[Sentence, ...]:
    """A sentence in parts of at most `LONGEST` characters and `JOINED` joining words.

    It is cut at a semicolon, else in front of a clause, at a comma, between words, and only then inside one; what joins
    two parts ("; ", ", and") belongs to neither, and nothing else is left out.

    Returns:
        The sentence alone where it is no longer than that.
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
    return tuple(parts) if len(parts) > 1 else (sentence,)


def _end(text: str, at: int, room: int) -> int:
    """Where a part that starts at `at` ends, at `room` at most."""
    for places in _PLACES:
        found = [match.start() for match in places.finditer(text, (at + room) // 2, room + 1)]
        if found:
            return found[-1]
    return room


def _between(text: str, end: int) -> int:
    joint = _BETWEEN.match(text, end)
    return joint.end() if joint else end
