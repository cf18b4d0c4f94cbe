"""Find the spans of a text that may be names, and choose among overlapping spans."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import zip_longest
from typing import NamedTuple, Protocol, TypeVar

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
#: The charge of an ion behind its symbol and number: "Na+", "Ca(2+)".
_CHARGE = re.compile(r"(?:\+{1,2}|[\-‐-–−](?![\w\-‐-–]))(?P<closing>\)?)(?!\w)")

#: Words in lower case. In running text, no name begins or ends with one of them. Of 276,122 names of MeSH and NCBI
#: Gene, one begins with such a word, and 85 end with one. All 85 have an inverted word order ("yeast, homolog of").
_FUNCTION_WORDS = frozenset(
    """after also and are as at be been before but by can could did do does during for from had has have however is its
    may of on or our than that the their these they this those to used using was we were when which while who with
    """.split()  # noqa: SIM905
)

Span = tuple[int, int]


class Stretch(Protocol):
    """An object with a place in a text: the offset of its first character, and the offset after its last character."""

    @property
    def start(self) -> int:
        """Offset of its first character."""

    @property
    def end(self) -> int:
        """Offset after its last character."""


P = TypeVar("P", bound=Stretch)


class _Word(NamedTuple):
    """A word of a text.

    Attributes:
        start: Offset of its first character.
        end: Offset after its last character.
        inner: Whether no name begins or ends with it.
        within: Whether the text before it makes it part of another name.
        joined: Whether one name may contain both this word and the next one.
        depth: Number of brackets that are open before it.
    """

    start: int
    end: int
    inner: bool
    within: bool
    joined: bool
    depth: int


def spans(text: str, begun: Callable[[Collection[str]], Container[str]] | None = None) -> list[Span]:
    """Return every span of 1 to `LONGEST` words that may be a name. All spans have balanced brackets.

    Args:
        text: The text.
        begun: A function that gets a set of texts: the first word and the first two words of each span. It returns the
            texts with which a name begins. Spans that begin with another text are left out.
    """
    words = _words(text)
    openings: dict[Span, str] = {}
    for first, word in enumerate(words):
        if not (word.inner or word.within):
            openings[first, first] = text[word.start : word.end]
            if word.joined:
                openings[first, first + 1] = text[word.start : words[first + 1].end]
    known = begun(set(openings.values())) if begun else set(openings.values())
    return [span for place, opening in openings.items() if opening in known for span in _begun(text, words, *place)]


def _begun(text: str, words: Sequence[_Word], first: int, last: int) -> Iterator[Span]:
    """Yield the span of a single word (if `first` equals `last`), or the spans that begin with the two given words."""
    most = first + LONGEST if last > first else last + 1
    for at in range(last, min(most, len(words))):
        if at > last and not words[at - 1].joined:
            return
        end, opened = words[at].end, words[at].depth - words[first].depth
        ion = _CHARGE.match(text, end)
        if ion and opened == len(ion["closing"]):
            yield words[first].start, ion.end()
        if opened == 1 and text[end : end + 1] == ")":
            opened, end = 0, end + 1
        if not (opened or words[at].inner or _NUMBERED.match(text, end)):
            yield words[first].start, end


def _words(text: str) -> list[_Word]:
    """Return the words of a text."""
    found = list(_WORD.finditer(text))
    words: list[_Word] = []
    depth, before = 0, text[: found[0].start()] if found else ""
    for word, following in zip_longest(found, found[1:]):
        (start, end), inner = word.span(), word[0] in _FUNCTION_WORDS
        depth += before.count("(") - before.count(")")
        within = before != " " and _PREFIXED.search(text, max(0, start - 6), start) is not None
        before = text[end : following.start()] if following else ""
        joined = before == " " or (following is not None and _JOINT.fullmatch(before) is not None)
        words.append(_Word(start, end, inner, within, joined, depth))
    return words


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
        """Return the spans where the text has `form` as whole words. `form` must begin with a letter or a digit."""
        first = re.match(r"\w*", form)
        starts = self._starts.get(first[0], []) if first else []
        ends = ((start, start + len(form)) for start in starts if self._text.startswith(form, start))
        return [(start, end) for start, end in ends if not re.match(r"\w", self._text[end : end + 1])]


def longest(placed: Iterable[P]) -> list[P]:
    """Return objects without overlaps, in text order. The longest are chosen first; of equal lengths, the first one."""
    kept: list[P] = []
    for one in sorted(placed, key=lambda p: (p.start - p.end, p.start)):
        at, beyond = _overlapping(kept, one.start, one.end)
        if at == beyond:
            kept.insert(at, one)
    return kept


def put(kept: list[P], one: P) -> None:
    """Insert an object into a list, replacing shorter ones that it overlaps; do nothing if a longer one overlaps it.

    Args:
        kept: Objects in text order without overlaps; the list is modified.
        one: The object to insert.
    """
    at, beyond = _overlapping(kept, one.start, one.end)
    if all((one.start - one.end, one.start) < (other.start - other.end, other.start) for other in kept[at:beyond]):
        kept[at:beyond] = [one]


def drop(kept: list[P], one: P) -> None:
    """Remove from a list all objects that overlap a given one; the list must be in text order without overlaps."""
    at, beyond = _overlapping(kept, one.start, one.end)
    del kept[at:beyond]


def around(kept: list[P], start: int, end: int) -> list[P]:
    """Return the objects that overlap a span; the list must be in text order without overlaps."""
    at, beyond = _overlapping(kept, start, end)
    return kept[at:beyond]


def _overlapping(kept: list[P], start: int, end: int) -> tuple[int, int]:
    at = bisect_left(kept, start + 1, key=lambda p: p.end)
    return at, bisect_left(kept, end, lo=at, key=lambda p: p.start)
