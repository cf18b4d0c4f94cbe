"""The memory store: plain dicts that last as long as the process. It is the reference for the tests of all stores."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import Lock

from groundwork.ports import Progress
from groundwork.records import Abstract, IndexInfo, Release
from groundwork.settings import Settings
from groundwork.study import Study, is_notice, study_of
from literature import analysis, bm25, manifest, store, stored
from literature.analysis import Terms, Wording, factors
from literature.store import Limits, Named, RankedHit, Store, rank


@dataclass
class _Load:
    """The changes of a load: releases, and for each PMID the abstract to store, or None for a deletion."""

    store: "MemoryLiterature"
    fresh: bool
    abstracts: dict[int, Abstract | None] = field(default_factory=dict)
    releases: dict[tuple[str, str], Release] = field(default_factory=dict)
    reached: str = ""

    def put(self, abstracts: Iterable[Abstract]) -> None:
        self.abstracts.update((stored.check_pmid(abstract.pmid), abstract) for abstract in abstracts)

    def drop(self, pmids: Iterable[int]) -> None:
        self.abstracts.update(dict.fromkeys(map(stored.check_pmid, pmids)))

    def put_release(self, release: Release) -> None:
        self.releases[release.source, release.id] = release

    def keep(self, note: str) -> None:
        self.store.kept = replace(self, abstracts=dict(self.abstracts), releases=dict(self.releases), reached=note)

    def finish(self) -> None:
        self.store.commit(self.abstracts, self.releases, self.fresh)


class MemoryLiterature(Store):
    """A literature index in dicts.

    Searches see the state after the last `writing` block that ended without an error.

    Args:
        settings: Settings with k1 and b.
        read_only: Refuse every write.

    Attributes:
        kept: The changes that the last interrupted load had saved with `keep`; None if there are none.
    """

    def __init__(self, settings: Settings, *, read_only: bool = False) -> None:
        super().__init__("memory:", read_only=read_only)
        self._k1, self._b = settings.k1, settings.b
        self._lock = Lock()
        self._abstracts: dict[int, Abstract] = {}
        self._counts: dict[int, Counter[str]] = {}
        self._lengths: dict[int, int] = {}
        self._studies: dict[int, Study] = {}
        self._postings: dict[str, set[int]] = {}
        self._releases: dict[tuple[str, str], Release] = {}
        self._commits = 0
        self.kept: _Load | None = None

    def get(self, pmids: Iterable[int]) -> dict[int, Abstract]:
        """See `LiteratureReader.get`."""
        return {pmid: self._abstracts[pmid] for pmid in pmids if pmid in self._abstracts}

    def retracted(self, pmids: Iterable[int]) -> set[int]:
        """See `LiteratureReader.retracted`."""
        return {pmid for pmid in pmids if pmid in self._abstracts and self._abstracts[pmid].text.retracted}

    def by_doi(self, dois: Collection[str]) -> dict[str, int]:
        """See `LiteratureReader.by_doi`."""
        wanted = {*dois} - {""}
        held = ((abstract.text.doi, pmid) for pmid, abstract in sorted(self._abstracts.items(), reverse=True))
        return {doi: pmid for doi, pmid in held if doi in wanted}

    def _commit(self) -> int:
        return self._commits

    def _notices(self) -> Iterable[int]:
        return [pmid for pmid, abstract in self._abstracts.items() if is_notice(abstract.text)]

    def _retractions(self) -> Iterable[int]:
        return [pmid for pmid, abstract in self._abstracts.items() if abstract.text.retracted]

    def every_pmid(self) -> Iterator[int]:
        """See `LiteratureReader.every_pmid`."""
        return iter(sorted(self._abstracts))

    def pmid_by_year(self, share: float = 0.95) -> dict[int, int]:
        """See `LiteratureReader.pmid_by_year`."""
        store.check_share(share)
        pmids: defaultdict[int, list[int]] = defaultdict(list)
        for pmid, abstract in self._abstracts.items():
            if abstract.text.year is not None:
                pmids[abstract.text.year].append(pmid)
        return {year: sorted(held)[rank(share, len(held)) - 1] for year, held in sorted(pmids.items())}

    def info(self) -> IndexInfo:
        """See `LiteratureReader.info`."""
        return IndexInfo(len(self._abstracts), analysis.NAME, self._k1, self._b)

    def releases(self) -> tuple[Release, ...]:
        """See `LiteratureReader.releases`."""
        return manifest.in_order(self._releases.values())

    def close(self) -> None:
        """Do nothing: this store holds no resources."""

    def _weight(self, term: str) -> float:
        """Return the idf of a term; 0 if no document holds the term."""
        holders = self._postings.get(term)
        return bm25.idf(len(self._lengths), len(holders)) if holders else 0.0

    def _scores(self, wording: Wording) -> dict[int, float]:
        """Return the score of every document that holds a token of the query; see `LiteratureReader.search`."""
        scores = self._sums(wording.terms)
        for thing in wording.things:
            best: dict[int, float] = {}
            for name, factor in zip(thing, factors(thing, self._weight), strict=True):
                for pmid, score in self._sums(name).items():
                    best[pmid] = max(best.get(pmid, 0.0), factor * score)
            for pmid, score in best.items():
                scores[pmid] = scores.get(pmid, 0.0) + score
        return scores

    def _sums(self, terms: Terms) -> dict[int, float]:
        """Return the BM25 score of every document with any of the terms. Each term counts as often as it is given."""
        held = len(self._lengths)
        average = sum(self._lengths.values()) / held if held else 0.0
        scores: dict[int, float] = {}
        for term, times in sorted(terms.items()):
            holders = self._postings.get(term, set())
            weight = times * self._weight(term)
            for pmid in holders:
                count, length = self._counts[pmid][term], self._lengths[pmid]
                part = bm25.saturation(count, length, average, self._k1, self._b)
                scores[pmid] = scores.get(pmid, 0.0) + weight * part
        return scores

    def commit(
        self, abstracts: Mapping[int, Abstract | None], releases: Mapping[tuple[str, str], Release], fresh: bool
    ) -> None:
        """Show readers the changes of a load. If `fresh`, remove all earlier documents and releases first."""
        for pmid in list(self._abstracts) if fresh else ():
            self._forget(pmid)
        for pmid, abstract in abstracts.items():
            self._forget(pmid)
            if abstract is not None:
                self._learn(abstract)
        self._releases = {**({} if fresh else self._releases), **releases}
        self._commits += 1
        self.kept = None

    @contextmanager
    def _loading(self, resume: Collection[str], fresh: bool, _progress: Progress | None) -> Iterator[_Load]:
        if not self._lock.acquire(blocking=False):
            raise store.busy(self.address)
        try:
            kept, self.kept = self.kept, None
            if kept is None or kept.reached not in resume:
                yield _Load(self, fresh)
            else:
                kept.keep(kept.reached)
                yield kept
        finally:
            self._lock.release()

    def _best(
        self,
        wording: Wording,
        k: int,  # noqa: ARG002 - this store returns every match
        limits: Limits,
    ) -> tuple[Sequence[RankedHit], IndexInfo]:
        return self._ranked(self._scores(wording), limits), self.info()

    def _naming(
        self,
        wording: Wording,
        k: int,  # noqa: ARG002 - this store returns every match
        limits: Limits,
        among: frozenset[int],
    ) -> Named:
        scores = self._sums(wording.terms)
        holders = [
            [set.intersection(*(self._postings.get(term, set()) for term in name)) for name in thing]
            for thing in wording.things
        ]
        naming = set.intersection(*(set.union(*names) for names in holders))
        found = self._ranked({pmid: scores.get(pmid, 0.0) for pmid in naming}, limits)
        known = among.intersection(hit.pmid for hit in found)
        return Named(len(found), known, [hit for hit in found if hit.pmid not in known])

    def _ranked(self, scores: Mapping[int, float], limits: Limits) -> list[RankedHit]:
        """Return the documents with these scores, without those that the limits leave out."""
        found = [
            RankedHit(score, pmid, self._abstracts[pmid].text.retracted, self._studies[pmid])
            for pmid, score in scores.items()
        ]
        before, exclude_retracted, designs, taxa = limits
        return [
            hit
            for hit in found
            if (before is None or hit.pmid <= before)
            and not (exclude_retracted and hit.retracted)
            and (not designs or hit.study.design in designs)
            and (not taxa or hit.study.taxon in taxa)
        ]

    def _titles(self, found: Sequence[RankedHit]) -> Mapping[int, str]:
        return {hit.pmid: self._abstracts[hit.pmid].text.title for hit in found}

    def _forget(self, pmid: int) -> None:
        self._abstracts.pop(pmid, None)
        self._studies.pop(pmid, None)
        self._lengths.pop(pmid, None)
        for term in self._counts.pop(pmid, ()):
            self._postings[term].discard(pmid)
            if not self._postings[term]:
                del self._postings[term]

    def _learn(self, abstract: Abstract) -> None:
        self._abstracts[abstract.pmid] = abstract
        self._studies[abstract.pmid] = study_of(abstract)
        counts = Counter(analysis.tokens(f"{abstract.text.title} {abstract.text.abstract}"))
        if counts:  # as in Lucene, a document without tokens counts neither in N nor in avgdl
            self._counts[abstract.pmid], self._lengths[abstract.pmid] = counts, counts.total()
        for term in counts:
            self._postings.setdefault(term, set()).add(abstract.pmid)
