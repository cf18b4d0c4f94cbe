"""Check that HOME and a graph are undamaged, and restore a store from the snapshots under HOME."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from groundwork import inventory
from groundwork.errors import InputError
from groundwork.manifest import Fault
from groundwork.ports import Graph, GraphReader, Literature, Progress
from groundwork.records import Release
from groundwork.settings import Settings
from groundwork.tables import digest
from groundwork.vocabulary import CONTRADICTS
from ingest import literature_sync, live
from ingest.change import Changer
from ingest.contradictions import CONTRADICTIONS
from ingest.engine import Engine, count, read
from ingest.merged import MergeCache
from ingest.pending import Pending
from ingest.pubmed import delivery
from ingest.receipt import Effect, Verification
from ingest.snapshot import Snapshots
from ingest.workspace import workspace

_ROWS = 50_000


def snapshot_faults(settings: Settings) -> list[Fault]:
    """Return the damaged files of all snapshots under HOME, and the missing snapshots of live releases.

    Each file is read to its end. If a record of what a store contains is damaged, the live releases are unknown, and no
    snapshot counts as missing. `note_faults` reports the damaged record.
    """
    snapshots = Snapshots(settings.home)
    damaged = any(inventory.faults(settings.home))
    noted = None if damaged else inventory.holdings(settings.home, settings.graph_address)
    gone = (snapshots.absent(one.source, one.id) for one in live.live(noted.releases if noted else ()))
    return [*snapshots.faults(), *(fault for fault in gone if fault)]


def derived_faults(settings: Settings) -> list[Fault]:
    """Return the damaged files of merged states (`MergeCache`), each read to its end. A load computes them again."""
    return list(MergeCache(settings.home).faults())


def note_faults(settings: Settings) -> list[Fault]:
    """Return the damaged files under HOME that record what stores contain, or what an interrupted load has to do."""
    pending = Pending(settings.home, settings.graph_address)
    return [*inventory.faults(settings.home), *delivery.numbered_faults(settings.home), *pending.faults()]


def note(graph: Graph, index: Literature, settings: Settings) -> None:
    """Record what the stores contain, if HOME does not contain these records or they are damaged."""
    for fault in inventory.faults(settings.home):
        fault.path.unlink(missing_ok=True)
    for store in (graph, index):
        if store.releases() and inventory.holdings(settings.home, store.address) is None:
            live.record_holdings(settings.home, store)


def differences(graph: GraphReader, settings: Settings) -> Iterator[str]:
    """Yield one text per difference between the edges and concepts of a graph and those of its live releases.

    All edges are read. Nothing is compared while a load is unfinished, or if HOME does not keep the merged state of the
    live releases (`MergeCache`).
    """
    releases, snapshots = graph.releases(), Snapshots(settings.home)
    known = live.live(releases)
    if not known or live.missing(known, snapshots) or any(release.state == "loading" for release in releases):
        return
    kept = MergeCache(settings.home).kept(live.standing(known, snapshots))
    if kept is None:
        return
    stats, wanted = graph.stats(anew=True), digest(read(kept.edges, _ROWS))
    if stats.digest != wanted:
        yield f"the digest of its edges is {stats.digest}, but that of its releases is {wanted}"
    if graph.stats() != stats:
        yield "its counts and digest differ from the cached ones"
    seen, concepts = sum(1 for _ in graph.every_concept()), count(kept.concepts)
    if seen != concepts:
        yield f"it contains {seen:,} concepts, but its releases contain {concepts:,}"


def lost_releases(releases: Iterable[Release], settings: Settings) -> dict[Release, tuple[str, ...]]:
    """Return the live releases whose snapshot is missing or damaged, with the files they were loaded from, if known."""
    snapshots = Snapshots(settings.home)
    lost = (one for one in live.live(releases) if not snapshots.undamaged(one.source, one.id))
    return {one: inventory.files_of(settings.home, one.source, one.id) for one in lost}


def restore_graph(graph: Graph, releases: Sequence[Release], settings: Settings, progress: Progress) -> Verification:
    """Fill an empty graph with the content of releases; see `Changer.restore`."""
    with workspace(settings.home) as folder, Engine(settings, folder) as engine:
        return Changer(graph, Snapshots(settings.home), settings, engine, folder, progress).restore(releases)


def restore_documents(index: Literature, releases: Sequence[Release], settings: Settings, progress: Progress) -> Effect:
    """Put the documents of the live releases into an empty index.

    Raises:
        InputError: If HOME lacks a snapshot.
        DamagedStore: If another program changed a snapshot.
    """
    documents = live.documents(releases)
    with workspace(settings.home) as folder, Engine(settings, folder) as engine:
        effect = literature_sync.put(index, documents, (), Snapshots(settings.home), engine, None, progress)
    return effect or Effect.of(index.info().documents, 0, 0, 0)


def lost_loads(graph: Graph, index: Literature, settings: Settings) -> dict[str, tuple[str, ...]]:
    """Return the files of loads without a snapshot whose content is no longer in the stores.

    Files of PubMed records are returned by `SOURCE:ID`, and files of contradictions by `contradictions`.
    """
    noted = inventory.holdings(settings.home, index.address)
    there = {f"{release.source}:{release.id}" for release in index.releases()}
    lost = {name: tuple(files) for name, files in (noted.files if noted else {}).items() if name not in there}
    noted = inventory.holdings(settings.home, graph.address)
    pairs = noted.files.get(CONTRADICTIONS, ()) if noted else ()
    if pairs and not any(CONTRADICTS in batch["kind"].to_pylist() for batch in graph.beside()):
        lost[CONTRADICTIONS] = tuple(pairs)
    return lost


def only_releases(settings: Settings) -> tuple[Release, ...]:
    """Return the releases of a HOME written by an earlier version, which did not record what the stores contain.

    Raises:
        InputError: If a source has several snapshots, because it is not known which of them is live.
    """
    found: dict[tuple[str, str], Release] = {}
    for snapshot in Snapshots(settings.home).every():
        said = snapshot.manifest
        role = said.source, said.similarity.model if said.similarity else ""
        if role in found:
            raise InputError(
                f"HOME has several snapshots of {said.source} and does not record which of them were live",
                "one snapshot of each source, or a HOME whose last load was done by this version",
                "remove the damaged folder and load the files again, in their order",
            )
        found[role] = Release(
            said.source,
            said.release,
            said.sha256,
            said.rows.read,
            said.rows.kept,
            said.rows.rejected,
            "live",
            datetime.now(UTC).isoformat(),
            order=1,
            similarity=said.similarity,
            kind=said.kind,
        )
    return tuple(found.values())
