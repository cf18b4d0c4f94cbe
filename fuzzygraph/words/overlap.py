"""Word overlap of a claim and the closest evidence, and opposites between them (paper B, 7.1 and 7.4).

Jaccard over plain tokens, and over tokens with their WordNet synonyms where WordNet is installed. Few words in
common but many synonyms is a paraphrase; opposites are a contradiction however few letters they differ in
("hyperglycemia", "hypoglycemia": Jaccard 0).
"""

import re
from dataclasses import dataclass
from typing import Protocol

from groundwork.opposites import opposed_pairs
from groundwork.records import Record

#: Thresholds of the paper's paraphrase flag, and of "low Jaccard with high P_net".
RAW_BELOW = 0.3
EXPANDED_ABOVE = 0.5
P_NET_ABOVE = 0.5

#: Words too common to carry overlap.
_EMPTY = re.compile(r"(?:a|an|the|of|in|on|to|and|or|is|are|was|were|be|by|with|for|that|this|it|as|at|from)")
_TOKEN = re.compile(r"[^\W_]+(?:-[^\W_]+)*")


class Thesaurus(Protocol):
    """A word's synonyms and antonyms, as `wordnet.WordNet` knows them; all words in lower case."""

    def synonyms(self, word: str) -> frozenset[str]:
        """Words of the same meaning."""

    def antonyms(self, word: str) -> frozenset[str]:
        """Words of the opposite meaning."""


@dataclass(frozen=True, slots=True)
class Overlap(Record):
    """How a claim and a piece of evidence share words.

    Attributes:
        raw: Jaccard index of their tokens, in [0, 1].
        expanded: The same over tokens with their synonyms; None without WordNet.
        opposites: Pairs of words (claim's, evidence's) that are opposites.
        flags: `paraphrase` (raw < 0.3, expanded > 0.5), `low_overlap` (raw < 0.3 and P_net > 0.5), `opposites`,
            `no_wordnet`.
    """

    raw: float
    expanded: float | None
    opposites: tuple[tuple[str, str], ...]
    flags: tuple[str, ...]


def word_list(text: str) -> list[str]:
    """The words of a text in order, lower case, without those that carry nothing."""
    return [word for word in _TOKEN.findall(text.lower()) if not _EMPTY.fullmatch(word)]


def tokens(text: str) -> frozenset[str]:
    """The words of a text, each once."""
    return frozenset(word_list(text))


def jaccard(first: frozenset[str], second: frozenset[str]) -> float:
    """|A and B| / |A or B|; two empty sets share nothing, 0.0."""
    return len(first & second) / len(first | second) if first | second else 0.0


def overlap(claim: str, evidence: str, *, p_net: float | None = None, wordnet: Thesaurus | None = None) -> Overlap:
    """Compare a claim with the evidence closest to it.

    Args:
        claim: The generated claim.
        evidence: The closest factual sentence.
        p_net: The claim's net confidence, for the flag `low_overlap`.
        wordnet: As `wordnet.installed_wordnet` gives it; None leaves the synonym form out and says so.
    """
    left, right = tokens(claim), tokens(evidence)
    raw = jaccard(left, right)
    expanded = jaccard(_with_synonyms(left, wordnet), _with_synonyms(right, wordnet)) if wordnet else None
    opposites = opposed_pairs(claim, evidence)
    if wordnet:
        pairs = ((a, b) for a in sorted(left - right) for b in sorted(right - left) if b in wordnet.antonyms(a))
        opposites = tuple(dict.fromkeys([*opposites, *pairs]))
    flags = ["paraphrase"] if expanded is not None and raw < RAW_BELOW and expanded > EXPANDED_ABOVE else []
    flags += ["low_overlap"] if p_net is not None and raw < RAW_BELOW and p_net > P_NET_ABOVE else []
    flags += ["opposites"] if opposites else []
    flags += [] if wordnet else ["no_wordnet"]
    return Overlap(raw, expanded, opposites, tuple(flags))


def _with_synonyms(words: frozenset[str], wordnet: Thesaurus) -> frozenset[str]:
    return words.union(*(wordnet.synonyms(word) for word in words))
