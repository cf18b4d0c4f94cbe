"""Map predicates to PubTator3 relations, by the table predicates.tsv."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from groundwork.polarity import VERB_SIGNS, Sign, relation_sign
from groundwork.reading.tree import Word
from groundwork.word_lists import rows


class Predicate(NamedTuple):
    """The meaning of the words between the subject and the object of a claim.

    Attributes:
        relation: The PubTator3 relation in predicates.tsv; None if no word is in this table.
        sign: Sign of the verb or, if the verb has no sign of its own, of the relation.
        place: Position in the sentence of the word that was found in predicates.tsv; -1 if none was found.
        turned: Whether the object of the last preposition is the actor ("results from").
    """

    relation: str | None = None
    sign: Sign = 0
    place: int = -1
    turned: bool = False


def predicate_of(words: Sequence[Word]) -> Predicate:
    """Return the meaning of the first word that predicates.tsv contains, with or without a preposition after it."""
    for n, word in enumerate(words):
        pairs = (f"{word.lemma} {after.lemma}" for after in words[n + 1 :] if after.dep in {"prep", "agent"})
        relation = next((table()[each] for each in (*pairs, word.lemma) if each in table()), None)
        if relation is not None:
            name = relation.removeprefix("<")
            return Predicate(name, VERB_SIGNS.get(word.lemma, relation_sign(name)), word.index, name != relation)
    return Predicate()


def predicates_of(sign: int) -> Iterator[str]:
    """Yield the entries of predicates.tsv with a sign (+1 or -1)."""
    for words, relation in table().items():
        if VERB_SIGNS.get(words, relation_sign(relation.removeprefix("<"))) == sign:
            yield words


@lru_cache(maxsize=1)
def table() -> Mapping[str, str]:
    """Return the relation of each entry of predicates.tsv. A leading "<" means that subject and object swap roles."""
    return dict(rows("groundwork.reading", "predicates.tsv"))
