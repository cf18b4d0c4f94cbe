"""Atlases kept under HOME: drawn once for a state of a store, mapped by every process that asks for it."""

import shutil
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp

import pyarrow as pa

from cypher.atlas import atlas
from cypher.atlas.atlas import Atlas
from cypher.atlas.charted import ChartedGraph
from cypher.atlas.drawing import drawn
from cypher.lock import Lock
from cypher.lookups import Lookups
from groundwork.errors import StoreBusy, StoreError
from groundwork.manifest import Fault
from groundwork.ports import GraphReader

#: Number of the layout of the files: raise it when that changes.
_LAYOUT = 2
_DRAFT = "draft-"


class Charts:
    """The atlases of one store.

    Args:
        home: The folder HOME.
        store: Where links come from.
        relations: Gives all relation edges of the store's present state, if they can be had from elsewhere; else None.
    """

    def __init__(
        self, home: Path, store: GraphReader, relations: Callable[[], Iterable[pa.RecordBatch] | None] = lambda: None
    ) -> None:
        if not isinstance(store, Lookups):
            raise TypeError(f"{type(store).__name__} is no store of this room")
        self._store, self._relations = store, relations
        self._root = home.absolute() / "atlas" / _short(store.address)

    def there(self) -> bool:
        """Whether an atlas of the store's present state is kept."""
        return Atlas.opened(self._folder(self._store.state())) is not None

    def atlas(self, state: str) -> Atlas:
        """The atlas of a state, kept or drawn now; kept for others where the disk lets us.

        Raises:
            StoreBusy: The store was changed while its atlas was drawn.
        """
        found = Atlas.opened(self._folder(state))
        if found is not None:
            return found
        try:
            self._root.mkdir(parents=True, exist_ok=True)
            lock = Lock(self._root / "lock", shared=False)
        except (OSError, StoreError):  # another process draws it; waiting would save little
            return self._draw(state)
        try:
            return Atlas.opened(self._folder(state)) or self._kept(state)
        finally:
            lock.release()

    def _kept(self, state: str) -> Atlas:
        """Draw and keep, holding the lock: what lies beside it is out of date, or was left by a run that was killed."""
        made = self._draw(state)
        target = self._folder(state)
        for folder in self._root.iterdir():
            if folder.is_dir():
                shutil.rmtree(folder, ignore_errors=True)
        try:
            draft = Path(mkdtemp(prefix=_DRAFT, dir=self._root))
            made.save(draft)
            draft.replace(target)
        except OSError:  # a disk without room costs the next process its time, no more
            return made
        return Atlas.opened(target) or made

    def _draw(self, state: str) -> Atlas:
        made = drawn(self._relations() or self._store.relations(), self._store.beside())
        if self._store.state() != state:
            raise StoreBusy(f"{self._store.address} was changed while it was read", "a graph at rest", "ask again")
        return made

    def _folder(self, state: str) -> Path:
        return self._root / _short(f"{_LAYOUT} {state}")

    def graph(self) -> ChartedGraph:
        """The store's look-ups out of its atlas."""
        return ChartedGraph(self._store, self.atlas)


def faults(home: Path) -> list[Fault]:
    """The damaged files of all atlases under HOME, each read to its end."""
    folders = sorted(file.parent for file in (home.absolute() / "atlas").glob("*/*/manifest.json"))
    return [fault for folder in folders for fault in atlas.faults(folder)]


def passing(store: GraphReader) -> ChartedGraph:
    """A store's look-ups out of an atlas that is kept nowhere: drawn at the first, and anew when the store changes."""
    if not isinstance(store, Lookups):
        raise TypeError(f"{type(store).__name__} is no store of this room")
    reader: GraphReader = store
    return ChartedGraph(store, lambda _state: drawn(reader.relations(), reader.beside()))


def _short(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:24]
