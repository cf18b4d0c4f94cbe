"""The folder of an embedded graph: which files it holds, and who may have them open.

Readers share the folder; a load has it alone. Outside of a load nothing is open for writing, so a program that has
only looked something up never stands in the way of another one that looks something up too.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EDQUOT, ENOSPC
from pathlib import Path
from threading import RLock
from uuid import uuid4

from cypher import schema
from cypher.embedded import contents
from cypher.embedded.contents import GRAPH, NAMES, UNDER_WAY
from cypher.embedded.namebook import Namebook
from cypher.embedded.queries import Queries
from cypher.embedded.session import MEMORY, Session
from cypher.embedded.stamp import check, stamp
from cypher.embedded.turns import alone
from cypher.lock import Lock
from groundwork import inventory
from groundwork.disk import full, is_full
from groundwork.errors import StoreBusy, StoreError, StoreUnreachable
from groundwork.manifest import Fault
from groundwork.settings import Settings

LOCK, ATLAS = "lock", "atlas"


class Folder:
    """The files of an embedded graph, opened when they are first needed.

    Args:
        path: The folder. One that is not there is read as an empty graph, and made by the first load.
        settings: For the session.
        read_only: Refuse to write.
    """

    def __init__(self, path: Path, settings: Settings, *, read_only: bool) -> None:
        self.path, self.settings, self.read_only = path, settings, read_only
        self._guard = RLock()  # one thread opens or closes at a time
        self._open: tuple[Session, Namebook, Lock | None] | None = None
        self._queries: Queries | None = None
        self._writing = False
        self._version = ""  # known while the files are open for reading
        self._wanted: Lock | None = None  # keeps services away while a load has the folder

    @property
    def session(self) -> Session:
        """The database: open for writing within `writing`, else for reading."""
        return self._opened()[0]

    @property
    def names(self) -> Namebook:
        """The index of names, open as the session is."""
        return self._opened()[1]

    @property
    def queries(self) -> Queries:
        """The processes for free queries. They read the database under the lock of this object."""
        with self._guard:
            path = self.session.path
            if self._queries is None:
                self._queries = Queries(path, schema.statements() if path == MEMORY else (), self.settings)
            return self._queries

    @property
    def loading(self) -> bool:
        """Whether this object has the folder alone."""
        return self._writing

    @property
    def there(self) -> bool:
        """Whether the folder holds a database."""
        return (self.path / GRAPH).exists()

    @property
    def version(self) -> str:
        """See `contents.version`; the files are opened first, which may mend them. A load has a new one each time."""
        with self._guard:
            self._opened()
            if self._writing:
                return uuid4().hex
            if not self._version:
                self._version = contents.version(self.path)
            return self._version

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Have the folder alone, with tables made.

        Raises:
            StoreBusy: It is being read or written by another process, or loaded by this one. A service that reads it
                is waited for (`turns`), up to the setting `graph_retry`.
            StoreError: It was opened for reading only.
            DamagedStore: A file is missing or was changed from outside; it is not overwritten.
            Refused: The disk is full.
        """
        if self.read_only:
            raise StoreError(f"the graph {self.path} was opened for reading only", "a store opened for writing")
        with self._guard:
            if self._writing:
                raise StoreBusy(f"the graph {self.path} is being loaded", "one load at a time", "wait for it to end")
            self.close()
            self._check()
            self._whole()
            self._make()
            if is_full(self.path):  # the database would not survive it
                raise full(self.path, "there is no room left")
            lock, self._wanted = alone(self.path / LOCK, self.settings.graph_retry)
            try:
                self._open = self._files(lock, read_only=False)
            except BaseException:
                self._let_services_in()
                raise
            self._writing = True
        try:
            yield
        finally:
            with self._guard:
                self._writing = False
                try:
                    self._conclude()
                finally:
                    self._let_services_in()

    def faults(self) -> list[Fault]:
        """The damaged files, found by reading all of them to their end; nothing is opened as a database.

        Raises:
            DamagedStore: The store is gone, and HOME knows that a load has filled it.
            StoreUnreachable: We may not look.
        """
        with self._reachable("look at"):
            found = contents.faults(self.path, thorough=True)
        if not found:
            self._whole()
        return found

    def close(self) -> None:
        """Close what is open. Calling it twice is no error."""
        with self._guard:
            queries, self._queries = self._queries, None
            if queries:
                queries.close()
            opened, self._open, self._version = self._open, None, ""
            if opened:
                session, names, lock = opened
                session.close()
                names.close()
                if lock:
                    lock.release()

    def _let_services_in(self) -> None:
        wanted, self._wanted = self._wanted, None
        if wanted:
            wanted.release()

    def _conclude(self) -> None:
        """Close the files that are open for writing and note that they are whole, before others may open them."""
        opened, self._open = self._open, None
        if opened is None:
            return
        session, names, lock = opened
        try:
            session.close()
            names.close()
            if not any((self.path / left).exists() for left in UNDER_WAY):
                with suppress(OSError):  # if the disk is full the mark `loading` stays, and the next load finishes
                    contents.conclude(self.path)
        finally:
            if lock:
                lock.release()

    def _opened(self) -> tuple[Session, Namebook, Lock | None]:
        with self._guard:
            if self._open is None:
                self._check()
                self._whole()
                self._open = self._read() if self.there else self._empty()
            return self._open

    def _read(self) -> tuple[Session, Namebook, Lock]:
        """Open for reading. What a load that was cut off left behind is mended first, if nobody has the folder.

        Opened for writing, the database finishes a checkpoint, and leaves out a transaction whose log ends half-way, as
        on a disk that was full. Before, it may refuse to be read.
        """
        try:
            return self._files(Lock(self.path / LOCK, shared=True), read_only=True)
        except StoreBusy:
            raise
        except StoreError:
            if not any((self.path / left).exists() for left in UNDER_WAY):
                raise
            self._open = self._files(Lock(self.path / LOCK, shared=False), read_only=False)
            self._conclude()
            return self._files(Lock(self.path / LOCK, shared=True), read_only=True)

    def _files(self, lock: Lock, *, read_only: bool) -> tuple[Session, Namebook, Lock]:
        """Open the files under a lock, which is let go if they cannot be opened."""
        session = None
        try:
            self._whole()
            with self._reachable("look at"):
                contents.verify(self.path)
            there = self.there
            if there:
                check(self.path)
            if not read_only:
                with self._reachable("write"):
                    contents.begin(self.path)
            if not there:
                stamp(self.path)
            session = Session(self.path / GRAPH, self.settings, read_only=read_only)
            if not read_only:
                schema.create(session)
            return session, Namebook(self.path / NAMES, read_only=read_only), lock
        except BaseException:
            if session:
                session.close()
            lock.release()
            raise

    def _empty(self) -> tuple[Session, Namebook, None]:
        """A graph with nothing in it, in memory."""
        session = Session(MEMORY, self.settings)
        schema.create(session)
        return session, Namebook(None), None

    def _check(self) -> None:
        """Refuse a path that is something else, or where we may not look."""
        with self._reachable("look at"):
            blocking = next((parent for parent in self.path.parents if parent.is_file()), None)
            is_file = self.path.is_file()
            held = {file.name for file in self.path.iterdir()} if self.path.is_dir() else set()
        if blocking:
            raise StoreUnreachable(f"{self.path} lies under {blocking}, a file", "a folder", "give another path")
        if is_file or (held and not held & {GRAPH, LOCK, contents.MANIFEST}):
            what = "a file" if is_file else "a folder of something else"
            raise StoreError(
                f"{self.path} is {what}, not a graph store",
                "a folder made by truthhypo ingest, or one that is not there yet",
                "give another path",
            )

    def _whole(self) -> None:
        """Refuse a damaged store.

        Raises:
            DamagedStore: A file, or the whole store, is missing or was changed from outside.
        """
        with self._reachable("look at"):
            contents.check(self.path)
            there = self.there
        if not there:
            inventory.check_never_filled(self.settings.home, f"embedded:{self.path}", contents.REMEDY)

    def _make(self) -> None:
        with self._reachable("make"):
            self.path.mkdir(parents=True, exist_ok=True)

    @contextmanager
    def _reachable(self, what: str) -> Iterator[None]:
        """What the file system says, in our words."""
        try:
            yield
        except OSError as error:
            if error.errno in {ENOSPC, EDQUOT}:
                raise full(self.path, error.strerror) from error
            raise StoreUnreachable(
                f"cannot {what} {self.path}: {error.strerror}", "a path we may use", "give another path"
            ) from error
