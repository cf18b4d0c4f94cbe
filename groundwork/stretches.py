"""Stretches of a text: which may be a name, and which of several that overlap stand."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from itertools import pairwise
from typing import Protocol, TypeVar

#: The longest name looked for in running text, in words ("N-methyl-D-aspartate receptor subunit 2B" has seven).
LONGEST = 8

_WORD = re.compile(r"[^\W_]+")
#: What may stand between two words of one name: white space, perhaps behind a comma, or tight punctuation.
_JOINT = re.compile(r"[,)\]'’]?\s+|[\-‐-–/.,+'’:()\[\]*_]{1,3}")
#: What in front of a name makes it part of another ("non-Hodgkin lymphoma", "5-HT", "N-acetyl...").
_PREFIXED = re.compile(r"\bnon-?$|\b\w[\-‐-–,]$|\d[\-‐-–,]$", re.I)
#: What behind it does ("caspase-3").
_NUMBERED = re.compile(r"[\-‐-–]\d")

#: Words that no name in running text begins or ends with, in small letters. Of 276,122 names of MeSH and NCBI Gene one
#: begins with such a word; 85 end with one, all of them turned round ("yeast, homolog of").
_FUNCTION_WORDS = frozenset(
    """after also and are as at be been before but by can could did do does during for from had has have however is its
    may of on or our than that the their these they this those to used using was we were when which while who with
    """.split()  # noqa: SIM905
)

Span = tuple[int, int]


class Placed(Protocol):
    """What stands somewhere in a text: offsets of its first character and after its last."""

    @property
    def start(self) -> int:
        """Offset of its first character."""

    @property
    def end(self) -> int:
        """Offset after its last character."""


P = TypeVar("P", bound=Placed)


def spans(text: str) -> list[Span]:
    """Every stretch of 1 to `LONGEST` words of one phrase that can be a name, brackets balanced."""
    words = list(_WORD.finditer(text))
    joined = [_JOINT.fullmatch(text, a.end(), b.start()) is not None for a, b in pairwise(words)]
    inner = [word[0] in _FUNCTION_WORDS for word in words]
    found: list[Span] = []
    for first in range(len(words)):
        if inner[first] or _PREFIXED.search(text, max(0, words[first].start() - 6), words[first].start()):
            continue
        for last in range(first, min(first + LONGEST, len(words))):
            if last > first and not joined[last - 1]:
                break
            if inner[last]:
                continue
            start, end = words[first].start(), words[last].end()
            end += text[start:end].count("(") > text[start:end].count(")") and text[end : end + 1] == ")"
            if text[start:end].count("(") == text[start:end].count(")") and not _NUMBERED.match(text, end):
                found.append((start, end))
    return found


class Places:
    """Where words stand in a text.

    Args:
        text: The text.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _starts(self) -> dict[str, list[int]]:
        """Where each word begins."""
        found: dict[str, list[int]] = defaultdict(list)
        for word in re.finditer(r"\w+", self._text):
            found[word[0]].append(word.start())
        return found

    def of(self, form: str) -> list[Span]:
        """Where a form that begins with a letter or digit stands by itself, not as part of a longer word."""
        first = re.match(r"\w*", form)
        starts = self._starts.get(first[0], []) if first else []
        ends = ((start, start + len(form)) for start in starts if self._text.startswith(form, start))
        return [(start, end) for start, end in ends if not re.match(r"\w", self._text[end : end + 1])]


def longest(placed: Iterable[P]) -> list[P]:
    """The longest of those that overlap, in text order; of equally long ones the first."""
    kept: list[P] = []
    for one in sorted(placed, key=lambda p: (p.start - p.end, p.start)):
        at, beyond = _in_the_way(kept, one.start, one.end)
        if at == beyond:
            kept.insert(at, one)
    return kept


def put(kept: list[P], one: P) -> None:
    """Put one more among those kept, in place of shorter ones that it overlaps; not if a longer one is in its way.

    Args:
        kept: In text order, none overlapping another; changed.
        one: What comes in.
    """
    at, beyond = _in_the_way(kept, one.start, one.end)
    if all((one.start - one.end, one.start) < (other.start - other.end, other.start) for other in kept[at:beyond]):
        kept[at:beyond] = [one]


def drop(kept: list[P], one: P) -> None:
    """Take one out of those kept."""
    at, beyond = _in_the_way(kept, one.start, one.end)
    del kept[at:beyond]


def around(kept: list[P], start: int, end: int) -> list[P]:
    """Those of some, in text order and none overlapping another, that overlap a stretch."""
    at, beyond = _in_the_way(kept, start, end)
    return kept[at:beyond]


def _in_the_way(kept: list[P], start: int, end: int) -> tuple[int, int]:
    at = bisect_left(kept, start + 1, key=lambda p: p.end)
    return at, bisect_left(kept, end, lo=at, key=lambda p: p.start)
