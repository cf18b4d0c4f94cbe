"""A search query as tokens: the tokens of a text, and the tokens of the names of things (usually concepts).

Each thing may have several names. It counts once, by the name that matches a document best. A full match of any name
of a thing counts as much as a full match of its first name, so that long or rare names have no advantage.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from literature import analysis

Terms = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Wording:
    """A query in index tokens.

    Attributes:
        text: The original text.
        terms: The tokens of the text, each with its number of occurrences.
        things: For each thing (usually a concept), the tokens of its names. Each thing has at least one name, each name
            has a token, and no two names of a thing have the same tokens.
    """

    text: str
    terms: Terms
    things: tuple[tuple[Terms, ...], ...] = ()

    @classmethod
    def of(cls, text: str, names: Sequence[Sequence[str]] = ()) -> "Wording":
        """Return the query for a text and for things (usually concepts), each of which is given by its names.

        Names without any token are left out, and so are things without such names.
        """
        things = (tuple(_distinct(alternatives)) for alternatives in names)
        return cls(text, Counter(analysis.tokens(text)), tuple(thing for thing in things if thing))

    def __bool__(self) -> bool:
        return bool(self.terms or self.things)

    def rare(self) -> set[str]:
        """Return the tokens of all things (usually concepts) that have several names.

        A search needs the idf of these tokens before it scores documents (see `factors`).
        """
        return {token for thing in self.things if len(thing) > 1 for name in thing for token in name}


def factors(thing: Sequence[Terms], weight: Callable[[str], float]) -> list[float]:
    """Return a factor for the BM25 score of each name of a thing (usually a concept).

    The factor is the weight of the first name divided by the weight of the name itself.

    The weight of a name is the sum of the idf of its tokens, which is the upper limit of its BM25 score. Tokens that no
    document holds have no weight. A name without weight gets the factor 0, and does not count as the first name. A
    single name gets the factor 1.

    Args:
        thing: The tokens of each name.
        weight: Returns the idf of a token; 0 if no document holds the token.
    """
    if len(thing) == 1:
        return [1.0]
    weights = [sum(times * weight(token) for token, times in name.items()) for name in thing]
    first = next((own for own in weights if own > 0.0), 0.0)
    return [first / own if own > 0.0 else 0.0 for own in weights]


def _distinct(names: Sequence[str]) -> Iterator[Terms]:
    """Yield the tokens of each name, in the order of the names. Leave out names without tokens, and repetitions."""
    seen: set[tuple[str, ...]] = set()
    for name in names:
        tokens = analysis.tokens(name)
        same = tuple(sorted(tokens))
        if tokens and same not in seen:
            seen.add(same)
            yield Counter(tokens)
