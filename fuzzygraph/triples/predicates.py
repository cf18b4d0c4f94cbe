"""What predicates mean: the table predicates.tsv, read once.

A predicate is a word (verb, adjective, relational noun) and the preposition that joins it to its object, "-" for
none. It maps to a PubTator3 relation, or to none; its sign is the verb's own where it has one, else the relation's.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from groundwork.polarity import VERB_SIGNS, Sign, relation_sign

DIRECT = "-"


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a predicate says.

    Attributes:
        relation: A PubTator3 relation.
        denied: The word denies it by itself ("ineffective").
        turned: The object does it to the subject ("results from").
    """

    relation: str
    denied: bool = False
    turned: bool = False


@dataclass(frozen=True, slots=True)
class Predicates:
    """The table.

    Attributes:
        meanings: kind (verb, adjective, noun, participle) -> word -> preposition -> meaning.
        words: kind (light, measure, reversing, failing, hedging, ...) -> words.
    """

    meanings: Mapping[str, Mapping[str, Mapping[str, Meaning]]]
    words: Mapping[str, frozenset[str]]

    def meaning(self, kind: str, word: str, preposition: str = DIRECT) -> Meaning | None:
        """What a word of that kind says with that preposition, None if the table has no such entry."""
        return self.meanings.get(kind, {}).get(word, {}).get(preposition)

    def verb_form(self, text: str) -> str | None:
        """The verb of which a word is the third person ("lowers" -> "lower"), None if the table has none."""
        word = text.lower()
        stems = [word[:-1], word[:-2], word[:-3] + "y"] if word.endswith("s") else []
        return next((stem for stem in stems if stem in self.meanings["verb"]), None)

    def knows(self, kind: str, word: str) -> bool:
        """Whether the table has the word under that kind."""
        return word in self.meanings.get(kind, {}) or word in self.words.get(kind, frozenset())


@lru_cache(maxsize=1)
def predicates() -> Predicates:
    """The table of predicates.tsv."""
    lines = files("fuzzygraph.triples").joinpath("predicates.tsv").read_text("utf-8").splitlines()
    meanings: dict[str, dict[str, dict[str, Meaning]]] = {}
    words: dict[str, set[str]] = {}
    for kind, word, *sense in (line.split("\t") for line in lines if not line.startswith(("#", "kind\t"))):
        if not sense:
            words.setdefault(kind, set()).add(word)
            continue
        prepositions, relation = sense
        meaning = Meaning(relation.lstrip("!<"), relation.startswith("!"), relation.startswith("<"))
        meanings.setdefault(kind, {}).setdefault(word, {}).update(dict.fromkeys(prepositions.split(","), meaning))
    return Predicates(meanings, {kind: frozenset(some) for kind, some in words.items()})


def sign_of(word: str, relation: str | None) -> Sign:
    """Sign of a predicate: the verb's own, else its relation's, else 0."""
    return VERB_SIGNS.get(word, relation_sign(relation or ""))
