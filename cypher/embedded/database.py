"""The ladybug database in which free queries (Cypher that a user wrote) on an embedded graph run.

It is drawn from the current state of the graph when the first free query needs it, and kept until the graph changes.
Another process draws it, so that the drawing can be ended at any moment. Deleting it does no harm.
"""

import json
import os
import shutil
import subprocess
import sys
import warnings
from concurrent.futures import Future
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp
from threading import RLock, Thread
from time import sleep
from uuid import uuid4
from weakref import finalize

from cypher import schema
from cypher.atlas import files
from cypher.embedded.folder import Folder
from cypher.embedded.process import Queries
from cypher.embedded.session import MEMORY
from cypher.lock import Lock
from groundwork import manifest
from groundwork.errors import AtlasMissing, DatabaseDrawing, StoreBusy, StoreError
from groundwork.files import full, is_full
from groundwork.ports import Progress, Silent
from groundwork.settings import Settings

DRAWN = "drawn"
_DATABASE, _DRAFT = "graph.lbug", "draft-"
#: The program of the process that draws. It takes over this process's search path for modules.
_START = "import sys; parent, *sys.path = sys.argv[1:]; from cypher.embedded.drawing import main; main(int(parent))"
#: Seconds between two attempts to take the lock of the drawn databases.
_PULSE = 0.1
#: Approximate number of rows drawn per second, for messages.
_RATE = 100_000
#: Seconds of drawing that a query announces by a warning, if it shows no progress.
_LONG = 5


