"""The links that a look-up uses, and the arrays that every store passes to the ranking."""

from dataclasses import dataclass

from groundwork.network import LINKS, Floats, Ints, Network
from groundwork.vocabulary import CONTRADICTS, RELATIONS, SIMILAR_TO

__all__ = ["LINKS", "Floats", "Ints", "Network", "Reach"]


@dataclass(frozen=True, slots=True)
class Reach:
    """The links that a look-up uses: their kinds, and the largest PMID.

    Attributes:
        before: The largest PMID of the articles that count; None if all articles count. Relations without such articles
            are not used.
        similar: Whether similarity links are used.
        contradicts: Whether contradiction links are used.
    """

    before: int | None = None
    similar: bool = False
    contradicts: bool = False

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of links that the look-up uses, relations first."""
        extra = ((self.similar, SIMILAR_TO), (self.contradicts, CONTRADICTS))
        return RELATIONS + tuple(kind for walked, kind in extra if walked)
