"""The embedded store: an index of segments in a folder.

The folder holds `index` (the segments), `manifest.json`, `lock` and, during a load, `draft`. Readers see the segments
that the manifest lists (a `View`), and can read while a load writes.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from groundwork import manifest as files
from groundwork.errors import DamagedStore, StoreError
from groundwork.files import full, is_full
from groundwork.files import held as locked
from groundwork.inventory import check_never_filled
from groundwork.manifest import Fault
from groundwork.ports import Progress
from groundwork.records import Abstract, IndexInfo, Release
from groundwork.settings import Settings
from groundwork.study import Study
from literature import analysis, bm25, manifest, segments, store, stored
from literature.analysis import Wording, factors
from literature.manifest import REMEDY, Manifest
from literature.ranking import Postings, Query, Ranker, best_of, holding_all, scores_at
from literature.segment import UNDATED, Array, Bools, Floats, Ints, Segment, coded, hashes
from literature.spool import Draft
from literature.store import Limits, Named, RankedHit, Store, rank

#: Number of PMIDs that are converted at a time.
PAGE = 100_000


class Place(NamedTuple):
    """The place of a document: its segment, and its number in the segment."""

    segment: Segment
    number: int

    @property
    def study(self) -> Study:
        """The kind of study that the document reports."""
        return self.segment.study(self.number)

    @property
    def retracted(self) -> bool:
        """Whether the document is a retracted article."""
        return bool(self.segment.retracted[self.number])

    def title(self) -> str:
        """Return the document's title."""
        return self.segment.title(self.number)

    def fields(self) -> dict[str, Any]:
        """Return the document's stored fields."""
        return self.segment.source(self.number)


