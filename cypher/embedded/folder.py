"""The folder of an embedded graph: which state is current, who may change it, and what a killed load leaves.

Each state of the graph has a folder of its own (`cypher.embedded.state`). The file `graph.json` names the current state
and holds the records of the releases. It is replaced in one step when the next state is complete. So a reader needs no
lock and sees a whole state at any time, also while a load runs. A load that is killed leaves a folder that no reader
uses; the next load removes it.
"""

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from errno import EDQUOT, ENOSPC
from pathlib import Path
from tempfile import mkdtemp
from threading import RLock
from time import monotonic, sleep
from uuid import uuid4
from weakref import finalize

from cypher.atlas import files
from cypher.embedded.concepts import REMEDY
from cypher.embedded.draft import Draft
from cypher.embedded.state import State
from cypher.lock import Lock
from groundwork import inventory, manifest
from groundwork.errors import DamagedStore, StoreBusy, StoreError, StoreUnreachable
from groundwork.files import full, is_full
from groundwork.manifest import Fault
from groundwork.records import Release
from groundwork.settings import Settings

#: Version of the files below. Increase it when they change, so that an older program refuses them with a clear message.
FORMAT = 2
POINTER, LOCK = "graph.json", "lock"
#: The database in which earlier versions of the program kept a graph, and the file beside it.
OLDER, _NAMES = "graph.lbug", "names.sqlite"
_STATE, DRAWN = "state-", "drawn"
#: Seconds between two attempts to take the lock.
_PULSE = 0.1


