"""Loads of similarity edges: the file that a build made becomes a snapshot, and that is made live as all others are.

A set replaces the live set of its model. Which of its edges the graph has follows from the live releases alone: those
whose two concepts are there.
"""

from datetime import UTC, datetime
from pathlib import Path
from time import monotonic

from groundwork import similarity_file
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

#: Rounding of a cosine beyond 1.
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
    """Load the similarity edges of one model; they replace the live set of that model, which may leave none.

    Args:
        file: As `groundwork.similarity_file` writes it.
        graph: The store.
        settings: HOME, batch size, memory limit.
        release: ID; default the first 12 hex digits of the file's SHA-256.
        literature: As for `load_relations`, as are the following.
        dry_run: Compare; change nothing.
        rebuild: Forget live releases whose snapshots HOME has lost.
        progress: Who watches.

    Raises:
        InputError: A file of something else, or with edges twice, out of order or without a cosine; and as
            `load_relations`.
        StoreError: The store failed; the same command again finishes the load.
    """
    started, watch = monotonic(), progress or Silent()
    made, source = similarity_file.made(file), SourceFile(file.name, at=file)
    source.skim(watch)
    new = _release(release, source, count(file), made)
    graph.releases()  # a store that cannot be reached is told before anything is worked out
    if not dry_run:
        graph.check_idle()
    with workspace(settings.home) as folder, Engine(settings, folder) as engine:
        snapshots = Snapshots(settings.home)
        live.check_bytes(new, graph.releases())
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
    """The release as a store will know it."""
    name = source.sha256[:ID_DIGITS] if id is None else checked_name("release ID", id)
    moment = datetime.now(UTC).isoformat()
    return Release(SIMILARITY, name, source.sha256, rows, rows, 0, "loading", moment, similarity=made)


def _ordered(file: Path, made: SimilaritySet, engine: Engine, folder: Path) -> Path:
    """The edges by model and ends, in a folder of their own.

    Raises:
        InputError: They are not what a build makes.
    """
    edges = engine.table(file)
    cosine, names = edges["cosine"], SIMILARITY_KEYS.names
    wrong = (edges["head"] >= edges["tail"]) | (edges["model"] != made.model) | ~(cosine.abs() <= 1 + _ROUNDING)
    first = edges.filter(wrong).limit(1).to_pyarrow().to_pylist()
    if first or edges.select(*names).distinct().count().to_pyarrow().as_py() != count(file):
        raise InputError(
            f"{file}: {first[0] if first else 'an edge that stands there twice'}",
            f"edges of {made.model}, each once, head < tail, with a cosine in [-1, 1]",
            "make the file anew",
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
