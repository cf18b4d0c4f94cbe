"""What a text says about the names in it: the spans that may be names, the short forms, and the organisms it is about.

Short forms are defined in brackets: "Alzheimer disease (AD)", "AD (Alzheimer disease)". The method follows Schwartz and
Hearst, "A simple algorithm for identifying abbreviation definitions in biomedical text" (2003). The letters of the
short form are searched in the long form from right to left. The first letter of the short form must be found at the
start of a word.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import zip_longest
from typing import NamedTuple, Protocol, TypeVar

from groundwork.organisms import HUMAN, OTHER, misplaced, organism_of, organisms_named
from groundwork.records import Match
from groundwork.spelling import GREEK

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
        while place >= floor and not (
            lowered[place] == letters[index] and (index > 0 or place == 0 or not text[place - 1].isalnum())
        ):
            place -= 1
        if place < floor:
            return None
    long = text[place:end]
    return place if len(long) > len(short) and short not in long.split() else None


#: Number of mentions added for a preferred name or a key, because a dictionary lists each concept only once.
OFFICIAL = 2.0
#: Factor for a gene whose name differs from the mention only in case: PSA, Psa and psa are genes of three organisms.
RECASED = 0.4
#: The best candidate is unambiguous if it has at least this share of the weight of all candidates.
CLEAR = 0.8
#: Smallest factor for the organism of a gene. The factor is the share of this organism among all mentions of organisms
#: in the text, but at least this value.
ELSEWHERE = 0.05
#: The same for human genes, which are meant most often if the text names no organism.
ELSEWHERE_MAN = 0.1
#: A text is about an organism if at least the share `ABOUT` of all its mentions of organisms name this organism. Except
#: for humans, at least `SEEN` mentions must name it. A gene's descriptive name is trusted if at least `SEEN` mentions
#: use it.
ABOUT, SEEN = 0.9, 2
#: Number of characters from which a text about people is expected to name them.
LONG = 600
#: Factor for a gene whose organism is not known from its id and symbol.
UNKNOWN = 0.3
#: Factor for the gene of another organism than the one that a name means.
MISPLACED = 1e-6

#: Words of a description; a symbol has none but the names of Greek letters.
_WORDS = re.compile(r"[a-z]{4,}")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a text says about the meaning of its names.

    Attributes:
        long_forms: The long form of each short form that the text defines.
        species: How often the text names each organism (taxon -> count). A short text that names none is taken to be
            about humans.
        settled: Taxon id of the organism whose genes the symbols in the text mean: that of the user, or else humans in
            a short text that names no organism. None if the text is long or names organisms; then `species` decides.
        given: Whether the user chose this organism.
    """

    long_forms: Mapping[str, str] = field(default_factory=dict)
    species: Mapping[str, int] = field(default_factory=lambda: {HUMAN: 1})
    settled: str | None = HUMAN
    given: bool = False

    @classmethod
    def of(cls, text: str, species: str = "", around: Mapping[str, int] | None = None) -> "Surroundings":
        """Return what a text says about the meaning of its names.

        Args:
            text: The text.
            species: Taxon id of the organism that the user chose for texts that name none; empty for no choice.
            around: How often a longer text, of which this one is a part, names each organism. It counts if this part
                names none.
        """
        short = {a.short: text[a.start : a.end] for a in abbreviations(text)}
        if named := organisms_named(text) or around:
            return cls(short, named, None)
        if species:
            return cls(short, {species: 1}, species, given=True)
        return cls(short, {OTHER: 1}, None) if len(text) >= LONG else cls(short)

    def weighed(self, matches: tuple[Match, ...], words: str = "") -> tuple[tuple[Match, ...], float]:
        """Return the candidates in descending order of their weights, and the first one's share of the total weight.

        The weight says how likely it is that the text means a candidate. It is the candidate's number of mentions by
        the matched name, plus `OFFICIAL` for a preferred name or a key. The weight of a gene is multiplied by a factor
        for how well its organism fits the text, and reduced if the mention has another case than the name. Candidates
        of equal weight keep their order.

        Args:
            matches: The candidates, at least one.
            words: The mention as written in the text; empty if its case says nothing.
        """
        elsewhere = (self.settled and misplaced(matches, words, self.settled, given=self.given)) or frozenset()
        weights = {
            match.key: self._weight(match, words) * (MISPLACED if match.key in elsewhere else 1.0) for match in matches
        }
        ranked = tuple(sorted(matches, key=lambda match: -weights[match.key]))
        return ranked, weights[ranked[0].key] / sum(weights.values())

    def doubtful(self, match: Match, words: str = "") -> bool:
        """Return whether a match is a gene and the text leaves open whether this gene is meant.

        A match is doubtful if the text is not about the gene's organism. A gene whose id and symbol show no organism
        counts as human, as most genes are. A match is also doubtful if the mention is a description that hardly ever
        names the gene: "collagen receptor" is a family. If the mention is the gene's symbol, only the organism counts.

        Args:
            match: The match.
            words: The mention as written in the text; empty to skip the comparison with the gene's symbol.
        """
        if match.type != "Gene":
            return False
        taxon = organism_of(match) or HUMAN
        if taxon != HUMAN and words == match.matched and not words.isupper():
            return False  # Trp53 and Tp53 are spelled like the genes of mice and rats
        named = self.species.get(taxon, 0)
        if named < ABOUT * sum(self.species.values()) or (taxon != HUMAN and named < SEEN):
            return True
        if letters(words).casefold() == letters(match.name).casefold():
            return False
        described = any(word not in GREEK.values() for word in _WORDS.findall(match.matched))
        return match.how == "synonym" and match.mentions < SEEN and described

    def _weight(self, match: Match, words: str) -> float:
        called = max(match.mentions, 1) + (OFFICIAL if match.how in {"name", "key"} else 0.0)
        if match.type != "Gene":
            return called
        return called * self._organism(match) * (RECASED if _recased(words, match.matched) else 1.0)

    def _organism(self, match: Match) -> float:
        """Return a factor in (0, 1] that says how well a gene's organism fits the text."""
        taxon = organism_of(match)
        if taxon is None:
            return UNKNOWN
        least = ELSEWHERE_MAN if taxon == HUMAN else ELSEWHERE
        return max(self.species.get(taxon, 0) / sum(self.species.values()), least)


def _recased(words: str, name: str) -> bool:
    """Return whether a mention and a name have the same letters but differ in case."""
    a, b = letters(words), letters(name)
    return a != b and a.casefold() == b.casefold()


def letters(text: str) -> str:
    """Return the letters and digits of a text."""
    return "".join(filter(str.isalnum, text))
