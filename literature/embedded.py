"""The embedded store: tantivy in a folder.

The folder holds `index` (tantivy), `manifest.json`, `lock` and, while a load is on its way, `draft`. Readers see the
last commit and go on reading while a load writes. The scores are tantivy's divided by k1 + 1, which makes them
Lucene's.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from heapq import merge
from itertools import chain
from pathlib import Path

from filelock import FileLock, Timeout

from groundwork import manifest as files
from groundwork.disk import full, is_full
from groundwork.errors import DamagedStore, InputError, StoreError
from groundwork.inventory import check_never_filled
from groundwork.manifest import Fault
from groundwork.ports import Progress
from groundwork.records import Abstract, IndexInfo, Release
from groundwork.settings import Settings
from literature import analysis, manifest, refusals, segments, stored
from literature.draft import Draft
from literature.manifest import META, REMEDY, Manifest
from literature.store import Found, Store
from literature.view import K1, B, View
from literature.wording import Wording

_Stamp = tuple[tuple[int, int, int] | None, ...]


@dataclass
class _Load(Draft):
    """A load of the index in a folder."""

    def finish(self) -> None:
        """Index and manifest change at once, when the index's list of segments does (see `manifest`)."""
        folder, noted = self.folder.parent / "index", self.folder.parent / "manifest.json"
        version = segments.version(folder) or 0
        before = manifest.read(noted, version)
        with segments.changing(folder, self.spool, before, fresh=self.fresh) as (wordless, files):
            after = Manifest({**({} if self.fresh else before.releases), **self.releases}, wordless, files)
            manifest.write(noted, version, before, after)


