"""Which PubTator3 relation a predicate stands for: the table predicates.tsv, read once."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from groundwork.polarity import VERB_SIGNS, Sign, relation_sign
from groundwork.reading.tree import Word


class Predicate(NamedTuple):
    """What the words between two ends state.

    Attributes:
        relation: A PubTator3 relation; None if the table has none for them.
        sign: That of the verb, else that of the relation.
        place: Index of the word in the sentence that the table has; -1 if none.
        turned: What the last preposition governs acts on the other end ("results from").
    """

    relation: str | None = None
    sign: Sign = 0
    place: int = -1
    turned: bool = False


def predicate_of(words: Sequence[Word]) -> Predicate:
    """Return the meaning of the first of some words that the table holds, with or without the preposition behind it."""
    for n, word in enumerate(words):
        pairs = (f"{word.lemma} {after.lemma}" for after in words[n + 1 :] if after.dep in {"prep", "agent"})
        relation = next((table()[each] for each in (*pairs, word.lemma) if each in table()), None)
        if relation is not None:
            name = relation.removeprefix("<")
            return Predicate(name, VERB_SIGNS.get(word.lemma, relation_sign(name)), word.index, name != relation)
    return Predicate()


@lru_cache(maxsize=1)
def table() -> Mapping[str, str]:
    """Return the relation of each entry of predicates.tsv, with "<" before it if the entry is turned round."""
    lines = files("fuzzygraph.triples").joinpath("predicates.tsv").read_text("utf-8").splitlines()
    return dict(line.split("\t") for line in lines if not line.startswith(("#", "words\t")))
