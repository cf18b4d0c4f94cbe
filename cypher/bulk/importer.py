"""A first load with `neo4j-admin database import full`, while the server is stopped (`ports.BulkImport`)."""

import json
import os
import re
import shlex
import socket
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv

from cypher import schema
from cypher.browser_files import article_urls, caption, url
from cypher.lock import Lock
from cypher.names import forms_of
from cypher.rows import concepts_of
from groundwork.errors import InputError, Refused, StoreBusy
from groundwork.ports import Progress
from groundwork.ports.graph import Batches
from groundwork.records import Release
from groundwork.settings import Settings
from groundwork.vocabulary import VARIANTS

CONCEPTS, EDGES, RELEASE, SHAPE = "concepts.csv", "edges.csv", "release.csv", "input.json"

#: Possible separators of list items: control characters for this purpose, then private-use characters.
_SEPARATORS = ("\x1f", "\x1e", "\x1d", "\x1c", *map(chr, range(0xE000, 0xE010)))
_KINDS = {int: "long", str: "string"}


@dataclass(frozen=True, slots=True)
class Shape:
    """The properties of the input that the importer needs, and the expected result.

    Attributes:
        separator: The separator of list items.
        multiline: Whether a value contains a line end.
        longest: UTF-8 bytes of the longest value.
        nodes: Number of rows of concepts, plus one for the release.
        relationships: Number of rows of edges.
    """

    separator: str
    multiline: bool
    longest: int
    nodes: int
    relationships: int

    @classmethod
    def of(cls, folder: Path) -> "Shape":
        """Return the shape of the input in a folder."""
        return cls(**json.loads((folder / SHAPE).read_text("utf-8")))


class _PartedError(Exception):
    """A value contains the separator."""


def write(folder: Path, release: Release, concepts: Batches, edges: Batches, settings: Settings) -> None:
    """Write the input; see `BulkImport.write`."""
    for separator in _SEPARATORS:
        with suppress(_PartedError):
            nodes = _Values(_concept_columns(concepts(), separator))
            _save(nodes, folder / CONCEPTS)
            links = _Values(_edge_columns(edges(), separator, release, settings))
            _save(links, folder / EDGES)
            break
    else:
        raise InputError(
            "the names of a concept contain every character that could separate them", "names as in PubTator's releases"
        )
    _save([_release_columns(release)], folder / RELEASE)
    longest = max(nodes.longest, links.longest)
    shape = Shape(separator, nodes.multiline, longest, nodes.rows + 1, links.rows)
    (folder / SHAPE).write_text(json.dumps(asdict(shape)), "utf-8")


class _Values:
    """Passes tables on, and measures them: number of rows, longest value, and whether a value has several lines."""

    def __init__(self, tables: Iterable[pa.Table]) -> None:
        self._tables = tables
        self.rows, self.longest, self.multiline = 0, 0, False

    def __iter__(self) -> Iterator[pa.Table]:
        for table in self._tables:
            texts = [column for column in table.columns if pa.types.is_string(column.type)]
            self.rows += table.num_rows
            self.longest = max([self.longest, *(pc.max(pc.binary_length(text)).as_py() or 0 for text in texts)])
            self.multiline |= any(pc.any(pc.match_substring_regex(text, "[\r\n]")).as_py() for text in texts)
            yield table


def _concept_columns(batches: Iterable[pa.RecordBatch], separator: str) -> Iterator[pa.Table]:
    """Yield the columns of concepts, with the values of `bolt.parameter_rows.concept_row`.

    CSV cannot express empty lists; `BoltWriter.complete_import` adds them after the import.
    """
    for batch in batches:
        rows = schema.concept_rows(pa.Table.from_batches([batch]))
        concepts = list(concepts_of([batch]))
        forms = pa.array([sorted(forms_of(concept)) for concept in concepts], pa.list_(pa.string()))
        kinds = rows["type"].to_pylist()
        labels = [
            separator.join(("Concept", kind, "Variant") if kind in VARIANTS else ("Concept", kind)) for kind in kinds
        ]
        columns = {
            "key:ID": rows["key"],
            "id:string": rows["id"],
            "type:string": rows["type"],
            "name:string": rows["name"],
            "synonyms:string[]": _join_lists(rows["synonyms"], separator),
            "counts:long[]": _join_lists(rows["counts"], separator),
            "mentions:long": rows["mentions"],
            "organism:string": rows["organism"],
            "description:string": rows["description"],
            "forms:string[]": _join_lists(pa.chunked_array([forms]), separator),
            "caption:string": pa.array(map(caption, concepts), pa.string()),
            "url:string": pa.array(map(url, concepts), pa.string()),
            ":LABEL": pa.array(labels, pa.string()),
        }
        yield pa.table(columns)


