"""Word overlap of a claim and its closest evidence, and opposites between them (paper B, 7.1 and 7.4).

The Jaccard index is computed over plain tokens, and over tokens with their WordNet synonyms if WordNet is installed.
Few common words but many common synonyms indicate a paraphrase. Opposites indicate a contradiction, even if they differ
in few letters ("hyperglycemia", "hypoglycemia": Jaccard 0).
"""

import re
from dataclasses import dataclass
from typing import Protocol

from groundwork.opposites import opposed_pairs
from groundwork.records import Record

#: The paper's thresholds: for its flag of paraphrases, and for its flag "low Jaccard with high P_net".
RAW_BELOW = 0.3
EXPANDED_ABOVE = 0.5
P_NET_ABOVE = 0.5

#: Words that are too common to count.
_EMPTY = re.compile(r"(?:a|an|the|of|in|on|to|and|or|is|are|was|were|be|by|with|for|that|this|it|as|at|from)")
_TOKEN = re.compile(r"[^\W_]+(?:-[^\W_]+)*")


class Thesaurus(Protocol):
    """Synonyms and antonyms of words, as in `wordnet.WordNet`. All words are in lower case."""

    def synonyms(self, word: str) -> frozenset[str]:
        """Return the words with the same meaning."""

    def antonyms(self, word: str) -> frozenset[str]:
        """Return the words with the opposite meaning."""


@dataclass(frozen=True, slots=True)
class Overlap(Record):
    """How a claim and a piece of evidence share words.

    Attributes:
        raw: Jaccard index of their tokens, in [0, 1].
        expanded: Jaccard index of the tokens with their synonyms; None without WordNet.
        opposites: Pairs of opposite words (word of the claim, word of the evidence).
        flags: `paraphrase` (raw < 0.3, expanded > 0.5), `low_overlap` (raw < 0.3 and P_net > 0.5), `opposites`,
            `no_wordnet`.
    """

    raw: float
    expanded: float | None
    opposites: tuple[tuple[str, str], ...]
    flags: tuple[str, ...]


def word_list(text: str) -> list[str]:
    """Return the words of a text in order, in lower case, without words that are too common."""
    return [word for word in _TOKEN.findall(text.lower()) if not _EMPTY.fullmatch(word)]


def tokens(text: str) -> frozenset[str]:
    """Return the set of words of a text."""
    return frozenset(word_list(text))


def jaccard(first: frozenset[str], second: frozenset[str]) -> float:
    """Return |A and B| / |A or B|; 0.0 for two empty sets."""
    return len(first & second) / len(first | second) if first | second else 0.0


def overlap(claim: str, evidence: str, *, p_net: float | None = None, wordnet: Thesaurus | None = None) -> Overlap:
    """Compare a claim with the evidence closest to it.

    Args:
        claim: The generated claim.
        evidence: The closest sentence in the literature.
        p_net: P_net of the claim (see `support.Score`), for the flag `low_overlap`.
        wordnet: Result of `wordnet.installed_wordnet`. With None there is no comparison by synonyms, and the flag
            `no_wordnet` is set.
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
