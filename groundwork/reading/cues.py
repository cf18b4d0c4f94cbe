"""Words that state a relation rather than narrow it: cue words (cues.tsv) and phrases of the context (context.tsv)."""

from collections.abc import Iterator, Mapping
from functools import lru_cache

from groundwork.reading.tree import Tree
from groundwork.word_lists import rows

_NOT = frozenset({"n't", "never", "not"})


@lru_cache(maxsize=1)
def cues() -> Mapping[str, str]:
    """Return the category of each cue word, by its lemma in lower case."""
    return dict(rows("groundwork.reading", "cues.tsv"))


def category(lemma: str) -> str | None:
    """Return the category of a word, or of the part after its last hyphen; None if neither is a cue word."""
    return cues().get(lemma) or cues().get(lemma.rpartition("-")[2])


def context(tree: Tree) -> Iterator[int]:
    """Yield the indexes of words that say whether and how surely something holds: of negations, hedges and conditions.

    Of a phrase that begins with "not", only this word counts: "found" in "not found" may state something.
    """
    words = [word.text.lower() for word in tree.words]
    at = 0
    while at < len(words):
        phrases = _phrases().get(words[at], ())
        size = next((len(phrase) for phrase in phrases if tuple(words[at : at + len(phrase)]) == phrase), 0)
        yield from range(at, at + (1 if size and words[at] in _NOT else size))
        at += max(size, 1)


@lru_cache(maxsize=1)
def _phrases() -> Mapping[str, tuple[tuple[str, ...], ...]]:
    """Return the phrases of context.tsv by their first word, the longest first."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for (phrase,) in rows("groundwork.reading", "context.tsv"):
        words = tuple(phrase.replace("-", " - ").split())
        found.setdefault(words[0], []).append(words)
    return {first: tuple(sorted(phrases, key=len, reverse=True)) for first, phrases in found.items()}