class EmbeddedLiterature(Store):
    """A literature index in a folder.

    Args:
        path: The folder; it is made by the first load.
        settings: Their k1 and b must be those that tantivy has built in.
        read_only: Refuse to be written.

    Raises:
        InputError: Another k1 or b is asked for.
    """

    def __init__(self, path: Path, settings: Settings, *, read_only: bool = False) -> None:
        if (settings.k1, settings.b) != (K1, B):
            raise InputError(
                f"k1 = {settings.k1:g} and b = {settings.b:g} asked for",
                f"k1 = {K1} and b = {B}, which the embedded literature store has built in",
                "leave k1 and b at their defaults, or use Elasticsearch",
            )
        super().__init__(f"embedded:{path}", read_only=read_only)
        self._path, self._home = path, settings.home
        self._seen: tuple[_Stamp, View | None, Manifest] = ((), None, Manifest())

    def get(self, pmids: Iterable[int]) -> dict[int, Abstract]:
        """See `LiteratureReader.get`."""
        view, noted = self._state()
        wanted = list(pmids)
        found = [noted.wordless[pmid] for pmid in wanted if pmid in noted.wordless]
        if view:
            with self._explained():
                found += map(view.fields, view.addresses(wanted))
        return {fields["pmid"]: stored.abstract(fields) for fields in found}

    def retracted(self, pmids: Iterable[int]) -> set[int]:
        """See `LiteratureReader.retracted`."""
        view, noted = self._state()
        wanted = list(pmids)
        found = {pmid for pmid in wanted if pmid in noted.wordless and noted.wordless[pmid]["retracted"]}
        if view:
            with self._explained():
                found.update(view.retracted(wanted))
        return found

    def every_pmid(self) -> Iterator[int]:
        """See `LiteratureReader.every_pmid`; it goes through what was committed when it began."""
        view, noted = self._state()
        pages = view.pages() if view else iter(())
        worded = (pmid for pmid, _ in chain.from_iterable(pages))
        with self._explained():
            yield from merge(worded, sorted(noted.wordless))

    def info(self) -> IndexInfo:
        """See `LiteratureReader.info`."""
        return _info(*self._state())

    def releases(self) -> tuple[Release, ...]:
        """See `LiteratureReader.releases`; it opens no index, which waits where another process opens it."""
        with self._explained():
            stamp, known = self._committed()
            while self._stamps() != stamp:
                stamp, known = self._committed()
        return manifest.in_order(known.releases.values())

    def faults(self) -> list[Fault]:
        """The damaged files, found by reading all of them to their end; none if the store was never there.

        Raises:
            DamagedStore: The store is gone, or a file is missing or of another size.
        """
        with self._explained():
            _, known = self._committed()
            return list(files.faults(self._path / "index", known.files, thorough=True))

    def close(self) -> None:
        """Let go of the files that were open for reading."""
        self._seen = (), None, Manifest()

    def _best(
        self, wording: Wording, k: int, before: int | None, exclude_retracted: bool
    ) -> tuple[Sequence[Found], IndexInfo]:
        view, noted = self._state()
        found = view.best(wording, k, before, exclude_retracted) if view else []
        return [hit._replace(place=(view, hit.place)) for hit in found], _info(view, noted)

    def _titles(self, found: Sequence[Found]) -> Mapping[int, str]:
        return {hit.pmid: hit.place[0].title(hit.place[1]) for hit in found}

    @contextmanager
    def _loading(self, resume: Collection[str], fresh: bool, _progress: Progress | None) -> Iterator[_Load]:
        self.releases()  # a damaged store is not overwritten, nor is one that is gone made anew
        with self._held(), ExitStack() as stack:
            with self._explained():
                self._committed()
                base = segments.create(self._path / "index")
                load = stack.enter_context(_Load.open(self._path / "draft", base, resume, fresh))
            yield load

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Hold the folder for a load; it is made if need be."""
        with ExitStack() as stack:
            with self._explained():
                self._path.mkdir(parents=True, exist_ok=True)
                stack.enter_context(held(self._path, self.address))
            yield

    def _state(self) -> tuple[View | None, Manifest]:
        """The last commit. Two calls of `stat` where nothing has changed; swapped in one step for other threads.

        Where a load has changed a file while they were read, they may not belong together and are read again.
        """
        seen, view, known = self._seen
        with self._explained():
            while self._stamps() != seen:
                seen, known = self._committed()
                view = segments.opened(self._path / "index") if seen[0] else None
        self._seen = seen, view, known
        return view, known

    def _stamps(self) -> _Stamp:
        """Of the index's list of segments (None without one) and of the manifest; a load that ends changes them."""
        return _stamp(self._path / "index" / META), _stamp(self._path / "manifest.json")

    def _committed(self) -> tuple[_Stamp, Manifest]:
        """The manifest that goes with the index, and their stamps from before it was read.

        Raises:
            DamagedStore: A file is missing or of another size than the manifest says.
        """
        while True:
            stamp = self._stamps()
            try:
                return stamp, self._manifest()
            except DamagedStore:
                if stamp == self._stamps():  # else a load has changed the files while they were looked at
                    raise

    def _manifest(self) -> Manifest:
        """The manifest, as it goes with the index as it is now; refused if the files do not go with it."""
        index = self._path / "index"
        version, noted = segments.version(index), self._path / "manifest.json"
        known = manifest.read(noted, version)
        if version is None and not noted.exists():
            check_never_filled(self._home, self.address, REMEDY)
            return known
        if found := _faults(index, version, noted, known):
            raise files.damaged(f"the literature store {self._path}", found, REMEDY)
        return known

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn what tantivy and the file system raise into our errors."""
        try:
            yield
        except BaseException as error:
            # tantivy panics on some wrong bytes, which is no Exception, and whose class cannot be imported.
            if not isinstance(error, ValueError | OSError) and type(error).__name__ != "PanicException":
                raise
            if is_full(self._path, str(error)):
                raise full(self._path, error) from error
            raise StoreError(
                f"the literature index in {self._path} cannot be used: {error}",
                "an index made by this program, in a folder that it may use",
                "check the folder's path, rights and free space; truthhypo doctor says whether a file of it is damaged",
            ) from error


@contextmanager
def held(folder: Path, address: str) -> Iterator[None]:
    """Hold a store's lock, which the operating system gives back when a process ends.

    Raises:
        StoreBusy: A load holds it.
    """
    lock = FileLock(folder / "lock")
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise refusals.busy(address) from None
    try:
        yield
    finally:
        lock.release()


def _faults(index: Path, version: int | None, noted: Path, known: Manifest) -> list[Fault]:
    """The files that are missing or of another size, and a list of segments with other content."""
    if version is None:
        return [Fault(index / META, "is missing", "the index's list of segments")]
    if version and not noted.exists():
        return [Fault(noted, "is missing", "the manifest of the index")]
    listed = {name: entry for name, entry in known.files.items() if name == META}
    return [*files.faults(index, listed, thorough=True), *files.faults(index, known.files)]


def _stamp(path: Path) -> tuple[int, int, int] | None:
    """What changes when a file is replaced; None if it is not there."""
    try:
        state = path.stat()
    except FileNotFoundError:
        return None
    return state.st_ino, state.st_mtime_ns, state.st_size


def _info(view: View | None, noted: Manifest) -> IndexInfo:
    worded = view.documents if view else 0
    return IndexInfo(worded + len(noted.wordless), analysis.NAME, K1, B)
