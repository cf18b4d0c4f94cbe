"""The memory store: plain dicts, the oracle of the contract suite. It lives as long as its process."""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from threading import Lock

from groundwork.records import Abstract, Hit, Hits, IndexInfo, Release
from groundwork.settings import Settings
from literature import analysis, bm25, manifest, refusals, stored


class MemoryLiterature:
    """A literature index in dicts.

    Searches see what was there when the last `writing` was left without an error.

    Args:
        settings: k1 and b are taken from them.
        read_only: Refuse to be written.
    """

    address = "memory:"

    def __init__(self, settings: Settings, *, read_only: bool = False) -> None:
        self._k1, self._b = settings.k1, settings.b
        self._read_only = read_only
        self._lock = Lock()
        self._abstracts: dict[int, Abstract] = {}
        self._counts: dict[int, Counter[str]] = {}
        self._lengths: dict[int, int] = {}
        self._postings: dict[str, set[int]] = {}
        self._releases: dict[tuple[str, str], Release] = {}
        self._pending: dict[int, Abstract | None] | None = None
        self._pending_releases: dict[tuple[str, str], Release] = {}

    def search(
        self,
        text: str,
        *,
        k: int = 32,
        before: int | None = None,
        min_score: float | None = None,
        exclude_retracted: bool = False,
    ) -> Hits:
        """See `LiteratureReader.search`."""
        bm25.check_k(k)
        lowest = bm25.floor(min_score)
        scored = (
            (score, pmid)
            for pmid, score in self._scores(Counter(analysis.tokens(text))).items()
            if (before is None or pmid <= before) and not (exclude_retracted and self._abstracts[pmid].text.retracted)
        )
        best = [(score, pmid) for score, pmid in bm25.settle(scored) if score >= lowest][:k]
        return Hits(tuple(self._hit(rank, score, pmid) for rank, (score, pmid) in enumerate(best, 1)), self.info())

    def get(self, pmids: Iterable[int]) -> dict[int, Abstract]:
        """See `LiteratureReader.get`."""
        return {pmid: self._abstracts[pmid] for pmid in pmids if pmid in self._abstracts}

    def every_pmid(self) -> Iterator[int]:
        """See `LiteratureReader.every_pmid`."""
        return iter(sorted(self._abstracts))

    def info(self) -> IndexInfo:
        """See `LiteratureReader.info`."""
        return IndexInfo(len(self._abstracts), analysis.NAME, self._k1, self._b)

    def releases(self) -> tuple[Release, ...]:
        """See `LiteratureReader.releases`."""
        return manifest.in_order(self._releases.values())

    @contextmanager
    def writing(self) -> Iterator[None]:
        """See `LiteratureWriter.writing`."""
        if self._read_only:
            raise refusals.read_only(self.address)
        if not self._lock.acquire(blocking=False):
            raise refusals.busy(self.address)
        try:
            self._pending, self._pending_releases = {}, {}
            yield
            self._commit(self._pending)
        finally:
            self._pending = None
            self._lock.release()

    def put(self, abstracts: Iterable[Abstract]) -> None:
        """See `LiteratureWriter.put`."""
        self._load().update((stored.check_pmid(abstract.pmid), abstract) for abstract in abstracts)

    def drop(self, pmids: Iterable[int]) -> None:
        """See `LiteratureWriter.drop`."""
        self._load().update(dict.fromkeys(map(stored.check_pmid, pmids)))

    def put_release(self, release: Release) -> None:
        """See `LiteratureWriter.put_release`."""
        self._load()
        self._pending_releases[release.source, release.id] = release

    def close(self) -> None:
        """Nothing is held."""

    def _scores(self, terms: Counter[str]) -> dict[int, float]:
        """BM25 of every document that holds one of the terms; a repeated term counts as often as it stands."""
        held = len(self._lengths)
        average = sum(self._lengths.values()) / held if held else 0.0
        scores: dict[int, float] = {}
        for term, times in sorted(terms.items()):
            holders = self._postings.get(term, set())
            weight = times * bm25.idf(held, len(holders))
            for pmid in holders:
                count, length = self._counts[pmid][term], self._lengths[pmid]
                part = bm25.saturation(count, length, average, self._k1, self._b)
                scores[pmid] = scores.get(pmid, 0.0) + weight * part
        return scores

    def _hit(self, rank: int, score: float, pmid: int) -> Hit:
        text = self._abstracts[pmid].text
        return Hit(pmid, rank, score, text.title, text.retracted)

    def _load(self) -> dict[int, Abstract | None]:
        """What the load under way has changed: the abstract now wanted for a PMID, or None where it goes."""
        if self._pending is None:
            raise refusals.outside_of_a_load(self.address)
        return self._pending

    def _commit(self, pending: dict[int, Abstract | None]) -> None:
        for pmid, abstract in pending.items():
            self._forget(pmid)
            if abstract is not None:
                self._learn(abstract)
        self._releases |= self._pending_releases

    def _forget(self, pmid: int) -> None:
        self._abstracts.pop(pmid, None)
        self._lengths.pop(pmid, None)
        for term in self._counts.pop(pmid, ()):
            self._postings[term].discard(pmid)
            if not self._postings[term]:
                del self._postings[term]

    def _learn(self, abstract: Abstract) -> None:
        self._abstracts[abstract.pmid] = abstract
        counts = Counter(analysis.tokens(f"{abstract.text.title} {abstract.text.abstract}"))
        if counts:  # as in Lucene, a document without any token counts neither in N nor in avgdl
            self._counts[abstract.pmid], self._lengths[abstract.pmid] = counts, counts.total()
        for term in counts:
            self._postings.setdefault(term, set()).add(abstract.pmid)
