"""The links that a look-up uses, and the arrays that every store passes to the ranking."""

from bisect import bisect_right
from dataclasses import dataclass

from groundwork.network import LINKS, ArticleMask, Floats, Ints, Network
from groundwork.vocabulary import CONTRADICTS, RELATIONS, SIMILAR_TO

__all__ = ["LINKS", "Floats", "Ints", "Network", "Reach"]


@dataclass(frozen=True, slots=True)
class Reach:
    """The links that a look-up uses: their kinds, and the articles that count.

    Attributes:
        before: The largest PMID of the articles that count; None for no limit. Relations without an article that
            counts are not used.
        similar: Whether similarity links are used.
        contradicts: Whether contradiction links are used.
        without: Articles that do not count; None if there are none.
    """

    before: int | None = None
    similar: bool = False
    contradicts: bool = False
    without: ArticleMask | None = None

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of links that the look-up uses, relations first."""
        extra = ((self.similar, SIMILAR_TO), (self.contradicts, CONTRADICTS))
        return RELATIONS + tuple(kind for walked, kind in extra if walked)

    @property
    def masked(self) -> list[int] | None:
        """The PMIDs that do not count, as a parameter of a query; None if there are none."""
        return self.without.pmids.tolist() if self.without else None

    def counted(self, pmids: tuple[int, ...]) -> tuple[int, ...]:
        """Return those of an edge's PMIDs that count. The given PMIDs must be ascending."""
        under = pmids if self.before is None else pmids[: bisect_right(pmids, self.before)]
        return self.without.left(under) if self.without else under
