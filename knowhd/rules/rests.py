"""Things and words that a claim speaks of besides what is read of it, and whether a sentence speaks of them alike."""

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundwork.language import parse
from knowhd.evidence.pieces import Passage
from knowhd.rules import populations
from knowhd.rules.alignment import likeness
from knowhd.rules.assertion import meanings

if TYPE_CHECKING:
    from spacy.tokens import Token

#: How a text says what stands behind such words, as far as the next comma or the next of them.
_MARKING = {
    "without": r"without|except(?:\s+for)?|excluding|lacking|unlike|rather\s+than|instead\s+of|but\s+not|free\s+of|non",
    "before": r"before|prior\s+to|preceding|until",
    "after": r"after|following|since",
}
_MARKS = re.compile(
    "|".join(rf"(?P<{mark}>\b(?:{words})\b)" for mark, words in _MARKING.items())
    + r"|(?P<not>\b(?:not|no|never|neither|nor)\b|n['’]t\b)|(?P<plain>[,;()]|\b(?:but|with|in)\b)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Rest:
    """One thing or word that is left of a claim.

    Attributes:
        text: How the claim writes it.
        meant: The concepts that it may mean; empty for a word.
        word: What it is compared by; empty for a thing.
        mark: How it is said, one of `_MARKING`, or empty.
    """

    text: str
    meant: frozenset[str]
    word: str
    mark: str

    def spoken_of(self, told: Mapping[str, set[str]]) -> bool:
        """Whether a text that tells things and words, each with its marks, speaks of it in the same way."""
        marks = {mark for key in (*self.meant, self.word) for mark in told.get(key, ())}
        if self.mark == "without":
            return not marks.isdisjoint({"without", "not"})
        return self.mark in marks if self.mark else not marks <= {"without"}


def told_in(passage: Passage) -> dict[str, set[str]]:
    """The things and words of a sentence and its title, each with the marks it is said with."""
    found: dict[str, set[str]] = {}
    marks = Marks(passage.sentence)
    for mention in passage.mentions:
        for key in meanings(mention):
            found.setdefault(key, set()).add(marks.at(mention.start))
    for text in filter(None, (passage.sentence, passage.title)):
        marks = Marks(text)
        for token in parse(text):
            found.setdefault(key_of(token), set()).add(marks.at(token.idx))
    return found


def key_of(token: "Token") -> str:
    """What a word is compared by: those whom it is of, what it is an everyday name of, or its first letters."""
    return populations.group_of(token.text) or likeness(token)


class Marks:
    """How a text says what stands in it: without it, before it, after it, not, or plainly.

    Args:
        text: A sentence.
    """

    def __init__(self, text: str) -> None:
        found = [(mark.end(), mark.lastgroup or "") for mark in _MARKS.finditer(text)]
        self._ends = [end for end, _ in found]
        self._marks = ["", *("" if mark == "plain" else mark for _, mark in found)]

    def at(self, place: int) -> str:
        """How it says what stands at a place: by the last word before it that marks what follows, empty for plainly."""
        return self._marks[bisect_right(self._ends, place)]
