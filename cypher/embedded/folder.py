"""The folder of an embedded graph: its files, and the locks that say who may open them.

Several readers can open the folder at the same time. A load opens it exclusively. Outside of a load, no file is open
for writing, so programs that only read never block each other.
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
from groundwork.errors import StoreBusy, StoreError, StoreUnreachable
from groundwork.files import full, is_full
from groundwork.manifest import Fault
from groundwork.settings import Settings

LOCK, ATLAS = "lock", "atlas"


class Folder:
    """The files of an embedded graph, opened when they are first needed.

    Args:
        path: The folder. If it does not exist, it reads as an empty graph, and the first load creates it.
        settings: The settings of the session.
        read_only: Refuse every write.
    """

    def __init__(self, path: Path, settings: Settings, *, read_only: bool) -> None:
        self.path, self.settings, self.read_only = path, settings, read_only
        self._guard = RLock()  # one thread opens or closes at a time
        self._open: tuple[Session, Namebook, Lock | None] | None = None
        self._queries: Queries | None = None
        self._writing = False
        self._version = ""  # known while the files are open for reading
        self._wanted: Lock | None = None  # keeps services from opening the folder during a load

    @property
    def session(self) -> Session:
        """The database, open for writing within `writing`, and otherwise for reading."""
        return self._opened()[0]

    @property
    def names(self) -> Namebook:
        """The index of names, open in the same way as the session."""
        return self._opened()[1]

    @property
    def queries(self) -> Queries:
        """The processes that answer free queries (Cypher that a user wrote).

        They read the database under the lock that this object holds.
        """
        with self._guard:
            path = self.session.path
            if self._queries is None:
                self._queries = Queries(path, schema.statements() if path == MEMORY else (), self.settings)
            return self._queries

    @property
    def loading(self) -> bool:
        """Whether this object has the folder open for a load, exclusively."""
        return self._writing

    @property
    def there(self) -> bool:
        """Whether the folder holds a database."""
        return (self.path / GRAPH).exists()

    @property
    def version(self) -> str:
        """See `contents.version`. Opens the files first, which may repair them.

        During a load, each call returns a new text.
        """
        with self._guard:
            self._opened()
            if self._writing:
                return uuid4().hex
            if not self._version:
                self._version = contents.version(self.path)
            return self._version

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Open the files for writing inside the block, and create missing tables.

        Inside the block, no other process can open the files.

        Raises:
            StoreBusy: Another process reads or writes the folder, or this process is loading it. If a service reads the
                folder, the load waits for it (`turns`) for up to `graph_retry` seconds first.
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
            if self._writing:
                raise StoreBusy(f"the graph {self.path} is being loaded", "one load at a time", "wait for it to end")
            self.close()
            self._check()
            self._check_undamaged()
            self._make_folder()
            if is_full(self.path):  # writing would damage the database
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
        """Return the damaged files, after reading all files to the end, without opening the database.

        Raises:
            DamagedStore: The store has disappeared, although HOME records that a load has filled it.
            StoreUnreachable: The folder cannot be read.
        """
        with self._convert_errors("look at"):
            found = contents.faults(self.path, thorough=True)
        if not found:
            self._check_undamaged()
        return found

    def close(self) -> None:
        """Close all open files and processes. A second call does nothing."""
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
        """Close the files that are open for writing, and note that they are complete, before releasing the lock."""
        opened, self._open = self._open, None
        if opened is None:
            return
        session, names, lock = opened
        try:
            session.close()
            names.close()
            if not any((self.path / left).exists() for left in UNDER_WAY):
                with suppress(OSError):  # if the disk is full, the state stays `loading`, and the next load repairs it
                    contents.conclude(self.path)
        finally:
            if lock:
                lock.release()

    def _opened(self) -> tuple[Session, Namebook, Lock | None]:
        with self._guard:
            if self._open is None:
                self._check()
                self._check_undamaged()
                self._open = self._read() if self.there else self._empty()
            return self._open

    def _read(self) -> tuple[Session, Namebook, Lock]:
        """Open the files for reading. If a load was interrupted and nobody uses the folder, repair the files first.

        To repair the database, the program opens it for writing once. ladybug then finishes a checkpoint, and discards
        a transaction with an incomplete log, which can result from a full disk. Without the repair, ladybug may refuse
        to open the database for reading.
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
        """Open the files under a lock. If they cannot be opened, release the lock."""
        session = None
        try:
            self._check_undamaged()
            with self._convert_errors("look at"):
                contents.verify(self.path)
            there = self.there
            if there:
                check(self.path)
            if not read_only:
                with self._convert_errors("write"):
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
        """Return an empty graph in memory."""
        session = Session(MEMORY, self.settings)
        schema.create(session)
        return session, Namebook(None), None

    def _check(self) -> None:
        """Refuse a path that is not a graph's folder, or that cannot be read."""
        with self._convert_errors("look at"):
            blocking = next((parent for parent in self.path.parents if parent.is_file()), None)
            is_file = self.path.is_file()
            held = {file.name for file in self.path.iterdir()} if self.path.is_dir() else set()
        if blocking:
            raise StoreUnreachable(
                f"{self.path} lies below {blocking}, which is a file", "a folder", "give another path"
            )
        if is_file or (held and not held & {GRAPH, LOCK, contents.MANIFEST}):
            what = "a file" if is_file else "a folder with other files"
            raise StoreError(
                f"{self.path} is {what}, not a graph store",
                "a folder made by truthhypo ingest, or one that is not there yet",
                "give another path",
            )

    def _check_undamaged(self) -> None:
        """Refuse a damaged store.

        Raises:
            DamagedStore: A file, or the whole store, is missing or was changed from outside.
        """
        with self._convert_errors("look at"):
            contents.check(self.path)
            there = self.there
        if not there:
            inventory.check_never_filled(self.settings.home, f"embedded:{self.path}", contents.REMEDY)

    def _make_folder(self) -> None:
        with self._convert_errors("make"):
            self.path.mkdir(parents=True, exist_ok=True)

    @contextmanager
    def _convert_errors(self, what: str) -> Iterator[None]:
        """Convert errors of the file system inside the block to the program's errors."""
        try:
            yield
        except OSError as error:
            if error.errno in {ENOSPC, EDQUOT}:
                raise full(self.path, error.strerror) from error
            raise StoreUnreachable(
                f"cannot {what} {self.path}: {error.strerror}", "a path we may use", "give another path"
            ) from error
