"""Load relations, names or documents: read the files, make a snapshot, compare it with the live data, and apply it.

Nothing is changed before the files have been read to the end. If too many rows were rejected, the load ends there. If a
load is killed at any moment, running the same command again, or the next load, brings the store to the state of an
undisturbed run.
"""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Literal

from groundwork.ports import BulkImport, Graph, Literature, Progress, Silent
from groundwork.records import Release
from groundwork.settings import Settings
from ingest import kinds, live
from ingest.change import Changer, Shelf
from ingest.engine import Engine
from ingest.intake import Intake, Options, take_in
from ingest.offline import Preparer, check_stopped, waiting
from ingest.receipt import Effects, Receipt
from ingest.snapshot import CONCEPTS, DOCUMENTS, GENES, NAMES, RELATIONS, Snapshots, checked_source
from ingest.spark import SparkEngine
from ingest.workspace import workspace

Paths = Sequence[str | Path]

_THESAURI = {GENES: kinds.GENES, NAMES: kinds.ADDED_NAMES}


def load_relations(
    files: Paths,
    graph: Graph,
    settings: Settings,
    *,
    release: str | None = None,
    source: str = "pubtator3",
    literature: Shelf | None = None,
    max_rejects: int | None = None,
    dry_run: bool = False,
    rebuild: bool = False,
    progress: Progress | None = None,
    spark: bool = False,
    offline: BulkImport | None = None,
) -> Receipt:
    """Load a release of relations. It replaces the live release of its source.

    Args:
        files: Files in the format of relation2pubtator3, plain or .gz, or `-` for the standard input.
        graph: The graph store.
        settings: Settings with HOME, the batch size and the memory limit.
        release: ID of the release; by default the first 12 hex digits of the files' SHA-256.
        source: Name of the source of the relations. Each source has one live release.
        literature: Opens the literature store, which is needed if an interrupted load of documents must be finished
            first. Without it, a graph with such a load is refused.
        max_rejects: Number of rejected rows allowed; by default 1 % of the rows, at least 100.
        dry_run: Read, count and compare, but change nothing.
        rebuild: Forget live releases whose snapshots HOME has lost.
        progress: Is notified of the progress.
        spark: Normalise on Spark (module `ingest.spark`) instead of DuckDB.
        offline: The graph server's own importer, for a first load; see module `ingest.offline`. The importer needs the
            server to be stopped. A second call, with the server running, finishes the load.

    Returns:
        The receipt, with the effect on edges and concepts.

    Raises:
        InputError: A file, ID or source is not valid; the ID was used for files with other bytes; HOME lacks the
            snapshot of a live release; or an interrupted load of documents cannot be finished without `literature`.
        TooManyRejects: More rows were rejected than allowed; nothing was changed.
        StoreError: The store failed. Running the same command again finishes the load.
    """
    checked_source(source, RELATIONS)
    options = Options(release, max_rejects, dry_run, rebuild, progress or Silent(), spark, offline)
    return _load(source, kinds.RELATIONS, files, graph, literature, settings, options)


def load_concepts(
    files: Paths,
    graph: Graph,
    settings: Settings,
    *,
    release: str | None = None,
    literature: Shelf | None = None,
    max_rejects: int | None = None,
    dry_run: bool = False,
    rebuild: bool = False,
    progress: Progress | None = None,
) -> Receipt:
    """Load a release of names of concepts. For the entity types in its files, it replaces earlier releases of names.

    Arguments and errors are those of `load_relations`. The files have the format of bioconcepts2pubtator3, or of the
    files for single entity types.
    """
    options = Options(release, max_rejects, dry_run, rebuild, progress or Silent())
    return _load(CONCEPTS, kinds.NAMES, files, graph, literature, settings, options)


def load_thesaurus(
    files: Paths,
    graph: Graph,
    settings: Settings,
    *,
    kind: Literal["genes", "names"],
    release: str | None = None,
    literature: Shelf | None = None,
    max_rejects: int | None = None,
    dry_run: bool = False,
    rebuild: bool = False,
    progress: Progress | None = None,
) -> Receipt:
    """Load names that are added to the concepts in the graph, also to those of later loads; see `ingest.thesauri`.

    A release of `genes` replaces the genes of its organisms; one of `names` replaces nothing. The other arguments and
    the errors are those of `load_relations`.
    """
    options = Options(release, max_rejects, dry_run, rebuild, progress or Silent())
    return _load(kind, _THESAURI[kind], files, graph, literature, settings, options)