class View:
    """One committed state of an index. Later commits do not change it.

    Args:
        segments: The segments that the manifest lists.
        known: The manifest.
        k1: See `bm25.saturation`.
        b: See `bm25.saturation`.
        ranker: Scores the documents.

    Attributes:
        documents: The number of documents.
    """

    def __init__(self, segments: Sequence[Segment], known: Manifest, k1: float, b: float, ranker: Ranker) -> None:
        self.documents = known.documents
        self._segments = segments
        self._worded = sum(one.worded for one in known.segments)
        self._average = sum(one.tokens for one in known.segments) / max(1, self._worded)
        self._k1, self._b = k1, b
        self._ranker = ranker

    def best(self, wording: Wording, k: int, limits: Limits) -> list[RankedHit]:
        """Return the k best documents for a query, and all documents that tie with the last of them, in any order.

        Args:
            wording: The query.
            k: The number of documents wanted.
            limits: Which documents may be found.
        """
        if not wording or not self._worded:
            return []
        query, rows = self._query(wording)
        newest = _newest(limits)
        found = self._ranker.best(self._postings, rows, query, newest, k, self._hidden(limits))
        return [hit for each in found for hit in _found(*each)]

    def naming(self, wording: Wording, k: int, limits: Limits, among: frozenset[int]) -> Named:
        """Return the documents that name all things of a query; see `LiteratureReader.naming`."""
        if not self._worded:
            return Named(0, frozenset(), ())
        idf, rows = self._weighted(list(wording.terms))
        weights = np.array([times * each for times, each in zip(wording.terms.values(), idf, strict=True)])
        things = [[hashes(list(name)) for name in thing] for thing in wording.things]
        total, known, others = 0, set[int](), list[RankedHit]()
        for postings, row, hidden in zip(self._postings, rows, self._hidden(limits), strict=True):
            segment = postings.segment
            places = holding_all(segment, [[segment.rows(name) for name in names] for names in things])
            places = places[segment.pmids[places] <= _newest(limits)]
            places = places if hidden is None else places[~hidden[places]]
            if not len(places):
                continue
            total += len(places)
            held = {pmid for pmid in segment.pmids[places].tolist() if pmid in among}
            known |= held
            left = places[np.isin(segment.pmids[places], list(held), invert=True)]
            others += _found(segment, *best_of(left, scores_at(postings, row, weights, left), k))
        return Named(total, frozenset(known), others)

    def places(self, pmids: Iterable[int]) -> Iterator[tuple[int, Place]]:
        """Yield the PMID and the place of each document that has one of these PMIDs and is in the index."""
        known = {pmid for pmid in pmids if 0 <= pmid <= stored.LARGEST_PMID}
        wanted = np.array(sorted(known), dtype=np.int64)
        for segment in self._segments:
            for number in segment.places(wanted).tolist():
                yield int(segment.pmids[number]), Place(segment, number)

    def pmids(self) -> Iterator[int]:
        """Yield all PMIDs, ascending."""
        every = np.sort(np.concatenate([np.empty(0, dtype=np.int64), *(one.pmids for one in self._segments)]))
        for start in range(0, len(every), PAGE):
            yield from every[start : start + PAGE].tolist()

    def notices(self) -> Ints:
        """Return the PMIDs of all notices, in any order."""
        return self._marked(one.uncounted() for one in self._segments)

    def by_doi(self, dois: Collection[str]) -> dict[str, int]:
        """See `LiteratureReader.by_doi`. The hashes of all documents are compared, which needs no index."""
        wanted, found = hashes(dois), dict[str, int]()
        for segment in self._segments:
            for place in np.flatnonzero(np.isin(segment.identified(), wanted)).tolist():
                doi, pmid = segment.source(place).get("doi", ""), int(segment.pmids[place])
                if doi in dois:  # DOIs with the same hash are possible
                    found[doi] = min(pmid, found.get(doi, pmid))
        return found

    def retracted(self) -> Ints:
        """Return the PMIDs of all retracted articles, in any order."""
        return self._marked(one.retracted for one in self._segments)

    def _marked(self, marks: Iterable[Bools]) -> Ints:
        """Return the PMIDs of the marked documents, given a boolean per document of each segment."""
        found = [one.pmids[marked] for one, marked in zip(self._segments, marks, strict=True)]
        return np.concatenate([np.empty(0, dtype=np.int64), *found])

    def pmid_by_year(self, share: float) -> dict[int, int]:
        """See `LiteratureReader.pmid_by_year`."""
        empty = np.empty(0, dtype=np.int64)
        years = np.concatenate([empty, *(one.published() for one in self._segments)])
        pmids = np.concatenate([empty, *(one.pmids for one in self._segments)])[years != UNDATED]
        years = years[years != UNDATED]
        pmids = pmids[np.lexsort((pmids, years))]
        held, counts = np.unique(years, return_counts=True)
        first = np.cumsum(counts) - counts
        places = first + [rank(share, count) - 1 for count in counts.tolist()]
        return dict(zip(held.tolist(), pmids[places.astype(np.int64)].tolist(), strict=True))

    def _hidden(self, limits: Limits) -> list[Bools | None]:
        """Return for each segment which documents are not wanted, apart from their PMIDs; None if all are wanted."""
        hidden: list[Bools | None] = [one.retracted if limits.exclude_retracted else None for one in self._segments]
        if limits.designs or limits.taxa:
            codes = coded(Study(design, "") for design in limits.designs)[0]
            taxa = np.array([int(taxon) for taxon in limits.taxa], np.int64)  # of up to 18 digits
            for number, (designs, organisms) in enumerate(self._studies):
                for held, wanted in ((designs, codes), (organisms, taxa)):
                    if len(wanted):
                        others, before = np.isin(held, wanted, invert=True), hidden[number]
                        hidden[number] = others if before is None else before | others
        return hidden

    @cached_property
    def _studies(self) -> list[tuple[Array, Array]]:
        return [segment.studies() for segment in self._segments]

    @cached_property
    def _postings(self) -> list[Postings]:
        return [Postings(segment, self._average, self._k1, self._b) for segment in self._segments]

    def _query(self, wording: Wording) -> tuple[Query, list[Ints]]:
        """Return the query with its weights, and the rows of its terms in each segment (see `Segment.rows`)."""
        names = [name for thing in wording.things for name in thing]
        tokens = [*(token for name in names for token in name), *wording.terms]
        idf, rows = self._weighted(tokens)
        weight = dict(zip(tokens, idf, strict=True)).__getitem__
        scaled = [factor for thing in wording.things for factor in factors(thing, weight)]
        named = [
            factor * n * weight(token) for factor, name in zip(scaled, names, strict=True) for token, n in name.items()
        ]
        text = np.array([times * weight(token) for token, times in wording.terms.items()])
        order = np.argsort(-text, kind="stable")
        order = order[text[order] > 0.0]
        kept = np.concatenate([np.arange(len(named)), len(named) + order])
        query = Query(
            np.concatenate([named, text[order]]),
            np.cumsum([0, *map(len, names)]),
            np.cumsum([0, *map(len, wording.things)]),
        )
        return query, [row[kept] for row in rows]

    def _weighted(self, tokens: Sequence[str]) -> tuple[list[float], list[Ints]]:
        """Return the idf of tokens (0 if no document holds the token), and their rows in each segment."""
        terms = hashes(tokens)
        rows = [segment.rows(terms) for segment in self._segments]
        holding = np.sum([segment.holding(row) for segment, row in zip(self._segments, rows, strict=True)], axis=0)
        return [bm25.idf(self._worded, count) if count else 0.0 for count in holding.tolist()], rows


