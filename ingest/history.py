"""Earlier loads: list the releases, make an older one live again, and compare two."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import TypeVar

from groundwork.errors import InputError
from groundwork.inventory import labels
from groundwork.ports import Graph, Literature, Progress, Silent
from groundwork.records import Record, Release
from groundwork.settings import Settings
from ingest import live
from ingest.change import Changer, Shelf
from ingest.diff import EDGE_KEY, checked_target, difference, differing, save_changes
from ingest.engine import Engine
from ingest.receipt import Receipt
from ingest.snapshot import RELATIONS, SIMILARITY, Snapshots
from ingest.workspace import workspace

T = TypeVar("T")

ANOTHER_HOME = "; or give the folder that the release was loaded with (--home), or load its file again"


@dataclass(frozen=True, slots=True)
class Difference(Record):
    """The numbers of edges by which two releases of relations differ.

    Attributes:
        added: Number of edges only in the second release.
        changed: Number of edges with different PMIDs.
        removed: Number of edges only in the first release.
        out: Absolute path of the file that lists these edges; None if no file was requested.
    """

    added: int
    changed: int
    removed: int
    out: str | None


def releases(graph: Graph, literature: Literature) -> tuple[Release, ...]:
    """Return all releases that the stores know, sorted by source, then from the oldest load to the newest.

    A release of documents is recorded in both stores; the record in the graph is returned.
    """
    known = graph.releases()
    there = {(release.source, release.id) for release in known}
    others = [release for release in literature.releases() if (release.source, release.id) not in there]
    return tuple(sorted([*known, *others], key=lambda release: (release.source, release.order, release.id)))


def activate(
    id: str,
    graph: Graph,
    settings: Settings,
    *,
    literature: Shelf | None = None,
    rebuild: bool = False,
    progress: Progress | None = None,
) -> Receipt:
    """Make an older release of relations, or of similarity edges, live again.

    Args:
        id: ID, or SOURCE:ID if two sources share the ID.
        graph: The store, which knows the release.
        settings: HOME, which contains the snapshot of the release.
        literature: As in `load_relations`.
        rebuild: Whether to forget live releases whose snapshots HOME has lost.
        progress: Receives the progress; optional.

    Returns:
        The receipt: rows and files of the load that made the snapshot, and the effect of this change.

    Raises:
        InputError: If there is no such release, several match, HOME lacks its snapshot or the snapshot of another live
            release, or an interrupted load of documents cannot be finished without `literature`.
    """
    started, snapshots = monotonic(), Snapshots(settings.home)
    known = (one for one in graph.releases() if one.kind in {RELATIONS, SIMILARITY})
    release = chosen(id, {f"{release.source}:{release.id}": release for release in known}, settings.home)
    snapshot = live.snapshot_of(release, snapshots)
    if snapshot is None:
        raise live.lacking(graph.address, [release], snapshots)
    with workspace(settings.home) as folder, Engine(settings, folder) as engine:
        changer = Changer(graph, snapshots, settings, engine, folder, progress or Silent(), literature, rebuild)
        moment = datetime.now(UTC).isoformat()
        effects = changer.make_live(replace(release, loaded_at=moment))
    said = snapshot.manifest
    receipt = Receipt(said.release, said.files, said.rows, said.rejected_by_reason, None, 0.0, said.source)
    return receipt.completed(effects, monotonic() - started)


def compare(a: str, b: str, settings: Settings, out: str | Path | None = None) -> Difference:
    """Compare two releases of relations by their snapshots.

    Args:
        a: ID or SOURCE:ID of the first release.
        b: ID or SOURCE:ID of the second release.
        settings: HOME, which contains the snapshots of both releases.
        out: A .tsv or .parquet file for the edges that differ, with the columns of `diff.CHANGES`; None to write
            no file.

    Raises:
        InputError: If HOME lacks the snapshot of a release, several sources have the ID, or `out` is not a .tsv or
            .parquet file in an existing folder.
        DamagedStore: If another program changed a snapshot.
    """
    snapshots = Snapshots(settings.home)
    held = snapshots.of_relations()
    before, after = (chosen(name, held, settings.home, ANOTHER_HOME).checked() for name in (a, b))
    target = None if out is None else checked_target(Path(out))
    with workspace(settings.home) as folder, Engine(settings, folder) as engine:
        effect = difference(before, after, EDGE_KEY, engine, folder).effect
        if target is not None:
            rows = engine.write(differing(engine.table(before), engine.table(after)), folder / "differing")
            save_changes(rows, target)
    return Difference(effect.added, effect.changed, effect.removed, str(target) if target else None)


def chosen(name: str, candidates: Mapping[str, T], home: Path, elsewhere: str = "") -> T:
    """Return the candidate named by ID or SOURCE:ID.

    Args:
        name: ID or SOURCE:ID.
        candidates: The candidates by SOURCE:ID.
        home: The folder HOME, which knows the files of the candidates.
        elsewhere: Text that is added to the remedy of the error if there is no such candidate.

    Raises:
        InputError: There is no such candidate, or several sources have the ID.
    """
    found = [full for full in candidates if name in {full, full.partition(":")[2]}]
    if len(found) != 1:
        raise InputError(
            f"{'several relation releases are' if found else 'no relation release is'} named {name!r}",
            f"one of: {', '.join(labels(home, found or sorted(candidates))) or 'none is loaded yet'}",
            "name it as SOURCE:ID; list the releases with: truthhypo ingest releases" + ("" if found else elsewhere),
        )
    return candidates[found[0]]
