"""The port of literature indexes."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from groundwork.ports.progress import Progress
from groundwork.records import Abstract, Hits, IndexInfo, Release


class LiteratureReader(Protocol):
    """Look-ups in a literature index; none of them writes."""

    address: str

    def search(
        self,
        text: str,
        *,
        names: Sequence[Sequence[str]] = (),
        k: int = 32,
        before: int | None = None,
        min_score: float | None = None,
        exclude_retracted: bool = False,
    ) -> Hits:
        """The k best documents by BM25 over title + abstract (English analysis), the PMID cut inside the query.

        A document matches if it holds at least one query token; exactly min(k, matching documents) hits come back.
        Score: Lucene's idf * tf / (tf + k1 (1 - b + b dl/avgdl)), idf = ln(1 + (N - n + 0.5) / (n + 0.5)), with
        collection statistics over the whole index. Ties by ascending PMID, also at the cut-off rank. A text without
        any token has no hits.

        With `names`, what the text speaks of may go by several names: the score is BM25(text) plus, for each thing, the
        largest over its names of BM25(name) w(first name) / w(name), where w is the sum of idf over a name's tokens
        that the index holds. So it is the BM25 of the text with all things named by their first names, where any other
        name, fully met, counts as much as the first; things of one name are as good as a part of the text.

        Args:
            text: Free text; no query syntax is read in it.
            names: For each thing that the text leaves out the names it goes by, the one the text would use first.
            k: 1 to 10000.
            before: PMID cut.
            min_score: Hits below it are left out.
            exclude_retracted: Leave retracted articles out, inside the query.

        Raises:
            InputError: k outside 1-10000, or min_score not finite.
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
    ) -> tuple[Hits, ...]:
        """What `search` says of each text, in their order; on a server in fewer requests.

        Args:
            texts: As in `search`.
            names: For each text the names of `search`; empty, or one entry a text.
            k: As in `search`, and so are the others, for all texts alike.
            before: PMID cut.
            min_score: Hits below it are left out.
            exclude_retracted: Leave retracted articles out.

        Raises:
            InputError: As in `search`.
        """

    def get(self, pmids: Iterable[int]) -> dict[int, Abstract]:
        """The abstracts of those PMIDs that the index holds."""

    def retracted(self, pmids: Iterable[int]) -> set[int]:
        """Those of these PMIDs that the index knows as retracted articles; cheaper than `get`, for many."""

    def every_pmid(self) -> Iterator[int]:
        """All PMIDs, ascending, streamed."""

    def info(self) -> IndexInfo:
        """Document count, analyser, k1 and b."""

    def releases(self) -> tuple[Release, ...]:
        """Releases this index knows of, by source, then order."""


class LiteratureWriter(Protocol):
    """Writes of a load. Idempotent; visible to readers when `writing` is left without an error."""

    def writing(
        self, *, resume: Collection[str] = (), fresh: bool = False, progress: Progress | None = None
    ) -> AbstractContextManager[str]:
        """Hold the index for one load: made if absent, other loads refused (StoreBusy).

        A load that ends in an error leaves no trace, but for what it told the index to `keep`; that waits, unseen by
        readers, for a load that resumes it, and is forgotten by a load that does not.

        Args:
            resume: Notes. If the load that broke off last said one of them last, this load goes on from there,
                provided that readers still see what they saw when it began.
            fresh: Begin with an empty index, without releases. What is live is served until this load is over.
            progress: Is told when the load waits for a server.

        Gives:
            The note from which the load goes on; "" where it begins anew.
        """

    def keep(self, note: str) -> None:
        """Make durable what the load has put so far, under a note that no other load uses and that is not empty."""

    def put(self, abstracts: Iterable[Abstract]) -> None:
        """Insert or replace abstracts by PMID."""

    def drop(self, pmids: Iterable[int]) -> None:
        """Remove abstracts; those that are not there are passed over."""

    def put_release(self, release: Release) -> None:
        """Write or replace the release (source, id)."""


class Literature(LiteratureReader, LiteratureWriter, Protocol):
    """A literature store: both ports, and a way to let go of it."""

    def close(self) -> None:
        """Let go of the store. Calling it twice is no error."""
