"""The embedded store: tantivy in a folder.

The folder holds `index` (tantivy), `manifest.json` and `lock`. Readers see the last commit and go on reading while a
load writes. The scores are tantivy's divided by k1 + 1, which makes them Lucene's.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from heapq import merge
from itertools import chain
from pathlib import Path

import tantivy
from filelock import FileLock, Timeout

from groundwork.errors import InputError, StoreError
from groundwork.records import Abstract, Hit, Hits, IndexInfo, Release
from groundwork.settings import Settings
from literature import analysis, bm25, manifest, refusals, segments, stored
from literature.manifest import Manifest
from literature.spool import Spool
from literature.view import K1, B, View

_Stamp = tuple[tuple[int, int, int] | None, ...]


class EmbeddedLiterature:
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
        self.address = f"embedded:{path}"
        self._path = path
        self._read_only = read_only
        self._spool: Spool | None = None
        self._new_releases: dict[tuple[str, str], Release] = {}
        self._seen: tuple[_Stamp, View | None, Manifest] = ((), None, Manifest())

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
        view, noted = self._state()
        info = _info(view, noted)
        if view is None:
            return Hits((), info)
        with self._explained():
            found = view.best(Counter(analysis.tokens(text)), k, before, exclude_retracted)
            by_pmid = {hit.pmid: hit for hit in found}
            settled = bm25.settle((hit.score, hit.pmid) for hit in found)
            hits = tuple(
                Hit(pmid, rank, score, view.title(by_pmid[pmid].address), by_pmid[pmid].retracted)
                for rank, (score, pmid) in zip(range(1, k + 1), settled, strict=False)
                if score >= lowest
            )
        return Hits(hits, info)

    def get(self, pmids: Iterable[int]) -> dict[int, Abstract]:
        """See `LiteratureReader.get`."""
        view, noted = self._state()
        wanted = list(pmids)
        found = [noted.wordless[pmid] for pmid in wanted if pmid in noted.wordless]
        if view:
            with self._explained():
                found += map(view.fields, view.addresses(wanted))
        return {fields["pmid"]: stored.abstract(fields) for fields in found}

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
        """See `LiteratureReader.releases`."""
        _, noted = self._state()
        return manifest.in_order(noted.releases.values())

    @contextmanager
    def writing(self) -> Iterator[None]:
        """See `LiteratureWriter.writing`."""
        if self._read_only:
            raise refusals.read_only(self.address)
        with self._held(), Spool(self._path) as spool:
            self._spool, self._new_releases = spool, {}
            try:
                yield
                with self._explained():
                    self._commit(spool)
            finally:
                self._spool = None

    def put(self, abstracts: Iterable[Abstract]) -> None:
        """See `LiteratureWriter.put`."""
        self._load().put(abstracts)

    def drop(self, pmids: Iterable[int]) -> None:
        """See `LiteratureWriter.drop`."""
        self._load().drop(pmids)

    def put_release(self, release: Release) -> None:
        """See `LiteratureWriter.put_release`."""
        self._load()
        self._new_releases[release.source, release.id] = release

    def close(self) -> None:
        """Let go of the files that were open for reading."""
        self._seen = (), None, Manifest()

    def _load(self) -> Spool:
        if self._spool is None:
            raise refusals.outside_of_a_load(self.address)
        return self._spool

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Hold the folder's lock, which the operating system gives back when a process ends."""
        with self._explained():
            (self._path / "index").mkdir(parents=True, exist_ok=True)
            lock = FileLock(self._path / "lock")
            try:
                lock.acquire(blocking=False)
            except Timeout:
                raise refusals.busy(self.address) from None
        try:
            yield
        finally:
            lock.release()

    def _commit(self, spool: Spool) -> None:
        """Index and manifest change at once, when the index is committed (see `manifest`)."""
        folder, noted = self._path / "index", self._path / "manifest.json"
        index = tantivy.Index(segments.schema(), str(folder))
        version = segments.version(folder)
        before = manifest.read(noted, version)
        with segments.changing(index, spool, before.wordless) as wordless:
            after = Manifest({**before.releases, **self._new_releases}, wordless)
            manifest.write(noted, version, before, after)

    def _state(self) -> tuple[View | None, Manifest]:
        """The last commit. Two calls of `stat` where nothing has changed; swapped in one step for other threads.

        Where a load has changed a file while they were read, they may not belong together and are read again.
        """
        folder, noted = self._path / "index", self._path / "manifest.json"
        seen, view, known = self._seen
        with self._explained():
            while (stamp := (_stamp(folder / "meta.json"), _stamp(noted))) != seen:
                view = View(tantivy.Index.open(str(folder))) if stamp[0] else None
                known = manifest.read(noted, segments.version(folder) if stamp[0] else None)
                seen = stamp
        self._seen = seen, view, known
        return view, known

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn what tantivy and the file system raise into our errors."""
        try:
            yield
        except (ValueError, OSError) as error:
            raise StoreError(
                f"the literature index in {self._path} cannot be used: {error}",
                "an index made by this program, in a folder that it may use",
                "check the folder's path, rights and free space; if it is damaged, remove the folder and load again",
            ) from error


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
