"""The port of importers: a first load into a graph server that is stopped, by the server's own tool."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

from groundwork.ports.progress import Progress
from groundwork.records import Release

if TYPE_CHECKING:
    import pyarrow as pa

#: Gives batches from the first one on, each time it is called.
Batches: TypeAlias = "Callable[[], Iterable[pa.RecordBatch]]"


class BulkImport(Protocol):
    """The importer of one graph server. It makes a database anew from files, and the server must not run meanwhile.

    What an importer's input cannot say, `GraphWriter.complete_import` adds once the server runs again.
    """

    address: str

    def stopped(self) -> bool:
        """Whether nothing listens at the server's address."""

    def runnable(self) -> bool:
        """Whether we were told how to run the importer; else a person runs its command.

        Raises:
            InputError: Half of what has to be told is missing.
        """

    def check_absent(self) -> None:
        """See that the database is not there yet, as far as it can be seen from here.

        Raises:
            InputError: It is; the importer would have to overwrite it.
        """

    def write(self, folder: Path, release: Release, concepts: Batches, edges: Batches) -> None:
        """Write the importer's input: a graph of one release.

        Args:
            folder: An empty folder.
            release: As the graph is to know it.
            concepts: `tables.CONCEPTS`, a key once.
            edges: `tables.EDGES`, an edge once, its ends among the concepts.

        Raises:
            InputError: A name holds every character that could part a list.
        """

    def command(self, folder: Path, *, overwrite: bool) -> tuple[str, ...]:
        """The command that imports what `write` wrote.

        Args:
            folder: Where that is now.
            overwrite: Delete the database first, if it is there.

        Raises:
            InputError: The importer would not take the folder's path for one path.
        """

    def run(self, folder: Path, *, overwrite: bool, progress: Progress) -> None:
        """Run the importer and read its report. An import that was cut off is begun anew.

        Raises:
            InputError: The database is there already.
            Refused: The importer failed, or left rows out; it says which.
            StoreBusy: An importer that an earlier run started is still at work on this folder.
        """

    def done(self, folder: Path) -> bool:
        """Whether `run` imported all that is in the folder."""
