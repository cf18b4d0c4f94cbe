"""A first load through `neo4j-admin database import full`, while the server is stopped (`ports.BulkImport`)."""

import os
import shlex
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from cypher.bulk import report as bulk_report
from cypher.bulk import rows as bulk_rows
from cypher.bulk.rows import CONCEPTS, EDGES, RELEASE, Shape
from cypher.lock import Lock
from groundwork.errors import InputError, Refused, StoreBusy
from groundwork.ports import Progress
from groundwork.ports.bulk import Batches
from groundwork.records import Release
from groundwork.settings import Settings

_REPORT, _OUTPUT, _LOCK = "report.json", "output.txt", "lock"
#: Marks beside the input: the database was not there, or to be overwritten, and an import has begun; it is done.
_STARTED, _DONE = "started", "done"
_PORT, _SECONDS = 7687, 5.0
_BUFFER = 4 << 20  # bytes; the importer's own, which must hold the longest value
_EXISTS = "already exist"
_TAIL = 12  # lines of a failed importer's output that are shown


class Neo4jImport:
    """The importer of a Neo4j server on this machine (`ports.BulkImport`).

    Args:
        address: The server's, where nothing should answer.
        settings: `neo4j_admin`, the command; `neo4j_home`, the server's folder; the database; the constants of belief.
    """

    def __init__(self, address: str, settings: Settings) -> None:
        self.address, self.settings = address, settings

    def stopped(self) -> bool:
        """See `BulkImport.stopped`."""
        parts = urlsplit(self.address)
        try:
            with socket.create_connection((parts.hostname or "localhost", parts.port or _PORT), _SECONDS):
                return False
        except OSError:
            return True

    def runnable(self) -> bool:
        """See `BulkImport.runnable`."""
        if self.settings.neo4j_admin and not self.settings.neo4j_home:
            raise InputError(
                "the setting neo4j_admin without neo4j_home",
                "the folder of the server that is imported into, which has conf and data",
                "set neo4j_home too (NEO4J_HOME of that server)",
            )
        return bool(self.settings.neo4j_admin)

    def check_absent(self) -> None:
        """See `BulkImport.check_absent`."""
        if self.settings.neo4j_home and self._database.exists():
            raise self._exists()

    def write(self, folder: Path, release: Release, concepts: Batches, edges: Batches) -> None:
        """See `BulkImport.write`."""
        bulk_rows.write(folder, release, concepts, edges, self.settings)

    def command(self, folder: Path, *, overwrite: bool) -> tuple[str, ...]:
        """See `BulkImport.command`. The database's name comes first, and paths are absolute: the tool wants it so."""
        place = folder.absolute()
        if "," in str(place):
            raise InputError(
                f"the folder {place} has a comma", "a path without, for the importer", "choose another --home"
            )
        shape = Shape.of(folder)
        options = [
            "--input-type=csv",
            f"--array-delimiter=U+{ord(shape.parter):04X}",
            f"--read-buffer-size={max(_BUFFER, 2 * shape.longest)}",
            "--path-pattern-style=none",
            "--strict=true",
            # What is skipped is told in the report, row by row; we take no database of which a row was skipped.
            "--skip-bad-relationships=true",
            "--skip-duplicate-nodes=true",
            f"--bad-tolerance={bulk_report.TOLERATED}",
            f"--report-file={place / _REPORT}",
            f"--nodes={place / CONCEPTS}",
            f"--nodes={place / RELEASE}",
        ]
        options += [f"--relationships={place / EDGES}"] if shape.relationships else []
        options += ["--multiline-fields=true", "--multiline-fields-format=v1"] if shape.multiline else []
        options += ["--overwrite-destination=true"] if overwrite else []
        admin = shlex.split(self.settings.neo4j_admin or "neo4j-admin")
        return (*admin, "database", "import", "full", self.settings.graph_database, *options)

    def run(self, folder: Path, *, overwrite: bool, progress: Progress) -> None:
        """See `BulkImport.run`."""
        with _alone(folder) as lock:
            ours = (folder / _STARTED).exists() and self._database.exists()  # cut off half-way, by us
            if not (overwrite or ours):
                self.check_absent()
            (folder / _STARTED).touch()
            command = self.command(folder, overwrite=overwrite or ours)
            (folder / _REPORT).unlink(missing_ok=True)
            progress.begin("importing (neo4j-admin)", None, "rows")
            code = self._execute(command, folder / _OUTPUT, lock)
            output = (folder / _OUTPUT).read_text("utf-8", errors="replace")
            if code and _EXISTS in output:
                raise self._exists()
            if code:
                raise _failed(command, code, output, bulk_report.skipped(folder / _REPORT))
            bulk_report.account(folder / _REPORT, output, Shape.of(folder))
            (folder / _DONE).touch()

    def done(self, folder: Path) -> bool:
        """See `BulkImport.done`."""
        return (folder / _DONE).exists()

    def _execute(self, command: Sequence[str], output: Path, lock: int) -> int:
        """Run a command to its end; its exit code. It inherits the lock, so that it holds it should it outlive us."""
        home = Path(self.settings.neo4j_home).absolute()
        environment = {**os.environ, "NEO4J_HOME": str(home)}
        try:
            with output.open("wb") as said:
                process = subprocess.Popen(  # noqa: S603 - the user's own setting, split into words, never in a shell
                    command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, env=environment, pass_fds=[lock]
                )
        except OSError as error:
            raise InputError(
                f"cannot run {command[0]}: {error.strerror}",
                "the command that starts neo4j-admin",
                "correct the setting neo4j_admin",
            ) from error
        try:
            return process.wait()
        except BaseException:
            process.kill()
            process.wait()
            raise

    @property
    def _database(self) -> Path:
        """The folder of the database, as the server's configuration has it."""
        home = Path(self.settings.neo4j_home).absolute()
        data = "data"
        file = home / "conf" / "neo4j.conf"
        for line in file.read_text("utf-8").splitlines() if file.is_file() else []:
            name, _, value = line.partition("=")
            if name.strip() == "server.directories.data":
                data = value.strip()
        return home / data / "databases" / self.settings.graph_database

    def _exists(self) -> InputError:
        return InputError(
            f"the server of {self.address} has a database {self.settings.graph_database} already (an empty one too, "
            "once it was started)",
            "none: the importer makes it anew",
            "load with --mode online; or let --rebuild delete that database with all it holds",
        )


@contextmanager
def _alone(folder: Path) -> Iterator[int]:
    """The folder held for one importer; the lock's descriptor."""
    try:
        lock = Lock(folder / _LOCK, shared=False)
    except StoreBusy as error:
        raise StoreBusy(
            f"an importer that an earlier run started is still at work on {folder}",
            "one at a time",
            "wait for it to end, then run the same command again",
        ) from error
    try:
        yield lock.descriptor
    finally:
        lock.release()


def _failed(command: Sequence[str], code: int, output: str, left_out: Sequence[str]) -> Refused:
    tail = "\n  ".join([*left_out[:_TAIL], *[line for line in output.splitlines() if line.strip()][-_TAIL:]])
    return Refused(
        f"the importer failed (exit code {code}):\n  {tail}",
        "a database imported from the files beside its report",
        f"mend what it names, then run the same command again. It was: {shlex.join(command)}",
    )
