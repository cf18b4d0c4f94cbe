"""What a text says of the names in it: the short forms it defines, and the organisms it is about."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from groundwork.abbreviations import abbreviations
from groundwork.records import Match
from groundwork.species import HUMAN, OTHER, gene_species, species_named

#: How many mentions more a preferred name or a key counts: dictionaries name each concept once.
OFFICIAL = 2.0
#: How much a gene counts whose name is in other capitals than the words: PSA, Psa and psa are three organisms' ways.
RECASED = 0.4
#: From this share of all candidates' weight on, the best of them is what is meant.
CLEAR = 0.8
#: How much the gene of an organism counts that the text does not name, beside one that it names all the time.
ELSEWHERE = 0.05
#: The same for the genes of man, who is meant most often where nothing is said.
ELSEWHERE_MAN = 0.1
#: From this share of all organisms named on, and from this many mentions on of any but man, a text is about one; as
#: often must a gene have been called by words that are not its symbol.
ABOUT, SEEN = 0.9, 2
#: A text of so many characters that is about people says so.
LONG = 600
#: How much a gene counts whose organism its id does not tell.
UNKNOWN = 0.3

#: What tells words from a symbol.
_WORDS = re.compile(r"[a-z]{4}")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """A text as far as it tells what its names mean.

    Attributes:
        long_forms: What each short form stands for that the text defines.
        species: How often it names each organism (taxon -> count). A short text that names none is about man.
    """

    long_forms: Mapping[str, str] = field(default_factory=dict)
    species: Mapping[str, int] = field(default_factory=lambda: {HUMAN: 1})

    @classmethod
    def of(cls, text: str) -> "Surroundings":
        """Read a text."""
        untold = {OTHER: 1} if len(text) >= LONG else {HUMAN: 1}
        return cls({a.short: text[a.start : a.end] for a in abbreviations(text)}, species_named(text) or untold)

    def weighed(self, matches: tuple[Match, ...], words: str = "") -> tuple[tuple[Match, ...], float]:
        """Candidates in the order of how likely each is meant, and the share of the first in all their weight.

        A candidate weighs as often as it was called so, a gene by how much the text is about its organism and by
        whether it is written as the words are. Equal ones keep their order.

        Args:
            matches: At least one.
            words: As the text has them; empty if their capitals say nothing.
        """
        weights = {match.key: self._weight(match, words) for match in matches}
        ranked = tuple(sorted(matches, key=lambda match: -weights[match.key]))
        return ranked, weights[ranked[0].key] / sum(weights.values())

    def doubtful(self, match: Match, words: str = "") -> bool:
        """Whether a match is a gene of which the text does not make clear that it is this one.

        Either because the text is not about its organism (man, where neither id nor symbol tells, as most
        genes are man's), or because words describe it that it has hardly ever been called by: "collagen receptor" is a
        family. That doubt goes where the words, a short form, are its symbol.
        """
        if match.type != "Gene":
            return False
        taxon = gene_species(match.key, match.name) or HUMAN
        named = self.species.get(taxon, 0)
        if named < ABOUT * sum(self.species.values()) or (taxon != HUMAN and named < SEEN):
            return True
        if letters(words).casefold() == letters(match.name).casefold():
            return False
        return match.how == "synonym" and match.mentions < SEEN and _WORDS.search(match.matched) is not None

    def _weight(self, match: Match, words: str) -> float:
        called = max(match.mentions, 1) + (OFFICIAL if match.how in {"name", "key"} else 0.0)
        if match.type != "Gene":
            return called
        return called * self._organism(match) * (RECASED if _recased(words, match.matched) else 1.0)

    def _organism(self, match: Match) -> float:
        """How well a gene's organism fits the text, in (0, 1]."""
        taxon = gene_species(match.key, match.name)
        if taxon is None:
            return UNKNOWN
        least = ELSEWHERE_MAN if taxon == HUMAN else ELSEWHERE
        return max(self.species.get(taxon, 0) / sum(self.species.values()), least)


def _recased(words: str, name: str) -> bool:
    """Whether words and a name differ in their capitals; not if they have other letters."""
    a, b = letters(words), letters(name)
    return a != b and a.casefold() == b.casefold()


def letters(text: str) -> str:
    """The letters and digits of a text."""
    return "".join(filter(str.isalnum, text))
