"""What a text says about the names in it: the short forms that it defines, and the organisms that it is about.

Short forms are defined in brackets: "Alzheimer disease (AD)", "AD (Alzheimer disease)". The method follows Schwartz and
Hearst, "A simple algorithm for identifying abbreviation definitions in biomedical text" (2003). The letters of the
short form are searched in the long form from right to left. The first letter of the short form must be found at the
start of a word.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from groundwork.organisms import HUMAN, OTHER, misplaced, organism_of, organisms_named
from groundwork.records import Match
from groundwork.spelling import GREEK

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
