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
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp
from threading import RLock, Thread
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4
from weakref import finalize

from cypher.atlas import files
from cypher.embedded.folder import DRAWN, Folder
from cypher.lock import Lock
from groundwork import manifest
from groundwork.errors import AtlasMissing, DatabaseDrawing, StoreBusy, StoreError
from groundwork.files import full, is_full
from groundwork.ports import Progress, Silent
from groundwork.records import Table
from groundwork.settings import Settings

if TYPE_CHECKING:
    from cypher.embedded.process import Queries

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
        self._current: _Open | None = None
        self._retired: list[Queries] = []  # answer queries that began before the graph changed
        self._drawing: tuple[str, Future[Path]] | None = None
        self._temporary: Path | None = None

    def answer(self, query: str, parameters: Mapping[str, Any], most: int, seconds: float | None = None) -> Table:
        """Answer a free query on the current state of the graph; see `Queries.answer`.

        Args:
            query: The query.
            parameters: Its parameters.
            most: Maximum number of rows.
            seconds: How long to wait until the database is drawn; None for as long as it takes.

        Raises:
            DatabaseDrawing: The database is not drawn yet. The drawing goes on.
            StoreError: The database cannot be drawn, or the query failed.
        """
        found = self._opened(seconds)
        try:
            return found.queries.answer(query, parameters, most)
        except StoreError:
            if found.there:
                raise
        return self._opened(seconds).queries.answer(query, parameters, most)  # another process removed the database

    def draw(self, progress: Progress | None = None) -> None:
        """Draw the database of the current state, if it is not drawn yet."""
        if self._folder.there and self._found(self._name()) is None:
            self._drawn(progress)

    def close(self) -> None:
        """End all processes."""
        with self._guard:
            for queries in (*self._retired, *([self._current.queries] if self._current else ())):
                queries.close()
            self._current, self._retired = None, []
            if self._temporary:
                shutil.rmtree(self._temporary, ignore_errors=True)
                self._temporary = None

    def _opened(self, seconds: float | None) -> "_Open":
        """Return the processes for queries on the database of the current state, which is drawn if it is missing."""
        from cypher import schema  # these import ladybug, which other look-ups do not need
        from cypher.embedded.process import Queries
        from cypher.embedded.session import MEMORY

        name = self._name()
        with self._guard:
            if self._current and self._current.name == name and self._current.there:
                return self._current
        path = self._found(name) if self._folder.there else None
        if path is None and self._folder.there:  # nothing is written for a graph that does not exist
            path = self._drawn_by_now(name, seconds)
        with self._guard:
            if self._current and self._current.path == path and self._current.there:
                return self._current  # another thread was faster
            if self._current:
                self._current.queries.retire()
                self._retired = [*(each for each in self._retired if each.busy), self._current.queries]
            statements = () if path else schema.statements()
            name = path.parent.name if path else name  # a load may have ended during the drawing
            self._current = _Open(name, path, Queries(str(path or MEMORY), statements, self._settings))
            return self._current

    def _drawn_by_now(self, name: str, seconds: float | None) -> Path:
        """Draw the database, or let a thread draw it and wait for some seconds."""
        if seconds is not None:
            return self._drawn_in_background(name, seconds)
        rows = self._rows()
        if rows >= _LONG * _RATE:
            told = f"the database for Cypher queries is drawn now from {rows:,} rows (about {rows // _RATE} s)"
            warnings.warn(told, AtlasMissing, stacklevel=6)
        return self._drawn(None)

    def _name(self) -> str:
        return name_of(self._folder, self._settings)

    def _rows(self) -> int:
        counts = self._folder.state.summary.counts
        return sum(counts.concepts.values()) + sum(counts.edges.values())

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
            except OSError:
                continue  # it is not there, or cannot be read now
            except (ValueError, KeyError, TypeError):
                pass
            shutil.rmtree(folder, ignore_errors=True)
        return None

    def _drawn_in_background(self, name: str, seconds: float) -> Path:
        """Let a thread draw the database, unless one is at it. Return its path if it is ready in time."""
        with self._guard:
            if self._drawing is None or self._drawing[0] != name or self._drawing[1].done():
                self._drawing = name, Future()
                Thread(target=self._fulfil, args=(self._drawing[1],), daemon=True).start()
            drawing = self._drawing[1]
        try:
            return drawing.result(seconds)
        except TimeoutError:
            raise DatabaseDrawing(self._rows(), 1 + self._rows() // _RATE) from None

    def _fulfil(self, drawing: "Future[Path]") -> None:
        try:
            drawing.set_result(self._drawn(None))
        except Exception as error:  # noqa: BLE001 - the query that waits for it raises it
            drawing.set_exception(error)

    def _drawn(self, progress: Progress | None) -> Path:
        """Draw the database of the current state, or wait until another process has drawn it. Return its path."""
        root = self._writable_root()
        lock = self._locked(root, progress)
        draft = root / f"{_DRAFT}{uuid4().hex}"
        try:
            if found := self._found(self._name()):
                return found
            self._clear(root)
            draft.mkdir()
            name = self._run(draft / _DATABASE, progress or Silent())
            files.seal(draft, ())
            draft.replace(root / name)
            return root / name / _DATABASE
        except OSError as error:
            if is_full(root, str(error)):
                raise full(root, error.strerror) from error
            raise
        finally:
            shutil.rmtree(draft, ignore_errors=True)
            lock.release()

    def _locked(self, root: Path, progress: Progress | None) -> Lock:
        """Take the lock of the drawn databases. Say so once if another process has it for longer than a moment."""
        began, told = monotonic(), False
        while True:
            try:
                return Lock(root / "lock", shared=False)
            except StoreBusy as busy:
                if not told and monotonic() - began > 1:
                    told = True
                    text = f"another process draws the database for Cypher queries; waiting for it ({busy.seen})"
                    if progress:
                        progress.note(text)
                    else:
                        warnings.warn(text, AtlasMissing, stacklevel=2)
                sleep(_PULSE)

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

    def _run(self, path: Path, progress: Progress) -> str:
        """Let another process draw the database, and report its progress. Return the name of what it has drawn."""
        progress.begin("drawing the database", self._rows(), "rows")
        order = {
            "graph": str(self._folder.path.absolute()),
            "path": str(path),
            "home": str(self._settings.home),
            "syst": self._settings.syst,
            "rand": self._settings.rand,
            "threads": self._settings.threads,
        }
        if self._folder.loading:  # no other process sees the state in the making
            state = self._folder.state.folder
            releases = [release.flat for release in self._folder.releases]
            order |= {"state": str(state) if state else "", "releases": releases, "name": self._name()}
        process = subprocess.Popen(  # noqa: S603 - this program itself
            [sys.executable, "-c", _START, str(os.getpid()), *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        drawn, failed = "", ""
        try:
            assert process.stdin and process.stdout
            with process.stdin as orders:
                orders.write(json.dumps(order))
            for line in process.stdout:
                said = json.loads(line)
                if isinstance(said, int):
                    progress.advance(said)
                else:
                    drawn, failed = said.get("drawn", ""), said.get("failed", "")
            process.wait()
        finally:
            process.kill()
            process.wait()
            if process.stdout:
                process.stdout.close()
        if failed:
            if is_full(path, failed):
                raise full(path, failed.rpartition("cannot be written: ")[2])
            raise StoreError(f"the database for free queries cannot be drawn: {failed}", "", "ask again")
        if not drawn:
            raise StoreError(
                f"the process that draws the database for free queries ended with code {process.returncode}",
                "a drawn database",
                "ask again; the signal SIGKILL (-9) can mean that the machine's memory was full",
            )
        return str(drawn)


class _Open(NamedTuple):
    """The processes for queries on one drawn database.

    Attributes:
        name: The name of the state that was current when it was opened.
        path: The database file; None for an empty graph in memory.
        queries: The processes.
    """

    name: str
    path: Path | None
    queries: "Queries"

    @property
    def there(self) -> bool:
        """Whether the file still exists."""
        return self.path is None or self.path.exists()


def name_of(folder: Folder, settings: Settings) -> str:
    """Return the name of the database for the current state of a graph, and for the constants of belief."""
    return sha256(f"{folder.version} {settings.syst} {settings.rand}".encode()).hexdigest()[:24]
