"""What all literature stores share: the shape of search results, errors, and the one load that may run at a time."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from fractions import Fraction
from math import ceil
from typing import Any, NamedTuple, Protocol, Self

from groundwork.errors import InputError, StoreBusy, StoreError
from groundwork.network import ArticleMask
from groundwork.organisms import taxon_of
from groundwork.ports import Progress
from groundwork.records import Abstract, Design, Hit, Hits, IndexInfo, Naming, Release
from groundwork.study import Study, known_designs
from literature import bm25
from literature.analysis import Wording


def outside_of_a_load(address: str) -> StoreError:
    """Return the error for a write outside of a load."""
    return StoreError(
        f"a write to {address} outside of a load", "writes inside `with store.writing():`", "begin a load first"
    )


def read_only(address: str) -> StoreError:
    """Return the error for a load on a store that was opened read-only."""
    return StoreError(f"{address} was opened read-only", "a store opened for writing", "open it for writing")


def busy(address: str) -> StoreBusy:
    """Return the error for a load on a store that another load holds."""
    return StoreBusy(
        f"{address} is being loaded by another process",
        "one load at a time",
        "wait until the other load has ended, or stop it",
    )


def check_share(share: float) -> None:
    """Check a share of articles.

    Raises:
        InputError: The share is outside (0, 1].
    """
    if not 0 < share <= 1:
        raise InputError(f"a share of {share}", "a number above 0, up to 1", "correct share")


class Limits(NamedTuple):
    """Which documents a search may find; see `LiteratureReader.search`.

    Attributes:
        before: The largest PMID; None for no limit.
        exclude_retracted: Whether retracted articles are left out.
        designs: The designs wanted; empty for all.
        taxa: Taxon ids of the organisms wanted; empty for all.
    """

    before: int | None
    exclude_retracted: bool
    designs: frozenset[Design]
    taxa: frozenset[str]

    @classmethod
    def of(
        cls, before: int | None, exclude_retracted: bool, design: Collection[Design], organism: Collection[str]
    ) -> Self:
        """Return the limits that the arguments of a search give.

        Raises:
            InputError: A design or an organism is not known.
        """
        taxa = frozenset(taxon_of(name) for name in organism)
        return cls(before, exclude_retracted, known_designs(design), taxa)


class RankedHit(NamedTuple):
    """A document found: Lucene's score, the data that a hit shows, and the store's own reference to the document."""

    score: float
    pmid: int
    retracted: bool
    study: Study
    place: Any = None


class Named(NamedTuple):
    """The documents that name each of several things: their number, those asked about, and the best others."""

    total: int
    among: frozenset[int]
    others: Sequence[RankedHit]


class Load(Protocol):
    """One load of a store, from its beginning to `finish`; see `groundwork.ports.LiteratureWriter`.

    Attributes:
        reached: The note of the saved changes (see `keep`) from which this load continues; "" if it starts from the
            beginning.
    """

    reached: str

    def put(self, abstracts: Iterable[Abstract]) -> None:
        """See `LiteratureWriter.put`."""

    def drop(self, pmids: Iterable[int]) -> None:
        """See `LiteratureWriter.drop`."""

    def put_release(self, release: Release) -> None:
        """See `LiteratureWriter.put_release`."""

    def keep(self, note: str) -> None:
        """See `LiteratureWriter.keep`."""

    def finish(self) -> None:
        """Show readers all changes at once."""


class Store(ABC):
    """A literature store, built on a few abstract lookups and on the store's own kind of load.

    Args:
        address: The address of the store.
        read_only: Refuse every write.
    """

    def __init__(self, address: str, *, read_only: bool) -> None:
        self.address = address
        self._read_only = read_only
        self._under_way: Load | None = None
        self._uncounted: tuple[object, ArticleMask, ArticleMask] | None = None

    # -- what each kind of store implements

    @abstractmethod
    def _best(self, wording: Wording, k: int, limits: Limits) -> tuple[Sequence[RankedHit], IndexInfo]:
        """Return at least the k best documents for a query and all that tie with the last of them, in any order."""

    @abstractmethod
    def _naming(self, wording: Wording, k: int, limits: Limits, among: frozenset[int]) -> Named:
        """Return the documents that name all things of a query; see `LiteratureReader.naming`.

        The best others are all that are not in `among`, or at least the k best and all that tie with the last of them.
        """

    @abstractmethod
    def _titles(self, found: Sequence[RankedHit]) -> Mapping[int, str]:
        """Return the titles of these documents by PMID."""

    @abstractmethod
    def _loading(self, resume: Collection[str], fresh: bool, progress: Progress | None) -> AbstractContextManager[Load]:
        """Hold the store for one load; see `LiteratureWriter.writing`."""

    @abstractmethod
    def _commit(self) -> object:
        """Return a value that differs from all earlier ones after each change of the index that readers see."""

    @abstractmethod
    def _notices(self) -> Iterable[int]:
        """Return the PMIDs of all notices, in any order."""

    @abstractmethod
    def _retractions(self) -> Iterable[int]:
        """Return the PMIDs of all retracted articles, in any order."""

    @abstractmethod
    def pmid_by_year(self, share: float = 0.95) -> dict[int, int]:
        """See `LiteratureReader.pmid_by_year`."""

    def _explained(self) -> AbstractContextManager[None]:
        """Convert errors of the store's driver inside the block to the program's errors."""
        return nullcontext()

    # -- what this class builds on these methods

    def search(
        self,
        text: str,
        *,
        names: Sequence[Sequence[str]] = (),
        k: int = 32,
        before: int | None = None,
        min_score: float | None = None,
        exclude_retracted: bool = False,
        design: Collection[Design] = (),
        organism: Collection[str] = (),
    ) -> Hits:
        """See `LiteratureReader.search`."""
        return self.search_many(
            [text],
            names=[names],
            k=k,
            before=before,
            min_score=min_score,
            exclude_retracted=exclude_retracted,
            design=design,
            organism=organism,
        )[0]

    def search_many(
        self,
        texts: Sequence[str],
        *,
        names: Sequence[Sequence[Sequence[str]]] = (),
        k: int = 32,
        before: int | None = None,
        min_score: float | None = None,
        exclude_retracted: bool = False,
        design: Collection[Design] = (),
        organism: Collection[str] = (),
    ) -> tuple[Hits, ...]:
        """See `LiteratureReader.search_many`."""
        bm25.check_k(k)
        lowest = bm25.floor(min_score)
        limits = Limits.of(before, exclude_retracted, design, organism)
        wordings = [Wording.of(text, things) for text, things in zip(texts, names or [()] * len(texts), strict=True)]
        with self._explained():
            found = self._best_many(wordings, k, limits)
            return tuple(Hits(self._hits_to_show(hits, k, lowest), info) for hits, info in found)

    def naming(
        self,
        names: Sequence[Sequence[str]],
        text: str = "",
        *,
        k: int,
        among: Collection[int] = (),
        before: int | None = None,
        exclude_retracted: bool = False,
        design: Collection[Design] = (),
        organism: Collection[str] = (),
    ) -> Naming:
        """See `LiteratureReader.naming`."""
        bm25.check_k(k)
        limits = Limits.of(before, exclude_retracted, design, organism)
        wording = Wording.of(text, names)
        if not names or len(wording.things) < len(names):
            return Naming(0, frozenset(), ())
        with self._explained():
            named = self._naming(wording, k, limits, frozenset(among))
            return Naming(named.total, named.among, self._hits_to_show(named.others, k, 0.0))

    def _best_many(
        self, wordings: Sequence[Wording], k: int, limits: Limits
    ) -> Iterable[tuple[Sequence[RankedHit], IndexInfo]]:
        """Return the result of `_best` for each query, in order.

        A store that can run queries in parallel overrides this method.
        """
        return (self._best(wording, k, limits) for wording in wordings)

    def _hits_to_show(self, found: Sequence[RankedHit], k: int, lowest: float) -> tuple[Hit, ...]:
        """Return the hits to show: the k best documents, ranked, without those below the lowest score."""
        by_pmid = {hit.pmid: hit for hit in found}
        settled = list(bm25.settle((hit.score, hit.pmid) for hit in found))[:k]
        best = [(score, by_pmid[pmid]) for score, pmid in settled if score >= lowest]
        titles = self._titles([hit for _, hit in best])
        return tuple(
            Hit(hit.pmid, rank, score, titles[hit.pmid], hit.retracted, hit.study.design, hit.study.organism)
            for rank, (score, hit) in enumerate(best, 1)
        )

    def uncounted(self, *, exclude_retracted: bool = False) -> ArticleMask:
        """See `LiteratureReader.uncounted`. Both masks are computed together, once for each state of the index."""
        with self._explained():
            kept, commit = self._uncounted, self._commit()
            if kept is None or kept[0] != commit:
                notices = ArticleMask.of(self._notices())
                kept = commit, notices, ArticleMask.of([*notices.pmids.tolist(), *self._retractions()])
                self._uncounted = kept
        return kept[2] if exclude_retracted else kept[1]

    @contextmanager
    def writing(
        self, *, resume: Collection[str] = (), fresh: bool = False, progress: Progress | None = None
    ) -> Iterator[str]:
        """See `LiteratureWriter.writing`."""
        if self._read_only:
            raise read_only(self.address)
        with self._loading(resume, fresh, progress) as load:
            self._under_way = load
            try:
                yield load.reached
                with self._explained():
                    load.finish()
            finally:
                self._under_way = None

    def put(self, abstracts: Iterable[Abstract]) -> None:
        """See `LiteratureWriter.put`."""
        self._load().put(abstracts)

    def drop(self, pmids: Iterable[int]) -> None:
        """See `LiteratureWriter.drop`."""
        self._load().drop(pmids)

    def put_release(self, release: Release) -> None:
        """See `LiteratureWriter.put_release`."""
        self._load().put_release(release)

    def keep(self, note: str) -> None:
        """See `LiteratureWriter.keep`."""
        load = self._load()
        with self._explained():
            load.keep(note)

    def _load(self) -> Load:
        if self._under_way is None:
            raise outside_of_a_load(self.address)
        return self._under_way


def rank(share: float, count: int) -> int:
    """Return `share` * `count`, rounded up to a whole number of at least 1."""
    return max(1, ceil(Fraction(str(share)) * count))
