"""Atlases (copies of whole graphs as arrays) on the disk.

An atlas is built once for one state of a store. Every process that needs the atlas maps it into memory.
"""

import os
import shutil
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import pyarrow as pa

from cypher.atlas import files
from cypher.atlas.atlas import Atlas
from cypher.atlas.drawing import drawn
from cypher.atlas.lookups import AtlasLookups
from cypher.lock import Lock
from cypher.lookups import Lookups
from groundwork.errors import AtlasMissing, StoreBusy, StoreError
from groundwork.manifest import Fault
from groundwork.ports import GraphReader, Progress, Silent, watched_rows
from groundwork.records import Concept, Match, Release, Table

#: Seconds for which the state of a store is assumed to be unchanged before the store is asked again.
_TRUSTED = 1.0


class ChartedGraph(AtlasLookups):
    """A graph that looks up links and paths in an atlas (`Atlas`), and everything else in the store (`GraphReader`).

    Args:
        store: The store, which must also be a `GraphReader`.
        chart: Returns the atlas of the store's current state, given the text of this state (`GraphReader.state`).
        trusted: Seconds for which the state of the store is assumed to be unchanged.
    """

    def __init__(self, store: Lookups, chart: Callable[[str], Atlas], trusted: float = _TRUSTED) -> None:
        super().__init__(store.address, store.settings, trusted)
        self._store, self._chart = store, chart
        self._reader = cast("GraphReader", store)

    def chart(self, state: str) -> Atlas:
        """See `AtlasLookups.chart`."""
        return self._chart(state)

    def concepts(self, keys: Iterable[str]) -> dict[str, Concept]:
        """See `GraphReader.concepts`."""
        return self._store.concepts(keys)

    def every_concept(self) -> Iterator[Concept]:
        """See `GraphReader.every_concept`."""
        return self._reader.every_concept()

    def named(self, texts: Sequence[str]) -> dict[str, tuple[Match, ...]]:
        """See `GraphReader.named`."""
        return self._store.named(texts)

    def named_by(self, forms: Sequence[str]) -> Iterable[Concept]:
        """See `names.NameIndex.named_by`."""
        return self._store.named_by(forms)

    def begun_by(self, forms: Collection[str]) -> Collection[str]:
        """See `names.NameIndex.begun_by`."""
        return self._store.begun_by(forms)

    def forms_near(self, grams: Sequence[str], shortest: int, longest: int) -> Iterable[str]:
        """See `names.NameIndex.forms_near`."""
        return self._store.forms_near(grams, shortest, longest)

    def every_form(self) -> Iterable[str] | None:
        """See `names.NameIndex.every_form`."""
        return self._store.every_form()

    def edges_at(self, key: str) -> Iterator[tuple[str, str, tuple[int, ...]]]:
        """See `GraphReader.edges_at`."""
        return self._reader.edges_at(key)

    def similar_at(self, key: str) -> Iterator[tuple[str, float, str]]:
        """See `GraphReader.similar_at`."""
        return self._reader.similar_at(key)

    def query(self, cypher: str, parameters: Mapping[str, Any] | None = None, *, limit: int | None = None) -> Table:
        """See `GraphReader.query`."""
        return self._reader.query(cypher, parameters, limit=limit)

    def draw(self, progress: Progress | None = None) -> None:
        """See `GraphReader.draw`."""
        self._reader.draw(progress)

    def held(self, edges: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.held`."""
        return self._reader.held(edges)

    def relations(self) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.relations`."""
        return self._store.relations()

    def beside(self) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.beside`."""
        return self._store.beside()

    def releases(self) -> tuple[Release, ...]:
        """See `GraphReader.releases`."""
        return self._store.releases()

    def similarities(self) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.similarities`."""
        return self._reader.similarities()

    def held_similarities(self, edges: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.held_similarities`."""
        return self._reader.held_similarities(edges)

    def state(self) -> str:
        """See `GraphReader.state`."""
        return self._store.state()

    def concept_counts(self) -> Mapping[str, int]:
        """See `Fetches.concept_counts`."""
        return self._store.concept_counts()

    def edge_counts(self) -> Mapping[str, int]:
        """See `Fetches.edge_counts`."""
        return self._store.edge_counts()

    def similarity_count(self) -> int:
        """See `Fetches.similarity_count`."""
        return self._store.similarity_count()

    def faults(self) -> tuple[str, ...]:
        """See `GraphReader.faults`."""
        return self._store.faults()


#: Version of the file layout; increase it when the layout changes.
_LAYOUT = 3
ATLAS = "atlas"
_DRAFT = "draft-"
#: Approximate number of edges processed per second, for messages.
_RATE = 200_000


class Charts:
    """The atlases of one graph store, which are copies of its graph on the disk.

    Args:
        store: The store that provides the links.
        root: The folder for the atlases.
        relations: Returns all relation edges of the store's current state from a source other than the store; None if
            there is no such source.
    """

    def __init__(
        self,
        store: Lookups,
        root: Path,
        relations: Callable[[], Iterable[pa.RecordBatch] | None] = lambda: None,
    ) -> None:
        self._store, self._root, self._relations = store, root, relations

    def there(self) -> bool:
        """Return whether an atlas of the store's current state is stored."""
        return self._stored(self._store.state()) is not None

    def atlas(self, state: str, progress: Progress | None = None) -> Atlas:
        """Return the atlas of a state. If it is not stored, build it now, and store it if possible.

        Args:
            state: The current state of the store.
            progress: Receives the progress; if it is None, a warning (`AtlasMissing`) says that a look-up waits.

        Raises:
            StoreBusy: If the store changed while its atlas was built.
        """
        found = self._stored(state)
        if found is not None:
            return found
        with self._locked() as locked:
            found = self._stored(state)  # another process may have built it meanwhile
            if found is not None:
                return found
            made = self._build(state, progress)
            if not locked:
                return made
            try:
                return self._store_atlas(made, state)
            except OSError as error:
                told = f"the atlas of the graph {self._store.address} cannot be stored in {self._root}: {error}"
                _notify(progress, told)
                return made

    def graph(self) -> ChartedGraph:
        """Return a graph that answers look-ups from the store's atlas."""
        return ChartedGraph(self._store, self.atlas)

    def _stored(self, state: str) -> Atlas | None:
        return files.opened(self._root / _name(state))

    @contextmanager
    def _locked(self) -> Iterator[bool]:
        """Lock the folder, and yield True; yield False if it cannot be written or another process has locked it."""
        lock = None
        with suppress(OSError, StoreError):
            self._root.mkdir(parents=True, exist_ok=True)
            if os.access(self._root, os.W_OK):
                lock = Lock(self._root / "lock", shared=False)
        try:
            yield lock is not None
        finally:
            if lock:
                lock.release()

    def _build(self, state: str, progress: Progress | None) -> Atlas:
        edges = sum(self._store.counts().edges.values())
        if progress is None:
            _notify(
                None,
                f"the graph {self._store.address} has no up-to-date atlas, which is needed to look up paths; "
                f"it is built now from {edges:,} edges, which takes about {edges / _RATE:.0f} s",
            )
        watch = progress or Silent()
        watch.begin("building the atlas", edges, "edges")
        elsewhere = self._relations()
        relations = elsewhere if elsewhere is not None else self._store.relations()
        made = drawn(watched_rows(relations, watch), self._store.beside())
        if self._store.state() != state:
            raise StoreBusy(f"{self._store.address} changed while it was read", "an unchanged graph", "try again")
        return made

    def _store_atlas(self, made: Atlas, state: str) -> Atlas:
        """Store an atlas, while the caller holds the lock.

        All other folders beside it are outdated or incomplete, and are deleted.
        """
        for folder in self._root.iterdir():
            if folder.is_dir():
                shutil.rmtree(folder, ignore_errors=True)
        draft, target = self._root / f"{_DRAFT}{uuid4().hex}", self._root / _name(state)
        try:
            draft.mkdir()
            files.save(made, draft)
            draft.replace(target)
        except OSError:
            shutil.rmtree(draft, ignore_errors=True)
            raise
        return files.opened(target) or made


def charts(
    home: Path, store: GraphReader, relations: Callable[[], Iterable[pa.RecordBatch] | None] = lambda: None
) -> Charts:
    """Return the atlases of a server's graph, which are stored under HOME. For `relations`, see `Charts`."""
    return Charts(of_this_room(store), home.absolute() / ATLAS / _hash(store.address), relations)


def faults(*places: Path) -> list[Fault]:
    """Return the damaged files of all atlases in some folders and their subfolders. Every file is read completely."""
    folders = sorted({found.parent for place in places for found in place.glob("**/manifest.json")})
    return [fault for folder in folders for fault in files.faults(folder)]


def passing(store: GraphReader) -> ChartedGraph:
    """Return a graph that answers look-ups from an atlas in memory, which is rebuilt when the store changes."""
    return ChartedGraph(of_this_room(store), lambda _state: drawn(store.relations(), store.beside()))


def of_this_room(store: GraphReader) -> Lookups:
    """Return the store if it is a store of this package; raise TypeError otherwise."""
    if not isinstance(store, Lookups):
        raise TypeError(f"{type(store).__name__} is not a store of the package cypher")
    return store


def _notify(progress: Progress | None, text: str) -> None:
    """Send a text to the progress display, or else as a warning."""
    if progress is None:
        warnings.warn(text, AtlasMissing, stacklevel=2)
    else:
        progress.note(f"warning: {text}")


def _name(state: str) -> str:
    return _hash(f"{_LAYOUT} {state}")


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:24]