def _newest(limits: Limits) -> int:
    """Return the largest PMID that the limits allow, as a number that fits in 64 bits."""
    return stored.LARGEST_PMID if limits.before is None else max(-1, min(limits.before, stored.LARGEST_PMID))


def _found(segment: Segment, places: Ints, scores: Floats) -> Iterator[RankedHit]:
    """Yield the documents found in a segment."""
    columns = scores, segment.pmids[places], segment.retracted[places], places
    for score, pmid, retracted, number in zip(*(column.tolist() for column in columns), strict=True):
        place = Place(segment, number)
        yield RankedHit(score, pmid, retracted, place.study, place)


#: Identity of a file, which changes when the file is replaced; None if there is no file.
_Stamp = tuple[int, int, int] | None

_INDEX, _MANIFEST = "index", "manifest.json"


@dataclass
class _Load(Draft):
    """A load of the index in a folder."""

    def finish(self) -> None:
        """Show readers the changes of the load, by replacing the manifest."""
        store = self.folder.parent
        before = manifest.read(store / _MANIFEST) or Manifest()
        listed = segments.changed(store / _INDEX, self.spool, before.segments, fresh=self.fresh)
        releases = {**({} if self.fresh else before.releases), **self.releases}
        manifest.write(store / _MANIFEST, Manifest(before.version + 1, releases, listed))