class Folder:
    """The files of an embedded graph, opened when they are first needed.

    Args:
        path: The folder. If it does not exist, it reads as an empty graph, and the first load creates it.
        settings: HOME, and the settings for a graph that an earlier version made.
        read_only: Refuse every write.
    """

    def __init__(self, path: Path, settings: Settings, *, read_only: bool) -> None:
        self.path, self.settings, self.read_only = path, settings, read_only
        self._guard = RLock()  # one thread opens, changes or closes at a time
        self._seen: object = None  # what identified the pointer when `_state` was opened
        self._state: State | None = None
        self._releases: dict[tuple[str, str], Release] = {}
        self._lock: Lock | None = None  # held while this object loads
        self._draft: Draft | None = None

    @property
    def there(self) -> bool:
        """Whether the folder holds a graph."""
        return (self.path / POINTER).exists() or (self.path / OLDER).exists()

    @property
    def loading(self) -> bool:
        """Whether this object changes the graph."""
        return self._lock is not None

    @property
    def state(self) -> State:
        """The current state. While this object loads, the state includes all that was written so far.

        Raises:
            DamagedStore: A file is missing or was changed from outside.
            StoreUnreachable: The folder cannot be read.
            StoreError: The folder is not a graph.
        """
        with self._guard:
            if self._draft is not None:
                draft, self._draft = self._draft, None
                with self._convert_errors("write"):
                    self._state = draft.finish()
            return self._refreshed() if self._lock is None or self._state is None else self._state

    @property
    def releases(self) -> tuple[Release, ...]:
        """The recorded releases, sorted by source, then by `Release.order`."""
        with self._guard:
            if self._lock is None:
                self._refreshed()
            return tuple(sorted(self._releases.values(), key=lambda one: (one.source, one.order, one.id)))

    @property
    def version(self) -> str:
        """A text that differs for different contents, complete releases included. It names the drawn database."""
        with self._guard:
            state = self.state
            return " ".join([state.name, *(repr(one) for one in self.releases if one.state != "loading")])

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the graph for one load. At the end of the block, readers see what was written in it.

        If the block raises an error, or the process ends, readers see no more of its changes than `put_release` showed.

        Raises:
            StoreBusy: Another process changes the graph, or this process does.
            StoreError: The graph was opened for reading only.
            DamagedStore: A file is missing or was changed from outside. It is not overwritten.
            Refused: The disk is full.
        """
        if self.read_only:
            raise StoreError(
                f"the graph {self.path} was opened for reading only",
                "a store opened for writing",
                "open the store with read_only=False",
            )
        with self._guard:
            if self._lock is not None:
                raise StoreBusy(f"the graph {self.path} is being loaded", "one load at a time", "wait for it to end")
            self._check()
            with self._convert_errors("make"):
                self.path.mkdir(parents=True, exist_ok=True)
            if is_full(self.path):
                raise full(self.path, "there is no room left")
            lock = Lock(self.path / LOCK, shared=False)
            try:
                self._refreshed(lock)
                if not self.there:
                    self._point_to("", ())  # from now on, a state without this file is damage
                self._clear()
            except BaseException:
                lock.release()
                raise
            self._lock = lock
        try:
            yield
            with self._guard:
                self._publish()
        finally:
            with self._guard:
                self._draft, self._state, self._seen, self._lock = None, None, None, None
                with suppress(StoreError):
                    self._clear()
                lock.release()

    @contextmanager
    def draft(self) -> Iterator[Draft]:
        """Yield the state in the making. If no load is running, it is published at the end of the block."""
        if self._lock is None:
            with self.writing(), self.draft() as draft:
                yield draft
            return
        with self._guard, self._convert_errors("write"):
            if self._draft is None:
                self._draft = Draft(self._state or State.empty(), self.path / f"{_STATE}{uuid4().hex}")
            yield self._draft

    def put_release(self, release: Release) -> None:
        """Record a release. Readers see it, and all that was written before, when this method returns."""
        if self._lock is None:
            with self.writing():
                self.put_release(release)
            return
        with self._guard:
            self._releases[release.source, release.id] = release
            self._publish()

    def check_idle(self) -> None:
        """Raise StoreBusy if a load is in progress."""
        if self._lock is not None:
            raise StoreBusy(f"the graph {self.path} is being loaded", "one load at a time", "wait for it to end")
        if (self.path / LOCK).exists():
            Lock(self.path / LOCK, shared=True).release()
        self._refreshed()

    def faults(self) -> list[Fault]:
        """Return the damaged files of the current state, after reading all files to the end.

        Raises:
            DamagedStore: The store has disappeared, although HOME records that a load has filled it.
            StoreUnreachable: The folder cannot be read.
        """
        self._check()
        try:
            name = self._pointer()[0]
        except DamagedStore as error:
            return [Fault(self.path / POINTER, error.seen, error.wanted, error.remedy)]
        found = files.faults(self.path / name, REMEDY) if name else []
        return self.faults() if found and self._pointer()[0] != name else found  # a load has ended meanwhile

    def close(self) -> None:
        """Close all open files. A second call does nothing."""
        with self._guard:
            self._state, self._seen = None, None

    def _refreshed(self, lock: Lock | None = None) -> State:
        """Return the state that the pointer names; open it if it is another one than before.

        Args:
            lock: The lock of the folder if this process holds it.
        """
        with self._guard:
            seen = self._identity()
            while self._state is None or seen != self._seen:
                self._check()
                name, releases = self._pointer()
                if not name and not seen and (self.path / OLDER).exists():
                    self._carry_over(lock)
                    seen = self._identity()
                    if seen is None and self._state is not None:
                        break
                    continue
                try:
                    self._state = State.opened(self.path / name) if name else State.empty()
                except (FileNotFoundError, DamagedStore) as error:
                    now = self._identity()
                    if now != seen:  # a load has ended meanwhile, and removed the state before it
                        seen = now
                        continue
                    if isinstance(error, DamagedStore):
                        raise
                    fault = Fault(self.path / name, "is missing", "the state that a load wrote")
                    raise manifest.damaged(f"the graph store {self.path}", [fault], REMEDY) from error
                self._releases = {(one.source, one.id): one for one in releases}
                self._seen = seen
            return self._state

    def _identity(self) -> object:
        """Return what changes when the pointer is replaced; None if there is no pointer."""
        try:
            found = (self.path / POINTER).stat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise self._unreachable("look at", error) from error
        return found.st_ino, found.st_mtime_ns, found.st_size

    def _pointer(self) -> tuple[str, Sequence[Release]]:
        """Return the name of the current state, empty if there is none, and the releases."""
        path = self.path / POINTER
        try:
            shape = manifest.read(path)
            if shape["format"] != FORMAT:
                raise StoreError(
                    f"the graph {self.path} has format {shape['format']}: a later version of this program made it",
                    f"a graph of format {FORMAT}",
                    "use that version, or load the files again into a new folder: another --home or --graph "
                    "embedded:PATH",
                )
            return str(shape["state"]), tuple(map(Release.of, shape["releases"]))
        except (FileNotFoundError, NotADirectoryError):
            return "", ()
        except (OSError, ValueError, KeyError, TypeError) as error:
            fault = Fault(path, f"cannot be read: {error}", "the file that the last load wrote")
            raise manifest.damaged(f"the graph store {self.path}", [fault], REMEDY) from error

    def _publish(self) -> None:
        """Let readers see the state with all that was written so far, and the releases."""
        state = self.state
        self._point_to(state.folder.name if state.folder else "", self._releases.values())
        self._clear()

    def _point_to(self, state: str, releases: Iterable[Release]) -> None:
        with self._convert_errors("write"):
            shape = {"format": FORMAT, "state": state, "releases": [release.flat for release in releases]}
            manifest.write(self.path / POINTER, shape)

    def _clear(self) -> None:
        """Remove what no reader uses: states that are not current, and the files of an earlier version.

        The caller holds the lock.
        """
        current, _ = self._pointer()
        for left in self.path.glob(f"{POINTER}.*.new"):
            left.unlink(missing_ok=True)
        for folder in self.path.glob(f"{_STATE}*"):
            if folder.name != current and (self._state is None or folder != self._state.folder):
                shutil.rmtree(folder, ignore_errors=True)
        if (self.path / OLDER).exists() and (self.path / POINTER).exists():
            from cypher.embedded import older

            older.remove(self.path)

    def _carry_over(self, lock: Lock | None) -> None:
        """Write the state of a graph that an earlier version of the program made, and then remove its files."""
        from cypher.embedded import older

        if not os.access(self.path, os.W_OK):  # each object of such a reader carries the graph over for itself
            target = Path(mkdtemp(prefix="truthhypo-graph-"))
            finalize(self, shutil.rmtree, target, ignore_errors=True)
            found = older.carried_over(self.path, target / f"{_STATE}{uuid4().hex}", self.settings, read_only=True)
            self._releases = {(one.source, one.id): one for one in found}
            (state,) = target.iterdir()
            self._state, self._seen = State.opened(state), None
            return
        held = lock or self._waited_lock()
        try:
            if not (self.path / POINTER).exists():
                self._clear()
                target = self.path / f"{_STATE}{uuid4().hex}"
                with self._convert_errors("write"):
                    releases = older.carried_over(self.path, target, self.settings)
                self._point_to(target.name, releases)
                self._clear()
        finally:
            if lock is None:
                held.release()

    def _waited_lock(self) -> Lock:
        """Take the lock of the folder; wait for another process, which may carry the graph over."""
        until = monotonic() + self.settings.graph_retry
        while True:
            try:
                return Lock(self.path / LOCK, shared=False)
            except StoreBusy:
                if (self.path / POINTER).exists() or monotonic() > until:
                    raise
            sleep(_PULSE)

    def _check(self) -> None:
        """Refuse a path that is not a graph's folder or cannot be read, and a graph that has disappeared.

        Raises:
            DamagedStore: The store is missing, although HOME records that a load has filled it.
        """
        with self._convert_errors("look at"):
            blocking = next((parent for parent in self.path.parents if parent.is_file()), None)
            is_file = self.path.is_file()
            held = {file.name for file in self.path.iterdir()} if self.path.is_dir() else set()
        if blocking:
            raise StoreUnreachable(
                f"{self.path} lies below {blocking}, which is a file", "a folder", "give another path"
            )
        own = {POINTER, LOCK, OLDER, DRAWN} | {name for name in held if name.startswith(_STATE)}
        if is_file or (held and not held & own):
            what = "a file" if is_file else "a folder with other files"
            raise StoreError(
                f"{self.path} is {what}, not a graph store",
                "a folder made by truthhypo ingest, or one that is not there yet",
                "give another path",
            )
        if not held & {POINTER, OLDER}:
            whole = {path.parent.name for path in self.path.glob(f"{_STATE}*/{files.MANIFEST}")} | (held & {_NAMES})
            if whole:
                fault = Fault(self.path / POINTER, f"is missing beside {min(whole)}", "the file that a load wrote")
                raise manifest.damaged(f"the graph store {self.path}", [fault], REMEDY)
            inventory.check_never_filled(self.settings.home, f"embedded:{self.path}", REMEDY)

    @contextmanager
    def _convert_errors(self, what: str) -> Iterator[None]:
        """Convert errors of the file system inside the block to the program's errors."""
        try:
            yield
        except OSError as error:
            if error.errno in {ENOSPC, EDQUOT}:
                raise full(self.path, error.strerror) from error
            raise self._unreachable(what, error) from error

    def _unreachable(self, what: str, error: OSError) -> StoreUnreachable:
        return StoreUnreachable(
            f"cannot {what} {self.path}: {error.strerror}", "a path we may use", "give another path"
        )
