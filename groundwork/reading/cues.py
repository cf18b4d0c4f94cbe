"""Cue words: words that state more, less, better, worse, or only a relation between two things (cues.tsv)."""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from groundwork.word_lists import rows

#: Categories that reverse a sign, and categories that have a sign.
TURNING = frozenset({"less", "absent"})
SIGNED = frozenset({"more", "less"})


@lru_cache(maxsize=1)
def cues() -> Mapping[str, str]:
    """Return the category of each cue word, by its lemma in lower case."""
    return dict(rows("groundwork.reading", "cues.tsv"))


def category(lemma: str) -> str | None:
    """Return the category of a word, or of the part after its last hyphen; None if neither is a cue word."""
    return cues().get(lemma) or cues().get(lemma.rpartition("-")[2])


def product(categories: Iterable[str]) -> int:
    """Return the product of the signs of cues: +1, -1, or 0 if none of them has a sign."""
    found = list(categories)
    if SIGNED.isdisjoint(found):
        return 0
    return -1 if sum(each in TURNING for each in found) % 2 else 1
