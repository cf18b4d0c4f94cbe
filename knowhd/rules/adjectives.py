"""Relate adjectives to the nouns that they stand for: "renal" and "kidney" (adjectives.tsv)."""

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache

from groundwork.word_lists import rows


def forms(word: str) -> frozenset[str]:
    """Return a word with its adjectives if it is a noun of the table, or with its nouns if it is an adjective."""
    return _table().get(word, frozenset()) | {word}


def of_adjective(adverb: str) -> bool:
    """Return whether an adverb belongs to an adjective of the table: "renally", "intravenously"."""
    return any(adverb.removesuffix(ending) in _table() for ending in ("ally", "ly"))


@lru_cache(maxsize=1)
def _table() -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for adjective, nouns in rows("knowhd.rules", "adjectives.tsv"):
        for noun in nouns.split():
            found[adjective].add(noun)
            found[noun].add(adjective)
    return {word: frozenset(others) for word, others in found.items()}