def _edge_columns(
    batches: Iterable[pa.RecordBatch], separator: str, release: Release, settings: Settings
) -> Iterator[pa.Table]:
    """Yield the columns of edges, as `bolt.edges` writes them."""
    for batch in batches:
        rows = schema.edge_rows(pa.Table.from_batches([batch]), [release.id] * batch.num_rows, settings)
        columns = {
            ":START_ID": rows["from"],
            ":END_ID": rows["to"],
            ":TYPE": pc.utf8_upper(batch["relation"]),
            "pmids:long[]": _join_lists(rows["pmids"], separator),
            "articles:long": rows["articles"],
            "first_pmid:long": rows["first_pmid"],
            "last_pmid:long": rows["last_pmid"],
            "belief:double": rows["belief"],
            "changed_in:string": rows["changed_in"],
            "url:string": article_urls(rows["pmids"].combine_chunks()),
        }
        yield pa.table(columns)


def _release_columns(release: Release) -> pa.Table:
    columns = {f"{name}:{_KINDS[type(value)]}": [value] for name, value in release.flat.items()}
    return pa.table({**columns, ":LABEL": ["Release"]})


def _join_lists(lists: pa.ChunkedArray, separator: str) -> pa.ChunkedArray:
    """Return each list as one text, in which `separator` separates the items."""
    if pa.types.is_string(lists.type.value_type):
        items = pc.list_flatten(lists)
        if pc.any(pc.match_substring(items, separator)).as_py():
            raise _PartedError
    return pc.binary_join(lists.cast(pa.list_(pa.string())), separator)


def _save(tables: Iterable[pa.Table], file: Path) -> None:
    """Write tables as one CSV file with a header; texts are quoted as in RFC 4180."""
    writer: csv.CSVWriter | None = None
    for table in tables:
        writer = writer or csv.CSVWriter(file, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


#: Number of rows that may be left out before the importer stops. `account` rejects an import that left out any row.
TOLERATED = 1000
_LISTED = 10
_COUNTED = re.compile(r"^\s*(\d+) (nodes|relationships)\b", re.MULTILINE)


def skipped(report: Path) -> list[str]:
    """Return the problem of each row that was left out, from the importer's report (one JSON object per line)."""
    if not report.exists():
        return []
    return [_problem(line) for line in report.read_text("utf-8", errors="replace").splitlines() if line.strip()]


def account(report: Path, output: str, shape: Shape) -> None:
    """Check that every row of the input is in the database.

    Args:
        report: The importer's report file.
        output: The importer's output.
        shape: The description of the input.

    Raises:
        Refused: If rows were left out, or the number of imported rows differs from the input.
    """
    left_out = skipped(report)
    if left_out:
        more = [f"and {len(left_out) - _LISTED} more"] if len(left_out) > _LISTED else []
        raise Refused(
            f"the importer left out {len(left_out)} rows (report: {report}):\n  "
            + "\n  ".join([*left_out[:_LISTED], *more]),
            "every row imported",
            "this is an error in the files that truthhypo wrote; load with --mode online, and report the error",
        )
    taken = {what: int(number) for number, what in _COUNTED.findall(output)}
    for what, given in (("nodes", shape.nodes), ("relationships", shape.relationships)):
        if what in taken and taken[what] != given:
            raise Refused(
                f"the importer imported {taken[what]} of {given} {what}",
                "every row imported",
                "run the same command again with --rebuild",
            )


def _problem(line: str) -> str:
    try:
        said = json.loads(line)
        return f"{said['problem']}: {said['message']}".replace("\n", " ")
    except (ValueError, KeyError, TypeError):
        return line.strip()


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
        write(folder, release, concepts, edges, self.settings)

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
            f"--bad-tolerance={TOLERATED}",
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
                raise _failed_error(command, code, output, skipped(folder / _REPORT))
            account(folder / _REPORT, output, Shape.of(folder))
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
