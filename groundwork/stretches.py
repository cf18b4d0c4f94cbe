"""Find the spans of a text that may be names, and choose among overlapping spans."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from itertools import pairwise
from typing import Protocol, TypeVar

#: Maximum number of words of a name in running text ("N-methyl-D-aspartate receptor subunit 2B" has seven).
LONGEST = 8

_WORD = re.compile(r"[^\W_]+")
#: Text allowed between two words of one name: white space, possibly after a comma or before a bracket, or tight
#: punctuation, as in "c.643T>C".
_JOINT = re.compile(r"[,)\]'’]?\s+|\s\(|[\-‐-–/.,+'’:()\[\]*_>]{1,3}")
#: Text before a name that makes it part of another name ("non-Hodgkin lymphoma", "5-HT", "N-acetyl...").
_PREFIXED = re.compile(r"\bnon-?$|\b\w[\-‐-–,]$|\d[\-‐-–,]$", re.I)
#: Text after a name that makes it part of another name ("caspase-3").
_NUMBERED = re.compile(r"[\-‐-–]\d")

#: Words in lower case. In running text, no name begins or ends with one of them. Of 276,122 names of MeSH and NCBI
#: Gene, one begins with such a word, and 85 end with one. All 85 have an inverted word order ("yeast, homolog of").
_FUNCTION_WORDS = frozenset(
    """after also and are as at be been before but by can could did do does during for from had has have however is its
    may of on or our than that the their these they this those to used using was we were when which while who with
    """.split()  # noqa: SIM905
)

Span = tuple[int, int]


class Placed(Protocol):
    """An object with a place in a text: the offset of its first character, and the offset after its last character."""

    @property
    def start(self) -> int:
        """Offset of its first character."""

    @property
    def end(self) -> int:
        """Offset after its last character."""


P = TypeVar("P", bound=Placed)


def spans(text: str) -> list[Span]:
    """Return every span of 1 to `LONGEST` words of one phrase that can be a name and has balanced brackets."""
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
            opened = text.count("(", start, end) - text.count(")", start, end)
            if opened == 1 and text[end : end + 1] == ")":
                opened, end = 0, end + 1
            if not opened and not _NUMBERED.match(text, end):
                found.append((start, end))
    return found


class Places:
    """An index of the words of a text.

    Args:
        text: The text.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _starts(self) -> dict[str, list[int]]:
        """The offsets at which each word starts."""
        found: dict[str, list[int]] = defaultdict(list)
        for word in re.finditer(r"\w+", self._text):
            found[word[0]].append(word.start())
        return found

    def of(self, form: str) -> list[Span]:
        """Return the places where a form is not part of a longer word. It must begin with a letter or a digit."""
        first = re.match(r"\w*", form)
        starts = self._starts.get(first[0], []) if first else []
        ends = ((start, start + len(form)) for start in starts if self._text.startswith(form, start))
        return [(start, end) for start, end in ends if not re.match(r"\w", self._text[end : end + 1])]


def longest(placed: Iterable[P]) -> list[P]:
    """Return the longest of overlapping objects, in text order. Of objects of equal length, the first is kept."""
    kept: list[P] = []
    for one in sorted(placed, key=lambda p: (p.start - p.end, p.start)):
        at, beyond = _in_the_way(kept, one.start, one.end)
        if at == beyond:
            kept.insert(at, one)
    return kept


def put(kept: list[P], one: P) -> None:
    """Insert an object into a list, replacing shorter ones that it overlaps; do nothing if a longer one overlaps it.

    Args:
        kept: Objects in text order without overlaps; the list is modified.
        one: The object to insert.
    """
    at, beyond = _in_the_way(kept, one.start, one.end)
    if all((one.start - one.end, one.start) < (other.start - other.end, other.start) for other in kept[at:beyond]):
        kept[at:beyond] = [one]


def drop(kept: list[P], one: P) -> None:
    """Remove an object from a list, which must be in text order without overlaps."""
    at, beyond = _in_the_way(kept, one.start, one.end)
    del kept[at:beyond]


def around(kept: list[P], start: int, end: int) -> list[P]:
    """Return the objects that overlap a span; the list must be in text order without overlaps."""
    at, beyond = _in_the_way(kept, start, end)
    return kept[at:beyond]


def _in_the_way(kept: list[P], start: int, end: int) -> tuple[int, int]:
    at = bisect_left(kept, start + 1, key=lambda p: p.end)
    return at, bisect_left(kept, end, lo=at, key=lambda p: p.start)