class DrawnDatabase:
    """The database for free queries on one embedded graph.

    Args:
        folder: The folder of the graph.
        settings: HOME, the constants of belief, and the limits of free queries.
    """

    def __init__(self, folder: Folder, settings: Settings) -> None:
        self._folder, self._settings = folder, settings
        self._guard = RLock()
        self._queries: tuple[str, Queries] | None = None
        self._drawing: Future[Path] | None = None
        self._temporary: Path | None = None

    def queries(self, seconds: float | None = None) -> Queries:
        """Return the processes that answer free queries on the current state of the graph.

        Args:
            seconds: How long to wait until the database is drawn; None for as long as it takes.

        Raises:
            DatabaseDrawing: The database is not drawn yet. The drawing goes on.
            StoreError: The database cannot be drawn.
        """
        name = self._name()
        with self._guard:
            if self._queries and self._queries[0] == name:
                return self._queries[1]
        queries = self._opened(name, seconds)
        with self._guard:
            self._end_queries()
            self._queries = name, queries
            return queries

    def draw(self, progress: Progress | None = None) -> None:
        """Draw the database of the current state, if it is not drawn yet."""
        name = self._name()
        if self._folder.there and self._found(name) is None:
            self._drawn(name, progress)

    def close(self) -> None:
        """End all processes."""
        with self._guard:
            self._end_queries()
            if self._temporary:
                shutil.rmtree(self._temporary, ignore_errors=True)
                self._temporary = None

    def _opened(self, name: str, seconds: float | None) -> Queries:
        if not self._folder.there:  # nothing is written for a graph that does not exist
            return Queries(MEMORY, schema.statements(), self._settings)
        path = self._found(name)
        if path is None:
            if seconds is not None:
                path = self._drawn_in_background(name, seconds)
            else:
                if (wait := self._rows() // _RATE) >= _LONG:
                    told = (
                        f"the database for Cypher queries is drawn now from {self._rows():,} rows (about {wait:.0f} s)"
                    )
                    warnings.warn(told, AtlasMissing, stacklevel=5)
                path = self._drawn(name, None)
        return Queries(str(path), (), self._settings)

    def _end_queries(self) -> None:
        if self._queries:
            self._queries[1].close()
            self._queries = None

    def _name(self) -> str:
        constants = self._settings.syst, self._settings.rand  # edges have their belief as a property
        return sha256(f"{self._folder.version} {constants}".encode()).hexdigest()[:24]

    def _roots(self) -> list[Path]:
        """Return the folders that may contain drawn databases, the best one first."""
        address = sha256(str(self._folder.path.absolute()).encode()).hexdigest()[:24]
        roots = [self._folder.path / DRAWN, self._settings.home.absolute() / DRAWN / address]
        return [*roots, self._temporary] if self._temporary else roots

    def _found(self, name: str) -> Path | None:
        """Return the drawn database with a name. A damaged one is removed."""
        for root in self._roots():
            folder = root / name
            try:
                if not files.faults_of(folder, manifest.read(folder / files.MANIFEST)):
                    return folder / _DATABASE
            except FileNotFoundError:
                continue
            except (OSError, ValueError, KeyError, TypeError):
                pass
            shutil.rmtree(folder, ignore_errors=True)
        return None

    def _drawn_in_background(self, name: str, seconds: float) -> Path:
        """Let a thread draw the database, unless one is at it. Return its path if it is ready in time."""
        with self._guard:
            if self._drawing is None or self._drawing.done():
                self._drawing = Future()
                Thread(target=self._fulfil, args=(self._drawing, name), daemon=True).start()
            drawing = self._drawing
        try:
            return drawing.result(seconds)
        except TimeoutError:
            raise DatabaseDrawing(self._rows(), 1 + self._rows() // _RATE) from None

    def _rows(self) -> int:
        counts = self._folder.state.summary.counts
        return sum(counts.concepts.values()) + sum(counts.edges.values())

    def _fulfil(self, drawing: "Future[Path]", name: str) -> None:
        try:
            drawing.set_result(self._drawn(name, None))
        except Exception as error:  # noqa: BLE001 - the query that waits for it raises it
            drawing.set_exception(error)

    def _drawn(self, name: str, progress: Progress | None) -> Path:
        """Draw the database with a name, or wait until another process has drawn it. Return its path."""
        root = self._writable_root()
        while True:
            try:
                lock = Lock(root / "lock", shared=False)
                break
            except StoreBusy:
                sleep(_PULSE)
        try:
            if found := self._found(name):
                return found
            self._clear(root)
            draft = root / f"{_DRAFT}{uuid4().hex}"
            draft.mkdir()
            self._run(draft / _DATABASE, progress or Silent())
            files.seal(draft, (), None)
            draft.replace(root / name)
            return root / name / _DATABASE
        except OSError as error:
            if is_full(root, str(error)):
                raise full(root, error.strerror) from error
            raise
        finally:
            lock.release()

    def _writable_root(self) -> Path:
        for root in self._roots():
            with suppress(OSError):
                root.mkdir(parents=True, exist_ok=True)
                if os.access(root, os.W_OK):
                    return root
        self._temporary = Path(mkdtemp(prefix="truthhypo-drawn-"))
        finalize(self, shutil.rmtree, self._temporary, ignore_errors=True)
        return self._temporary

    def _clear(self, root: Path) -> None:
        """Remove what killed drawings left, and all databases but the newest one, which queries may still open."""
        there = sorted((each for each in root.iterdir() if each.is_dir()), key=lambda each: each.stat().st_mtime)
        drafts = [each for each in there if each.name.startswith(_DRAFT)]
        drawn = [each for each in there if each not in drafts]
        for each in (*drafts, *drawn[:-1]):
            shutil.rmtree(each, ignore_errors=True)

    def _run(self, path: Path, progress: Progress) -> None:
        """Let another process draw the database, and report its progress."""
        state = self._folder.state
        progress.begin("drawing the database", self._rows(), "rows")
        order = {
            "state": str(state.folder) if state.folder else None,
            "releases": [release.flat for release in self._folder.releases],
            "path": str(path),
            "syst": self._settings.syst,
            "rand": self._settings.rand,
            "threads": self._settings.threads,
        }
        process = subprocess.Popen(  # noqa: S603 - this program itself
            [sys.executable, "-c", _START, str(os.getpid()), *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        failed = ""
        try:
            assert process.stdin and process.stdout
            with process.stdin as orders:
                orders.write(json.dumps(order))
            for line in process.stdout:
                said = json.loads(line)
                if isinstance(said, int):
                    progress.advance(said)
                else:
                    failed = said
        finally:
            process.kill()
            process.wait()
            if process.stdout:
                process.stdout.close()
        if failed:
            raise (
                full(path, failed)
                if is_full(path, failed)
                else StoreError(f"the database for free queries cannot be drawn: {failed}", "", "ask again")
            )
        if not path.exists():
            raise StoreError(
                f"the process that draws the database for free queries ended with code {process.returncode}",
                "a drawn database",
                "ask again; SIGKILL can mean that the machine's memory was full",
            )