def load_documents(
    files: Paths,
    graph: Graph,
    literature: Literature,
    settings: Settings,
    *,
    release: str | None = None,
    source: str = DOCUMENTS,
    max_rejects: int | None = None,
    dry_run: bool = False,
    rebuild: bool = False,
    progress: Progress | None = None,
) -> Receipt:
    """Load annotated documents: relations and names into the graph, text into the literature.

    A document replaces an earlier document with the same PMID and source. Documents of different sources are joined:
    relations and annotations are those of all sources, and the text is that of the first source by name that has one.
    Arguments and errors are those of `load_relations`. The files have the format of PubTator or BioC-JSON.
    """
    checked_source(source, DOCUMENTS)
    options = Options(release, max_rejects, dry_run, rebuild, progress or Silent())
    literature.releases()  # reports an unreachable index before the files are read
    return _load(source, kinds.DOCUMENTS, files, graph, lambda: literature, settings, options)


def _load(
    source: str,
    kind: kinds.Kind,
    files: Paths,
    graph: Graph,
    literature: Shelf | None,
    settings: Settings,
    options: Options,
) -> Receipt:
    """Read the files, make a snapshot of them, and make the snapshot live in the graph."""
    stopped = options.offline is not None and check_stopped(options.offline, graph)
    if options.offline is not None and not (stopped or options.dry_run or options.rebuild):
        finished = _finished(source, files, graph, literature, settings, options)
        if finished is not None:
            return finished
    if not stopped:
        live.check_kind(source, kind.name, graph.releases(), settings.home)  # also reports an unreachable store early
        if not options.dry_run:
            graph.check_idle()  # reports a store that another load holds
    with (
        workspace(settings.home) as folder,
        Engine(settings, folder) as engine,
        SparkEngine(settings, folder) if options.spark else nullcontext(engine) as normaliser,
    ):
        taken = take_in(source, files, kind.reader(folder), kind.schema, settings, options, folder)
        release, snapshots = _release(taken, kind), Snapshots(settings.home)
        if not stopped:
            live.check_bytes(release, graph.releases(), settings.home)
        manifest, table = kind.snapshot(taken, engine, normaliser, folder / "snapshot")
        taken = replace(taken, receipt=replace(taken.receipt, rows=manifest.rows))
        (snapshots.lend if options.dry_run else snapshots.save)(manifest, table)
        if stopped and options.offline is not None:
            preparer = Preparer(
                options.offline, snapshots, settings, engine, folder, options.progress, options.rebuild, options.dry_run
            )
            effects, offline = preparer.prepare(release, taken.receipt)
            return replace(_receipt(taken, effects), offline=offline)
        changer = Changer(
            graph, snapshots, settings, engine, folder, options.progress, literature, options.rebuild, options.dry_run
        )
        return _receipt(taken, changer.make_live(release))


def _finished(
    source: str, files: Paths, graph: Graph, literature: Shelf | None, settings: Settings, options: Options
) -> Receipt | None:
    """Finish the load of files that the importer has imported already.

    Return None if these files were not imported, or if the release was imported under another ID than the one given.
    """
    started = monotonic()
    found = waiting(files, source, graph, settings, options.progress)
    if found is None or options.release not in {None, found[0].id}:
        return None
    release, receipt = found
    with workspace(settings.home) as folder, Engine(settings, folder) as engine:
        snapshots = Snapshots(settings.home)
        effects = Changer(graph, snapshots, settings, engine, folder, options.progress, literature).make_live(release)
    return receipt.completed(effects, monotonic() - started)


def _receipt(taken: Intake, effects: Effects) -> Receipt:
    """Return the receipt, completed with the effects."""
    counts = taken.counts
    annotations = {"kept": counts.annotations, "unnormalised": counts.unnormalised, **counts.problems}
    told = replace(taken.receipt, annotations=annotations if effects.documents is not None else None)
    return told.completed(effects, monotonic() - taken.started)


def _release(taken: Intake, kind: kinds.Kind) -> Release:
    """Return the release as the store will record it. `order` is determined later, while the load holds the store."""
    rows = taken.receipt.rows
    return Release(
        source=taken.receipt.source,
        id=taken.receipt.release,
        sha256=taken.sha256,
        rows=rows.read,
        kept=rows.kept,
        rejected=rows.rejected,
        state="loading",
        loaded_at=datetime.now(UTC).isoformat(),
        kind=kind.name,
    )
