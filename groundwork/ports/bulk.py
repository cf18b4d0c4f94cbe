"""The port of importers: a first load into a stopped graph server, done by the server's own import tool."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

from groundwork.ports.progress import Progress
from groundwork.records import Release

if TYPE_CHECKING:
    import pyarrow as pa

#: A function that returns the batches; each call starts again with the first batch.
Batches: TypeAlias = "Callable[[], Iterable[pa.RecordBatch]]"


class BulkImport(Protocol):
    """The importer of one graph server. It creates a database from files while the server is stopped.

    After the server has been started again, `GraphWriter.complete_import` adds what an importer's input cannot express.
    """

    address: str

    def stopped(self) -> bool:
        """Return whether nothing listens at the server's address."""

    def runnable(self) -> bool:
        """Return whether the settings say how to run the importer. If not, the user must run a command that is printed.

        Raises:
            InputError: If the settings name the importer but not the folder of its server.
        """

    def check_absent(self) -> None:
        """Check that the database does not exist yet, as far as this machine can see.

        Raises:
            InputError: If the database exists; the importer would have to overwrite it.
        """

    def write(self, folder: Path, release: Release, concepts: Batches, edges: Batches) -> None:
        """Write the importer's input: files with the graph of one release.

        Args:
            folder: An empty folder.
            release: The release as the graph will store it.
            concepts: Batches with the schema `tables.CONCEPTS`, each key once.
            edges: Batches with the schema `tables.EDGES`, each edge once. Both ends of an edge are among the concepts.

        Raises:
            InputError: If a name contains every character that could separate the items of a list.
        """

    def command(self, folder: Path, *, overwrite: bool) -> tuple[str, ...]:
        """Return the command that imports the files that `write` wrote.

        Args:
            folder: The folder with these files. It may have been moved after `write`.
            overwrite: Whether to delete the database first if it exists.

        Raises:
            InputError: If the importer would not read the folder's path as one path, for example because of a comma.
        """

    def run(self, folder: Path, *, overwrite: bool, progress: Progress) -> None:
        """Run the importer and read its report. An interrupted import is started again.

        Raises:
            InputError: If the database exists and must not be overwritten.
            Refused: If the importer failed or left out rows. The message contains the reason or the rows.
            StoreBusy: If an importer that an earlier run started still works on this folder.
        """

    def done(self, folder: Path) -> bool:
        """Return whether `run` imported everything that is in the folder."""
