"""The port of literature indexes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from groundwork.ports.progress import Progress
from groundwork.records import Abstract, Design, Hits, IndexInfo, Naming, Release

if TYPE_CHECKING:
    from groundwork.network import ArticleMask


class LiteratureReader(Protocol):
    """Look-ups in a literature index; none of them writes."""

    @property
    def address(self) -> str:
        """Address of the index."""

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
        """Return the k best documents by BM25 over title and abstract (English analysis).

        A document matches if it contains at least one query token. All matching documents are returned if there are at
        most k, else exactly k. The score is Lucene's idf * tf / (tf + k1 (1 - b + b dl/avgdl)), with
        idf = ln(1 + (N - n + 0.5) / (n + 0.5)) and collection statistics over the whole index. Ties are ordered by
        ascending PMID, which also decides which of them are among the k hits. A text without tokens has no hits.

        `names` lists further concepts to search for, each with its alternative names. The score is then BM25(text) plus
        one value per concept: the largest BM25(name) w(first name) / w(name) over the names of the concept. Here
        w(name) is the sum of idf over those tokens of the name that the index contains. So the score is the BM25 of the
        text together with the first name of each concept. But a document that contains all of another name scores as if
        it contained all of the first name. A concept with a single name has the same effect as this name inside the
        text.

        Args:
            text: Free text; it is not parsed as a query language.
            names: For each concept that `text` does not name, its names; the most usual name comes first.
            k: Maximum number of hits, 1 to 10000.
            before: PMID cut, applied inside the query.
            min_score: Smallest score of a hit; None for no limit.
            exclude_retracted: Whether to leave retracted articles out; applied inside the query as well.
            design: Only articles of one of these designs (`groundwork.study`); empty for all. Like the next argument,
                it is applied inside the query and does not change scores.
            organism: Only articles on one of these organisms, each as taxon id or name; empty for all.

        Raises:
            InputError: If k is outside 1-10000, min_score is not finite, or a design or an organism is not known.
        """

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
        """Return the result of `search` for each text, in order; on a server this needs fewer requests.

        Args:
            texts: The texts, as in `search`.
            names: The `names` of `search` for each text; empty, or one entry per text.
            k: As in `search`. This argument and all following arguments apply to every text.
            before: PMID cut.
            min_score: Smallest score of a hit.
            exclude_retracted: Whether to leave retracted articles out.
            design: The designs wanted.
            organism: The organisms wanted.

        Raises:
            InputError: As in `search`.
        """

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
        """Return the documents that name each of several things (usually concepts): their number, and the best ones.

        A document names a thing if it contains all tokens of one of its names. Other than in `search`, names do not
        score: the score is the BM25 of `text` alone, and a document without any of its tokens has the score 0.

        Args:
            names: For each thing, its names. A thing none of whose names has a token is named by no document.
            text: Free text that orders the documents.
            k: Maximum number of hits, 1 to 10000.
            among: PMIDs of documents that the caller knows already. They are counted, but are no hits.
            before: PMID cut, as for `search`. This argument and all following arguments also limit the count.
            exclude_retracted: Whether to leave retracted articles out.
            design: The designs wanted.
            organism: The organisms wanted.

        Raises:
            InputError: If k is outside 1-10000, or a design or an organism is not known.
        """

    def get(self, pmids: Iterable[int]) -> dict[int, Abstract]:
        """Return the abstracts by PMID. PMIDs that the index does not contain are left out."""

    def retracted(self, pmids: Iterable[int]) -> set[int]:
        """Return the PMIDs that the index marks as retracted. For many PMIDs, this is cheaper than `get`."""

    def by_doi(self, dois: Collection[str]) -> dict[str, int]:
        """Return the PMIDs of the articles with these DOIs (in lower case), by DOI; of several articles the smallest.

        DOIs that no article has are left out. Only PubMed records have DOIs.
        """

    def uncounted(self, *, exclude_retracted: bool = False) -> ArticleMask:
        """Return the articles that do not count as support of edges; see `without` in `groundwork.ports`.

        These are all notices of the index (`groundwork.study`). The mask is kept until the index changes. After a
        load by another process, a server's mask may be a second old.

        Args:
            exclude_retracted: Whether retracted articles do not count either.
        """

    def every_pmid(self) -> Iterator[int]:
        """Yield all PMIDs in ascending order, as a stream."""

    def pmid_by_year(self, share: float = 0.95) -> dict[int, int]:
        """Return a PMID for each year of publication, years ascending.

        The PMID is the smallest one of the year's articles such that at least `share` of these articles have this or
        a smaller PMID. Articles without a year are left out. An embedded store reads the years of all articles for this
        (or all stored fields, if the index has an older format). On a server, this takes about thirty requests.

        Args:
            share: Share of the articles of a year, in (0, 1].

        Raises:
            InputError: If share is outside (0, 1].
        """

    def info(self) -> IndexInfo:
        """Return the number of documents, the analyser, and the BM25 parameters k1 and b."""

    def releases(self) -> tuple[Release, ...]:
        """Return the releases that this index has recorded, sorted by source, then by `Release.order`."""


class LiteratureWriter(Protocol):
    """The writing operations of a load. Repeating an operation changes nothing.

    Readers see the changes when `writing` ends without an error.
    """

    def writing(
        self, *, resume: Collection[str] = (), fresh: bool = False, progress: Progress | None = None
    ) -> AbstractContextManager[str]:
        """Hold the index for one load: create it if it is missing, and refuse other loads (StoreBusy).

        If a load ends in an error, its changes are discarded, except the changes saved with `keep`. Readers do not see
        saved changes. The next load continues from them or deletes them.

        Args:
            resume: Notes (see `keep`) from which this load can continue. If one of them is the last note of the
                interrupted load, this load continues from the changes saved under it, provided that the content for
                readers has not changed since that load began.
            fresh: Whether to begin with an empty index without releases. Readers see the old index until the load has
                ended without an error.
            progress: Notified when the load waits for a server.

        Yields:
            The note of the saved changes from which this load continues; "" if it starts from the beginning.
        """

    def keep(self, note: str) -> None:
        """Save what the load has written so far. The note names the saved changes.

        Args:
            note: A text that is not empty and that no other load uses.
        """

    def put(self, abstracts: Iterable[Abstract]) -> None:
        """Insert abstracts, or replace those with the same PMIDs."""

    def drop(self, pmids: Iterable[int]) -> None:
        """Remove abstracts by PMID. PMIDs that the index does not contain are ignored."""

    def put_release(self, release: Release) -> None:
        """Write the record of a release, or replace the record with the same source and id."""


class Literature(LiteratureReader, LiteratureWriter, Protocol):
    """A literature store: reading, writing, and closing."""

    def close(self) -> None:
        """Close the store. Calling it twice is allowed."""
