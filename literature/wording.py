"""What a search asks for: the tokens of a text, and things that go by several names.

A thing counts by the one name that suits a document best. So that a name is not ahead for being long or rare, a full
match of any name counts as much as a full match of the first.
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
        text: The text as it stands.
        terms: Its tokens, each with how often it says them.
        things: For each thing the tokens of its names, of one or more; no two names alike, none without a token.
    """

    text: str
    terms: Terms
    things: tuple[tuple[Terms, ...], ...] = ()

    @classmethod
    def of(cls, text: str, names: Sequence[Sequence[str]] = ()) -> "Wording":
        """The query of a text and of things by their names; things without a token are left out."""
        things = (tuple(_distinct(alternatives)) for alternatives in names)
        return cls(text, Counter(analysis.tokens(text)), tuple(thing for thing in things if thing))

    def __bool__(self) -> bool:
        return bool(self.terms or self.things)

    def rare(self) -> set[str]:
        """The tokens whose weight has to be known before it can be searched: those of things with several names."""
        return {token for thing in self.things if len(thing) > 1 for name in thing for token in name}


def factors(thing: Sequence[Terms], weight: Callable[[str], float]) -> list[float]:
    """What the BM25 of each name is multiplied by: the weight of the first name over its own.

    The weight of a name is the sum of its tokens' idf, the most that its BM25 can come to. Tokens that no document
    holds count for nothing, nor does a name of such tokens alone.

    Args:
        thing: The tokens of each name.
        weight: idf of a token, 0 where no document holds it.
    """
    if len(thing) == 1:
        return [1.0]
    weights = [sum(times * weight(token) for token, times in name.items()) for name in thing]
    first = next((own for own in weights if own > 0.0), 0.0)
    return [first / own if own > 0.0 else 0.0 for own in weights]


def _distinct(names: Sequence[str]) -> Iterator[Terms]:
    """The tokens of names, in their order; names of the same tokens once."""
    seen: set[tuple[str, ...]] = set()
    for name in names:
        tokens = analysis.tokens(name)
        same = tuple(sorted(tokens))
        if tokens and same not in seen:
            seen.add(same)
            yield Counter(tokens)
