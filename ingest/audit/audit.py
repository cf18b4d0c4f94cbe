"""The audit of a release of relations: what it holds, how it differs from the one before, and whether that is sound.

The counting is done by `census` and `movement`, from snapshots; the graph says which releases were live when, and
what the concepts are called.
"""

from pathlib import Path

import ibis

from groundwork.errors import InputError
from groundwork.ports import GraphReader, Progress, Silent
from groundwork.records import Release
from groundwork.settings import Settings
from ingest import live
from ingest.audit.census import Census, collect, take
from ingest.audit.limits import Limits
from ingest.audit.movement import measure
from ingest.audit.report import Audit, AuditReport, report, told
from ingest.engine import Engine
from ingest.snapshot import RESERVED, Snapshot, Snapshots
from ingest.workspace import workspace

_DEFAULT_SOURCE = "pubtator3"


def examine(
    id: str | None,
    graph: GraphReader,
    settings: Settings,
    *,
    against: str | None = None,
    limits: Limits | None = None,
    top: int = 20,
    progress: Progress | None = None,
) -> Audit:
    """Audit a release of relations.

    Args:
        id: ID or SOURCE:ID; None: the live release of pubtator3, or the only live one.
        graph: Knows the releases' order and the concepts' names.
        settings: HOME, which has the snapshots; memory and threads of the work.
        against: The release to compare with; None: the one of the same source that was loaded or activated before
            it, if HOME has one.
        limits: What may pass; None: the defaults.
        top: How many concepts to list of each sort.
        progress: Who watches.

    Raises:
        InputError: No such release, several, or HOME lacks its snapshot.
        DamagedStore: A snapshot was changed from outside.
    """
    watch, chosen = progress or Silent(), limits or Limits()
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
    return report(releases.told(snapshot), compared, census, hubs, movement, chosen, graph)


class _Releases:
    """The releases of relations: what a graph says of them, and their snapshots."""

    def __init__(self, graph: GraphReader, snapshots: Snapshots) -> None:
        self._address = graph.address
        self._known = [release for release in graph.releases() if release.source not in RESERVED]
        self._snapshots = snapshots

    def find(self, name: str) -> Snapshot:
        """The snapshot that ID or SOURCE:ID means."""
        held = self._snapshots.of_relations()
        found = [full for full in held if name in {full, full.partition(":")[2]}]
        if len(found) != 1:
            raise InputError(
                f"{'several snapshots' if found else 'no snapshot'} of a release of relations named {name!r} in HOME",
                f"one of: {', '.join(found or held) or 'none is there yet'}",
                "name it as SOURCE:ID; see: truthhypo ingest releases",
            )
        return held[found[0]]

    def live(self) -> Snapshot:
        """The snapshot of the live release of pubtator3, or of the only live one."""
        alive = live.live(self._known)
        chosen = [release for release in alive if release.source == _DEFAULT_SOURCE] or alive
        if len(chosen) != 1:
            raise InputError(
                f"no release of {_DEFAULT_SOURCE} is live, and {len(chosen)} of other sources are",
                "the release to audit",
                "name it: truthhypo ingest audit ID; see: truthhypo ingest releases",
            )
        held = live.snapshot_of(chosen[0], self._snapshots)
        if held is None:
            raise live.lacking(self._address, chosen, self._snapshots)
        return held

    def before(self, snapshot: Snapshot) -> Snapshot | None:
        """The snapshot of the release of the same source that was live before; None if HOME has none."""
        this = self._record(snapshot)
        if this is None:
            return None
        earlier = [release for release in self._known if release.source == this.source and release.order < this.order]
        earlier.sort(key=lambda release: release.order, reverse=True)
        return next((held for release in earlier if (held := live.snapshot_of(release, self._snapshots))), None)

    def told(self, snapshot: Snapshot) -> AuditReport:
        """What is known of a release."""
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