class EmbeddedLiterature(Store):
    """A literature index in a folder.

    Args:
        path: The folder. The first load creates it.
        settings: Settings with k1, b and HOME.
        read_only: Refuse every write.
    """

    def __init__(self, path: Path, settings: Settings, *, read_only: bool = False) -> None:
        super().__init__(f"embedded:{path}", read_only=read_only)
        self._path, self._home = path, settings.home
        self._k1, self._b = settings.k1, settings.b
        self._ranker = Ranker()
        self._seen: tuple[_Stamp, View] = (None, self._view((), Manifest()))

    def get(self, pmids: Iterable[int]) -> dict[int, Abstract]:
        """See `LiteratureReader.get`."""
        view = self._state()
        with self._explained():
            return {pmid: stored.abstract(place.fields()) for pmid, place in view.places(pmids)}

    def retracted(self, pmids: Iterable[int]) -> set[int]:
        """See `LiteratureReader.retracted`."""
        view = self._state()
        with self._explained():
            return {pmid for pmid, place in view.places(pmids) if place.retracted}

    def by_doi(self, dois: Collection[str]) -> dict[str, int]:
        """See `LiteratureReader.by_doi`."""
        view = self._state()
        with self._explained():
            return view.by_doi({*dois} - {""})

    def every_pmid(self) -> Iterator[int]:
        """See `LiteratureReader.every_pmid`. The PMIDs are those committed when the iteration began."""
        view = self._state()
        with self._explained():
            yield from view.pmids()

    def pmid_by_year(self, share: float = 0.95) -> dict[int, int]:
        """See `LiteratureReader.pmid_by_year`."""
        store.check_share(share)
        view = self._state()
        with self._explained():
            return view.pmid_by_year(share)

    def info(self) -> IndexInfo:
        """See `LiteratureReader.info`."""
        return self._info(self._state())

    def releases(self) -> tuple[Release, ...]:
        """See `LiteratureReader.releases`."""
        with self._explained():
            return manifest.in_order(self._committed()[1].releases.values())

    def faults(self) -> list[Fault]:
        """Return the damaged files, after reading all files to the end; an empty list if there are none.

        Raises:
            DamagedStore: The store has disappeared, or a file is missing or has another size than its manifest says.
        """
        with self._explained():
            _, known = self._committed()
            return list(files.faults(self._path / _INDEX, known.files, thorough=True))

    def close(self) -> None:
        """Close the files that were open for reading."""
        self._seen = (None, self._view((), Manifest()))

    def _best(self, wording: Wording, k: int, limits: Limits) -> tuple[Sequence[RankedHit], IndexInfo]:
        view = self._state()
        return view.best(wording, k, limits), self._info(view)

    def _naming(self, wording: Wording, k: int, limits: Limits, among: frozenset[int]) -> Named:
        return self._state().naming(wording, k, limits, among)

    def _commit(self) -> _Stamp:
        self._state()
        return self._seen[0]

    def _notices(self) -> Iterable[int]:
        return self._state().notices()

    def _retractions(self) -> Iterable[int]:
        return self._state().retracted()

    def _titles(self, found: Sequence[RankedHit]) -> Mapping[int, str]:
        return {hit.pmid: hit.place.title() for hit in found}

    def _info(self, view: View) -> IndexInfo:
        return IndexInfo(view.documents, analysis.NAME, self._k1, self._b)

    @contextmanager
    def _loading(self, resume: Collection[str], fresh: bool, _progress: Progress | None) -> Iterator[_Load]:
        self.releases()  # raises if the store is damaged or has disappeared, so that no load overwrites it
        with self._held(), ExitStack() as stack:
            with self._explained():
                _, known = self._committed()
                if not (self._path / _MANIFEST).exists():
                    manifest.write(self._path / _MANIFEST, known)  # later, a missing manifest means damage
                load = stack.enter_context(_Load.open(self._path / "draft", known.version, resume, fresh))
            yield load

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Hold the folder for a load, and create it if necessary."""
        with ExitStack() as stack:
            with self._explained():
                self._path.mkdir(parents=True, exist_ok=True)
                stack.enter_context(held(self._path, self.address))
            yield

    def _state(self) -> View:
        """Return a view of the last committed state. If nothing has changed, this takes one call of `stat`."""
        seen, view = self._seen
        with self._explained():
            if seen is None or self._stamp() != seen:
                seen, view = self._current()
        self._seen = seen, view
        return view

    def _current(self) -> tuple[_Stamp, View]:
        """Open the segments of the last commit. Try again if a load replaced them while they were being opened."""
        while True:
            seen, known = self._committed()
            try:
                opened = [Segment.opened(self._path / _INDEX / one.name) for one in known.segments]
                return seen, self._view(opened, known)
            except FileNotFoundError:
                if seen == self._stamp():
                    raise

    def _view(self, opened: Sequence[Segment], known: Manifest) -> View:
        return View(opened, known, self._k1, self._b, self._ranker)

    def _stamp(self) -> _Stamp:
        """Return the identity of the manifest file, which changes at the end of each load."""
        try:
            state = (self._path / _MANIFEST).stat()
        except FileNotFoundError:
            return None
        return state.st_ino, state.st_mtime_ns, state.st_size

    def _committed(self) -> tuple[_Stamp, Manifest]:
        """Return the stamp of the manifest file, taken before the file was read, and the manifest."""
        while True:
            stamp = self._stamp()
            try:
                return stamp, self._manifest()
            except DamagedStore:
                if stamp == self._stamp():  # if not, a load changed the files during the check
                    raise

    def _manifest(self) -> Manifest:
        """Return the manifest, after checking that the files match it."""
        index, noted = self._path / _INDEX, self._path / _MANIFEST
        known = manifest.read(noted)
        if known is None:
            if index.is_dir() and any(index.iterdir()):
                fault = Fault(noted, "is missing beside segments", "the manifest of the index")
                raise files.damaged(f"the literature store {self._path}", [fault], REMEDY)
            check_never_filled(self._home, self.address, REMEDY)
            return Manifest()
        if found := list(files.faults(index, known.files)):
            raise files.damaged(f"the literature store {self._path}", found, REMEDY)
        return known

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Convert errors of NumPy and the file system inside the block to the program's errors.

        A damaged segment may contain indexes that are out of range.
        """
        try:
            yield
        except (ValueError, IndexError, OSError) as error:
            if is_full(self._path, str(error)):
                raise full(self._path, error) from error
            raise StoreError(
                f"the literature index in {self._path} cannot be used: {error}",
                "an index made by this program, in a folder that it may use",
                "check the folder's path, permissions and free space; truthhypo doctor tells whether a file is damaged",
            ) from error


def held(folder: Path, address: str) -> AbstractContextManager[None]:
    """Return a context that holds a store's lock.

    Raises:
        StoreBusy: A load holds the lock.
    """
    return locked(folder / "lock", store.busy(address))
