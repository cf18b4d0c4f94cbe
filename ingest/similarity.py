"""Load similarity edges: the file that `truthhypo ingest similarity` made becomes a snapshot, which is made live.

A set of similarity edges replaces the live set of its model. An edge of the set is in the graph if both of its concepts
are in the graph. So the similarity edges of a graph follow from its live releases alone.
"""

from datetime import UTC, datetime
from pathlib import Path
from time import monotonic

from groundwork import tables
from groundwork.errors import InputError
from groundwork.ports import Graph, Progress, Silent
from groundwork.records import Release, SimilaritySet
from groundwork.settings import Settings
from groundwork.tables import SIMILARITIES, SIMILARITY_KEYS
from ingest import live
from ingest.change import Changer, Shelf
from ingest.engine import Engine, count
from ingest.intake import ID_DIGITS
from ingest.normalise import RULES
from ingest.receipt import FileRead, Receipt, Rows
from ingest.release import SourceFile
from ingest.snapshot import SIMILARITY, Manifest, Snapshots, checked_name, measured, table_name
from ingest.workspace import workspace

#: Allowed rounding error of a cosine beyond 1.
_ROUNDING = 1e-9


def load_similarities(
    file: Path,
    graph: Graph,
    settings: Settings,
    *,
    release: str | None = None,
    literature: Shelf | None = None,
    dry_run: bool = False,
    rebuild: bool = False,
    progress: Progress | None = None,
) -> Receipt:
    """Load the similarity edges of one model; they replace the live set of that model. The set may be empty.

    Args:
        file: A file written by `groundwork.tables`.
        graph: The store.
        settings: HOME, batch size, memory limit.
        release: ID; by default the first 12 hexadecimal digits of the file's SHA-256.
        literature: As in `load_relations`.
        dry_run: Whether to compare only, without changes.
        rebuild: Whether to forget live releases whose snapshots HOME has lost.
        progress: Receives the progress; optional.

    Raises:
        InputError: If the file is not a file of similarity edges, or an edge is repeated, has head and tail in the
            wrong order, or has no valid cosine; also as in `load_relations`.
        StoreError: If the store failed; run the same command again to finish the load.
    """
    started, watch = monotonic(), progress or Silent()
    made, source = tables.similarity_set(file), SourceFile(file.name, at=file)
    source.skim(watch)
    new = _release(release, source, count(file), made)
    graph.releases()  # an unreachable store is reported before anything is computed
    if not dry_run:
        graph.check_idle()
    with workspace(settings.home) as folder, Engine(settings, folder) as engine:
        snapshots = Snapshots(settings.home)
        live.check_bytes(new, graph.releases(), settings.home)
        table = _ordered(file, made, engine, folder / "snapshot")
        manifest = _manifest(new, source, table)
        (snapshots.lend if dry_run else snapshots.save)(manifest, table)
        changer = Changer(graph, snapshots, settings, engine, folder, watch, literature, rebuild, dry_run)
        effects = changer.make_live(new)
    return Receipt(
        new.id, manifest.files, manifest.rows, {}, None, monotonic() - started, SIMILARITY, dry_run,
        edges=effects.edges, concepts=effects.concepts, similarities=effects.similarities, verified=effects.verified,
    )  # fmt: skip


def _release(id: str | None, source: SourceFile, rows: int, made: SimilaritySet) -> Release:
    """Return the record of the release for the store."""
    name = source.sha256[:ID_DIGITS] if id is None else checked_name("release ID", id)
    moment = datetime.now(UTC).isoformat()
    return Release(SIMILARITY, name, source.sha256, rows, rows, 0, "loading", moment, similarity=made)


def _ordered(file: Path, made: SimilaritySet, engine: Engine, folder: Path) -> Path:
    """Write the edges, sorted by model, head and tail, into a new folder, and return the path of the file.

    Raises:
        InputError: If an edge is of another model, is repeated, or does not have head < tail and a cosine in [-1, 1].
    """
    edges = engine.table(file)
    cosine, names = edges["cosine"], SIMILARITY_KEYS.names
    wrong = (edges["head"] >= edges["tail"]) | (edges["model"] != made.model) | ~(cosine.abs() <= 1 + _ROUNDING)
    first = edges.filter(wrong).limit(1).to_pyarrow().to_pylist()
    if first or edges.select(*names).distinct().count().to_pyarrow().as_py() != count(file):
        raise InputError(
            f"{file} contains {first[0] if first else 'an edge twice'}",
            f"edges of {made.model}, each once, head < tail, with a cosine in [-1, 1]",
            "make the file again with `truthhypo ingest similarity`",
        )
    folder.mkdir()
    return engine.write(edges.select(*SIMILARITIES.names).order_by(*names), folder / table_name(SIMILARITY))


def _manifest(release: Release, source: SourceFile, table: Path) -> Manifest:
    return Manifest(
        source=SIMILARITY,
        release=release.id,
        sha256=release.sha256,
        files=(FileRead(source.path, source.bytes, source.sha256),),
        rows=Rows(release.rows, release.kept, release.rejected),
        rejected_by_reason={},
        types=(),
        rules=RULES,
        table=measured(table),
        similarity=release.similarity,
    )
