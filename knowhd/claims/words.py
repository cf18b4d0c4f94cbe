"""Word lists for the rules that split sentences (words.tsv)."""

from functools import lru_cache

from groundwork.word_lists import rows


@lru_cache
def listed(category: str) -> frozenset[str]:
    """Return the words of one category of words.tsv. In the file, phrases are separated by "|"."""
    found = (words for name, words in rows("knowhd.claims", "words.tsv") if name == category)
    return frozenset(word for words in found for word in words.split("|" if "|" in words else None))
