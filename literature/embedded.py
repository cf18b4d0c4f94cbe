"""The embedded store: an index of segments in a folder.

The folder holds `index` (the segments), `manifest.json`, `lock` and, during a load, `draft`. Readers see the segments
that the manifest lists, and can read while a load writes.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from groundwork import file_lock
from groundwork import manifest as files
from groundwork.disk import full, is_full
from groundwork.errors import DamagedStore, StoreError
from groundwork.inventory import check_never_filled
from groundwork.manifest import Fault
from groundwork.ports import Progress
from groundwork.records import Abstract, IndexInfo, Release
from groundwork.settings import Settings
from literature import analysis, manifest, refusals, segments, stored
from literature.draft import Draft
from literature.manifest import REMEDY, Manifest
from literature.ranking import Ranker
from literature.segment import Segment
from literature.store import Limits, Named, RankedHit, Store
from literature.view import View
from literature.wording import Wording

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
        refusals.check_share(share)
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
        """Return the stamp of the manifest file, taken before the file was read, and the manifest.

        Raises:
            DamagedStore: A file is missing or has another size than the manifest says.
        """
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
    return file_lock.held(folder / "lock", refusals.busy(address))
