"""The audit of a release of relations: its content, its differences from the previous release, and its limits.

`census` and `movement` count from snapshots. The graph provides the order of the releases and the names of concepts.
"""

from pathlib import Path

import ibis

from groundwork.errors import InputError
from groundwork.ports import GraphReader, Progress, Silent
from groundwork.records import Release
from groundwork.settings import Settings
from ingest import live
from ingest.audit.audit_report import Audit, AuditReport, report, told
from ingest.audit.census import Census, collect, measure, take
from ingest.engine import Engine
from ingest.history import ANOTHER_HOME, chosen
from ingest.snapshot import RELATIONS, Snapshot, Snapshots
from ingest.workspace import workspace

_DEFAULT_SOURCE = "pubtator3"


def examine(
    id: str | None,
    graph: GraphReader,
    settings: Settings,
    *,
    against: str | None = None,
    top: int = 20,
    progress: Progress | None = None,
) -> Audit:
    """Audit a release of relations.

    Args:
        id: ID or SOURCE:ID; None for the live release of source pubtator3 or, if there is none, for the only live
            release.
        graph: Provides the order of the releases and the names of concepts.
        settings: HOME, which contains the snapshots; memory limit and threads.
        against: The release to compare with; None for the latest earlier release of the same source whose snapshot is
            under HOME, if there is one.
        top: Largest number of concepts in each list of the result.
        progress: Receives the progress; optional.

    Raises:
        InputError: If no release or several releases match, or HOME lacks the snapshot of the release.
        DamagedStore: If another program changed a snapshot.
    """
    watch = progress or Silent()
    releases = _Releases(graph, Snapshots(settings.home))
    snapshot = releases.find(id) if id is not None else releases.live()
    other = releases.find(against) if against is not None else releases.before(snapshot)
    with workspace(settings.home) as folder, Engine(settings, folder) as engine:
        watch.begin("auditing", 1 if other is None else 3, "steps")
        census = take(snapshot.checked(), engine, _new(folder / "after"))
        watch.advance(1)
        movement = None
        if other is not None:
            earlier = take(other.checked(), engine, _new(folder / "before"))
            watch.advance(1)
            movement = measure(earlier, census, top, engine, _new(folder / "movement"))
            watch.advance(1)
        hubs = _hubs(census, top, engine, folder / "hubs.parquet")
    compared = releases.told(other) if other is not None else None
    return report(releases.told(snapshot), compared, census, hubs, movement, graph)


class _Releases:
    """The releases of relations: their records in a graph, and their snapshots."""

    def __init__(self, graph: GraphReader, snapshots: Snapshots) -> None:
        self._address = graph.address
        self._known = [release for release in graph.releases() if release.kind == RELATIONS]
        self._snapshots = snapshots

    def find(self, name: str) -> Snapshot:
        """Return the snapshot named by ID or SOURCE:ID."""
        return chosen(name, self._snapshots.of_relations(), self._snapshots.home, ANOTHER_HOME)

    def live(self) -> Snapshot:
        """Return the snapshot of the live release of source pubtator3.

        If there is none, return the snapshot of the only live release.
        """
        alive = live.live(self._known)
        usual = [release for release in alive if release.source == _DEFAULT_SOURCE] or alive
        if len(usual) != 1:
            raise InputError(
                f"no release of {_DEFAULT_SOURCE} is live; {len(usual)} releases of other sources are live",
                "the name of the release to audit",
                "name it: truthhypo ingest audit ID; list the releases with: truthhypo ingest releases",
            )
        held = live.snapshot_of(usual[0], self._snapshots)
        if held is None:
            raise live.lacking(self._address, usual, self._snapshots)
        return held

    def before(self, snapshot: Snapshot) -> Snapshot | None:
        """Return the snapshot of the latest earlier release of the same source; None if there is none.

        Releases without a snapshot under HOME are skipped.
        """
        this = self._record(snapshot)
        if this is None:
            return None
        earlier = [release for release in self._known if release.source == this.source and release.order < this.order]
        earlier.sort(key=lambda release: release.order, reverse=True)
        return next((held for release in earlier if (held := live.snapshot_of(release, self._snapshots))), None)

    def told(self, snapshot: Snapshot) -> AuditReport:
        """Return the description of a release from its manifest and its record in the graph."""
        return told(snapshot.manifest, self._record(snapshot))

    def _record(self, snapshot: Snapshot) -> Release | None:
        said = snapshot.manifest
        this = said.source, said.release, said.sha256
        return next((one for one in self._known if (one.source, one.id, one.sha256) == this), None)


def _new(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _hubs(census: Census, top: int, engine: Engine, file: Path) -> list[tuple[str, int]]:
    highest = engine.table(census.degrees).order_by(ibis.desc("degree"), "key").limit(top)
    return [(row["key"], row["degree"]) for row in collect(highest, engine, file)]
