"""A first load with the graph server's own importer: everything is prepared while the server is stopped.

The prepared data is stored like any other change in progress, together with the importer's input, so a run that is
killed is continued by the same command. When the server runs again, it contains the release as `loading`. Then any
load finds the change, verifies it and makes the release live (module `change`). Running the same command again has the
same effect: it computes the hashes of the files again, but does not parse the files.
"""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pyarrow as pa

from groundwork.errors import InputError, StoreBusy
from groundwork.ports import BulkImport, Graph, Progress, watched_rows
from groundwork.records import Release
from groundwork.settings import Settings
from groundwork.tables import CONCEPTS, EDGES
from ingest import live
from ingest.diff import CONCEPT_KEY, EDGE_KEY, SIMILARITY_KEY, Delta, difference
from ingest.engine import Engine, read, write
from ingest.merged import MergeCache
from ingest.pending import Pending, Plan
from ingest.receipt import Effects, Offline, Receipt, Rows, files_read
from ingest.release import SourceFiles
from ingest.snapshot import Snapshots
from ingest.state import Target

_INPUT = "import"


def check_stopped(bulk: BulkImport, graph: Graph) -> bool:
    """Return True if the server is stopped, so that data can be imported; False if it runs with an unfinished import.

    Raises:
        InputError: If the server runs and contains a graph that no unfinished import explains.
        StoreBusy: If the server runs, is empty, and must be stopped first.
    """
    if bulk.stopped():
        return True
    known = graph.releases()
    if any(release.state == "loading" for release in known):
        return False
    counts = graph.counts()
    if known or counts.concepts or counts.edges:
        raise InputError(
            f"--mode offline for {bulk.address}, which contains a graph already",
            "an empty database, because the importer creates it from scratch",
            "load with --mode online, which writes only the differences",
        )
    raise StoreBusy(
        f"the server at {bulk.address} is running, but its importer needs it to be stopped",
        "a stopped server",
        "stop the server, then run the same command again; or load with --mode online",
    )


def waiting(
    paths: Sequence[str | Path], source: str, graph: Graph, settings: Settings, progress: Progress
) -> tuple[Release, Receipt] | None:
    """Return the unfinished release that was imported from these files, and its receipt.

    The files are hashed but not parsed. Returns None if there is no such release, or if a file is a pipe, which can be
    read only once.
    """
    files = SourceFiles(paths)
    if any(file.piped for file in files):
        return None
    for file in files:
        file.skim(progress)
    for release in graph.releases():
        plan = Pending(settings.home, graph.address).find(release) if release.state == "loading" else None
        if plan is None or not plan.offline or plan.receipt is None:
            continue
        if (release.source, release.sha256) == (source, files.sha256):
            said = plan.receipt
            rows, reasons = Rows(**said["rows"]), said["rejected_by_reason"]
            receipt = Receipt(release.id, files_read(files), rows, reasons, said["rejects_file"], 0.0, source)
            return release, receipt
    return None


@dataclass(frozen=True, slots=True)
class Preparer:
    """Prepares first loads for an importer.

    Attributes:
        bulk: The importer.
        snapshots: The snapshots, including that of the release to load.
        settings: HOME and batch size.
        engine: Computes the state.
        folder: A folder of this run, under HOME.
        progress: Receives the progress.
        rebuild: Whether the importer may overwrite the database.
        dry_run: Whether to compute the effect only.
    """

    bulk: BulkImport
    snapshots: Snapshots
    settings: Settings
    engine: Engine
    folder: Path
    progress: Progress
    rebuild: bool = False
    dry_run: bool = False

    def prepare(self, release: Release, receipt: Receipt) -> tuple[Effects, Offline | None]:
        """Write the importer's input and, if the settings say how, run the importer.

        Args:
            release: The release, whose snapshot exists.
            receipt: The receipt of the release's files, which is kept until the load is finished.

        Returns:
            The effect on an empty graph, and what to do next (None in a dry run).

        Raises:
            InputError: If the database exists already.
            Refused: If the importer failed or left out rows.
        """
        runnable, pending = self.bulk.runnable(), Pending(self.settings.home, self.bulk.address)
        if self.dry_run:
            plan = self._plan(release, receipt)
            return plan.effects(), None
        with pending.alone():
            plan = self._kept(pending, release, receipt)
            place = plan.target.some.parent / _INPUT
            if runnable and not self.bulk.done(place):
                self.bulk.run(place, overwrite=self.rebuild, progress=self.progress)
        return plan.effects(), self._next(place)

    def _kept(self, pending: Pending, release: Release, receipt: Receipt) -> Plan:
        """Return the plan of an earlier run, or a new plan, which is then stored with the importer's input."""
        found = None if self.rebuild else pending.imported(release)
        if found is not None:
            return found
        if self.rebuild:
            pending.forget()
        else:
            self.bulk.check_absent()
        plan = self._plan(release, receipt)
        self.progress.begin("writing the importer's input", None, "rows")
        concepts, edges = (partial(self._batches, delta) for delta in (plan.concepts, plan.edges))
        self.bulk.write(self._new(f"plan/{_INPUT}"), plan.release, concepts, edges)
        return pending.keep(plan, self.folder / "plan")

    def _plan(self, release: Release, receipt: Receipt) -> Plan:
        """Return the plan that fills an empty graph with the content of this release."""
        release = replace(release, order=live.next_order(release.source, ()), state="loading")
        standing = live.standing([replace(release, state="live")], self.snapshots)
        wanted = MergeCache(self.settings.home).state(standing, self.engine, self._new("wanted"), keep=not self.dry_run)
        nothing = self._new("nothing")
        no_edges = write((), EDGES, nothing / "edges.parquet")
        no_concepts = write((), CONCEPTS, nothing / "concepts.parquet")
        edges = difference(no_edges, wanted.edges, EDGE_KEY, self.engine, self._new("plan/edges"))
        concepts = difference(no_concepts, wanted.concepts, CONCEPT_KEY, self.engine, self._new("plan/concepts"))
        similar, folder = wanted.similarities, self._new("plan/similarities")  # empty, as the graph has one release
        similarities = difference(similar, similar, SIMILARITY_KEY, self.engine, folder)
        target = Target.of(wanted, release.sha256, self.engine, self.folder / "plan")
        return Plan(release, (), edges, concepts, similarities, target, offline=True, receipt=receipt.to_dict())

    def _batches(self, delta: Delta) -> Iterator[pa.RecordBatch]:
        return watched_rows(read(delta.put, self.settings.batch_rows), self.progress)

    def _next(self, place: Path) -> Offline:
        start = (
            f"start the server at {self.bulk.address}, then run the same command again: it checks the graph and makes "
            "the release live"
        )
        if self.bulk.done(place):
            return Offline("imported", None, start)
        command = shlex.join(self.bulk.command(place, overwrite=self.rebuild))
        run = f"while the server is stopped, run as the server's user: {command}"
        return Offline("written", command, f"{run}\nThen {start}")

    def _new(self, name: str) -> Path:
        folder = self.folder / name
        folder.mkdir(parents=True)
        return folder
