"""Literature lookups. They are available as `World.literature`."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from numbers import Integral
from operator import index
from typing import Any

from groundwork.errors import InputError
from groundwork.options import StudyOptions
from groundwork.ports import Literature
from groundwork.records import Design, Hits, IndexInfo, Release
from groundwork.records.base import counted, listed
from truthhypo.arguments import checked_arguments, shown
from truthhypo.lookups import dated
from truthhypo.service.articles import Articles


class HitsOfTexts(tuple[Hits, ...]):
    """The hits for several texts, in the order of the texts."""

    __slots__ = ()

    def __repr__(self) -> str:
        lines = (", ".join(f"PMID {hit.pmid}" for hit in each.hits) or "no hits" for each in self)
        return listed(f"Hits for {counted(len(self), 'text')}", lines)


class LiteratureLookups:
    """Literature lookups; none of them writes.

    Args:
        opened: Function that returns the literature store, or raises an error if the store is closed.
        names: Function that returns the names of concepts by key, as far as they are known.

    Example:
        >>> hasattr(world.literature, "put")
        False
    """

    def __init__(self, opened: Callable[[], Literature], names: Callable[[Collection[str]], Mapping[str, str]]) -> None:
        self._opened, self._names = opened, names

    def __repr__(self) -> str:
        return "LiteratureLookups: search, search_many, get, retracted, every_pmid, info, releases"

    @property
    def address(self) -> str:
        """Address of the literature store."""
        return self._opened().address

    @checked_arguments
    def search(
        self,
        text: str,
        *,
        names: Sequence[Sequence[str]] = (),
        k: int = 32,
        before: int | None = None,
        min_score: float | None = None,
        exclude_retracted: bool = False,
        design: Sequence[Design] = (),
        organism: Sequence[str] = (),
    ) -> Hits:
        """Return the k best articles by BM25; see `groundwork.ports.LiteratureReader.search`.

        Args:
            text: Plain text; it is not read as a query language.
            names: Further concepts to search for, each as a list of alternative names.
            k: Maximum number of articles, 1 to 10000.
            before: Use only articles with a PMID up to this one.
            min_score: Minimum BM25 score.
            exclude_retracted: Ignore retracted articles.
            design: Use only articles with one of these designs.
            organism: Use only articles on one of these organisms, each as NCBI taxon id or name.

        Example:
            >>> world.literature.search("aspirin infarction", k=2).to_frame()["pmid"].tolist()
            [990000005, 990000008]
        """
        dated(before)
        studies = StudyOptions(design=design, organism=organism).keywords()
        options: dict[str, Any] = {"k": k, "before": before, "min_score": min_score, **studies}
        return self._opened().search(text, names=names, exclude_retracted=exclude_retracted, **options)

    @checked_arguments
    def search_many(
        self,
        texts: Sequence[str],
        *,
        names: Sequence[Sequence[Sequence[str]]] = (),
        k: int = 32,
        before: int | None = None,
        min_score: float | None = None,
        exclude_retracted: bool = False,
        design: Sequence[Design] = (),
        organism: Sequence[str] = (),
    ) -> HitsOfTexts:
        """Return the result of `search` for each text, in order; on a server this needs fewer requests.

        Example:
            >>> [hits.hits[0].pmid for hits in world.literature.search_many(["aspirin infarction", "metformin"], k=1)]
            [990000005, 990000001]
        """
        dated(before)
        studies = StudyOptions(design=design, organism=organism).keywords()
        options: dict[str, Any] = {"k": k, "before": before, "min_score": min_score, **studies}
        found = self._opened().search_many(texts, names=names, exclude_retracted=exclude_retracted, **options)
        return HitsOfTexts(found)

    def get(self, pmids: int | Iterable[int]) -> Articles:
        """Return the articles by PMID. PMIDs that the literature does not contain are left out.

        Example:
            >>> world.literature.get(990000005)[990000005].text.year
            2024
        """
        asked = _pmids(pmids)
        held = self._opened().get(asked)
        articles = Articles((pmid, held[pmid]) for pmid in asked if pmid in held)
        articles.names = self._names({key for article in articles.values() for key in article.concepts})
        return articles

    def retracted(self, pmids: int | Iterable[int]) -> set[int]:
        """Return those of the given PMIDs whose articles are retracted.

        Example:
            >>> world.literature.retracted([990000005])
            set()
        """
        return self._opened().retracted(_pmids(pmids))

    def every_pmid(self) -> Iterator[int]:
        """Yield all PMIDs in ascending order, as a stream.

        Example:
            >>> next(world.literature.every_pmid())
            990000001
        """
        return self._opened().every_pmid()

    def info(self) -> IndexInfo:
        """Return the number of documents, the analyser, and the parameters k1 and b of BM25.

        Example:
            >>> world.literature.info().k1
            1.2
        """
        return self._opened().info()

    def releases(self) -> tuple[Release, ...]:
        """Return the releases that this literature has recorded.

        Example:
            >>> sorted({release.source for release in world.literature.releases()})
            ['documents', 'pubmed']
        """
        return self._opened().releases()


def _pmids(given: Any) -> list[int]:
    """Return PMIDs as a list of Python's integers.

    Raises:
        InputError: A value is not a whole number.
    """
    many = isinstance(given, Iterable) and not isinstance(given, str)
    every: list[Any] = list(given) if many else [given]
    if wrong := [each for each in every if not isinstance(each, Integral)]:
        seen = f"the PMID {shown(wrong[0])}, which is of type {type(wrong[0]).__name__}"
        raise InputError(seen, "PMIDs as whole numbers", "give for instance get(11745184) or get([11745184, 9164811])")
    return [index(each) for each in every]
