"""A first load with `neo4j-admin database import full`, while the server is stopped (`ports.BulkImport`)."""

import os
import shlex
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from cypher.bulk import csv_rows
from cypher.bulk import report as bulk_report
from cypher.bulk.csv_rows import CONCEPTS, EDGES, RELEASE, Shape
from cypher.lock import Lock
from groundwork.errors import InputError, Refused, StoreBusy
from groundwork.ports import Progress
from groundwork.ports.graph import Batches
from groundwork.records import Release
from groundwork.settings import Settings

_REPORT, _OUTPUT, _LOCK = "report.json", "output.txt", "lock"
#: Marker files beside the input. The first says that an import has started and may write the database. The second says
#: that the import is done.
_STARTED, _DONE = "started", "done"
_PORT, _SECONDS = 7687, 5.0
_BUFFER = 4 << 20  # bytes; the importer's own default. The buffer must hold the longest value.
_EXISTS = "already exist"
_TAIL = 12  # number of lines shown of a failed importer's output


class Neo4jImport:
    """The importer of a Neo4j server on this machine (`ports.BulkImport`).

    Args:
        address: Address of the server, which must be stopped.
        settings: `neo4j_admin`, the command; `neo4j_home`, the server's folder; `graph_database`, the name of the
            database; `syst` and `rand`, the constants of belief.
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
                "the setting neo4j_admin is given, but neo4j_home is not",
                "the folder of the server to import into, which contains conf and data",
                "set neo4j_home to that folder (NEO4J_HOME of the server)",
            )
        return bool(self.settings.neo4j_admin)

    def check_absent(self) -> None:
        """See `BulkImport.check_absent`."""
        if self.settings.neo4j_home and self._database.exists():
            raise self._exists_error()

    def write(self, folder: Path, release: Release, concepts: Batches, edges: Batches) -> None:
        """See `BulkImport.write`."""
        csv_rows.write(folder, release, concepts, edges, self.settings)

    def command(self, folder: Path, *, overwrite: bool) -> tuple[str, ...]:
        """See `BulkImport.command`. neo4j-admin requires the database's name before all options, and absolute paths."""
        place = folder.absolute()
        if "," in str(place):
            raise InputError(
                f"the folder {place} contains a comma", "a path without a comma", "choose another folder with --home"
            )
        shape = Shape.of(folder)
        options = [
            "--input-type=csv",
            f"--array-delimiter=U+{ord(shape.separator):04X}",
            f"--read-buffer-size={max(_BUFFER, 2 * shape.longest)}",
            "--path-pattern-style=none",
            "--strict=true",
            # Skipped rows are listed in the report; a database with a skipped row is rejected.
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
        with _lock_folder(folder) as lock:
            ours = (folder / _STARTED).exists() and self._database.exists()  # an import of ours was interrupted
            if not (overwrite or ours):
                self.check_absent()
            (folder / _STARTED).touch()
            command = self.command(folder, overwrite=overwrite or ours)
            (folder / _REPORT).unlink(missing_ok=True)
            progress.begin("importing with neo4j-admin", None, "rows")
            code = self._execute(command, folder / _OUTPUT, lock)
            output = (folder / _OUTPUT).read_text("utf-8", errors="replace")
            if code and _EXISTS in output:
                raise self._exists_error()
            if code:
                raise _failed_error(command, code, output, bulk_report.skipped(folder / _REPORT))
            bulk_report.account(folder / _REPORT, output, Shape.of(folder))
            (folder / _DONE).touch()

    def done(self, folder: Path) -> bool:
        """See `BulkImport.done`."""
        return (folder / _DONE).exists()

    def _execute(self, command: Sequence[str], output: Path, lock: int) -> int:
        """Run a command and return its exit code. The command inherits the lock, and holds it if this process dies."""
        home = Path(self.settings.neo4j_home).absolute()
        environment = {**os.environ, "NEO4J_HOME": str(home)}
        try:
            with output.open("wb") as said:
                process = subprocess.Popen(  # noqa: S603 - the user's own setting, split into words, never in a shell
                    command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, env=environment, pass_fds=[lock]
                )
        except OSError as error:
            raise InputError(
                f"{command[0]} cannot be run: {error.strerror}",
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
        """The folder of the database according to the server's configuration."""
        home = Path(self.settings.neo4j_home).absolute()
        data = "data"
        file = home / "conf" / "neo4j.conf"
        for line in file.read_text("utf-8").splitlines() if file.is_file() else []:
            name, _, value = line.partition("=")
            if name.strip() == "server.directories.data":
                data = value.strip()
        return home / data / "databases" / self.settings.graph_database

    def _exists_error(self) -> InputError:
        return InputError(
            f"the server of {self.address} already has a database {self.settings.graph_database} (even if it is empty; "
            "a server creates it at its first start)",
            "no such database, because the importer creates it",
            "load with --mode online; or add --rebuild, which deletes that database with all of its content",
        )


@contextmanager
def _lock_folder(folder: Path) -> Iterator[int]:
    """Lock a folder for one importer, and yield the lock's file descriptor."""
    try:
        lock = Lock(folder / _LOCK, shared=False)
    except StoreBusy as error:
        raise StoreBusy(
            f"an importer that an earlier run started is still working on {folder}",
            "one importer at a time",
            "wait until it has ended, then run the same command again",
        ) from error
    try:
        yield lock.descriptor
    finally:
        lock.release()


def _failed_error(command: Sequence[str], code: int, output: str, left_out: Sequence[str]) -> Refused:
    tail = "\n  ".join([*left_out[:_TAIL], *[line for line in output.splitlines() if line.strip()][-_TAIL:]])
    return Refused(
        f"the importer failed (exit code {code}):\n  {tail}",
        "a database imported from the files beside the importer's report",
        f"correct the reported problem, then run the same command again. The command was: {shlex.join(command)}",
    )
