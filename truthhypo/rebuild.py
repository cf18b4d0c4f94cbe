"""Rebuild damaged embedded stores from the snapshots under HOME.

The new store is built in a folder beside the old store. When the new store is complete, it takes the place of the old
one, whose folder is kept under another name. So an interrupted rebuild can be repeated with the same command.
"""

import shutil
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Literal

import cypher
import literature
from groundwork import inventory
from groundwork.errors import DamagedStore, StoreError
from groundwork.manifest import Fault
from groundwork.ports import Progress
from groundwork.records import Record, Release
from groundwork.records.release import live
from groundwork.settings import Settings
from ingest import restoration

State = Literal["whole", "damaged", "restored", "server"]


@dataclass(frozen=True, slots=True)
class StoreState(Record):
    """State of one store after a rebuild.

    Attributes:
        address: Address of the store.
        state: `whole`: the store was not damaged. `restored`: the store was rebuilt. `damaged`: the store is damaged,
            and a dry run left it as it was. `server`: the store is a server, whose files are not checked.
        damage: The damage found, one line per file.
        kept: Folder to which the damaged store was moved; None if no store was moved.
    """

    address: str
    state: State
    damage: tuple[str, ...] = ()
    kept: str | None = None


@dataclass(frozen=True, slots=True)
class LostLoad(Record):
    """A load whose content is in no snapshot. Its files must be loaded again.

    Attributes:
        load: The release as `SOURCE:ID`, or `contradictions` for a load of contradictions.
        files: Absolute paths of the files that were loaded; empty if HOME no longer knows them.
    """

    load: str
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rebuild(Record):
    """Result of a rebuild.

    Attributes:
        graph: State of the graph.
        literature: State of the literature.
        snapshots: One line per damaged snapshot; the line says how to replace the snapshot.
        removed: Damaged derived files under HOME that were removed. The program makes them again when it needs them.
        load_again: Loads that could not be restored.
        dry_run: Whether this was a dry run, which changes nothing.
        seconds: Duration of the rebuild in seconds.
    """

    graph: StoreState
    literature: StoreState
    snapshots: tuple[str, ...]
    removed: tuple[str, ...]
    load_again: tuple[LostLoad, ...]
    dry_run: bool
    seconds: float

    @property
    def complete(self) -> bool:
        """Whether all stores and snapshots are now intact, and all loads could be restored."""
        damaged = "damaged" in {self.graph.state, self.literature.state}
        return not (damaged or self.snapshots or self.load_again)


def rebuild(settings: Settings, *, dry_run: bool = False, progress: Progress) -> Rebuild:
    """Read all stores and snapshots completely, and rebuild the damaged embedded stores.

    Args:
        settings: Settings with HOME and the addresses.
        dry_run: Whether to report the damage and change nothing.
        progress: Receives progress.

    Raises:
        DamagedStore: The record of what this HOME has loaded cannot be read.
        InputError: HOME has no record of the live releases.
        StoreBusy: A store is in use.
    """
    started = monotonic()
    snapshots = tuple(f"{one.path} {one.seen}: {one.remedy}" for one in restoration.snapshot_faults(settings))
    graph, literature = graph_damage(settings), literature_damage(settings)
    states = {
        "graph": _state_of(settings.graph_address, graph),
        "literature": _state_of(settings.literature_address, literature),
    }
    derived = [*restoration.derived_faults(settings), *cypher.atlas_faults(settings.graph_address, settings)]
    lost: tuple[LostLoad, ...] = ()
    if not dry_run:
        releases = _releases(settings, lost=bool(graph)) if graph or literature else ()
        unusable = restoration.lost_releases(releases, settings)
        kept = [release for release in releases if release not in unusable]
        if states["graph"].state == "server":
            _complete_graph(settings, progress)
        elif graph:
            states["graph"] = _restore_graph(settings, states["graph"], kept, progress)
        if literature:
            states["literature"] = _restore_literature(settings, states["literature"], kept, progress)
        for fault in derived:
            shutil.rmtree(fault.path.parent, ignore_errors=True)
        without = (LostLoad(f"{one.source}:{one.id}", files) for one, files in unusable.items())
        lost = (*without, *_lost_loads(settings))
    removed = () if dry_run else tuple(str(fault.path) for fault in derived)
    return Rebuild(states["graph"], states["literature"], snapshots, removed, lost, dry_run, monotonic() - started)


def graph_damage(settings: Settings) -> list[Fault]:
    """Return the damage of the embedded graph. Its content is checked only if its files are intact."""
    try:
        if found := cypher.file_faults(settings.graph_address, settings):
            return found
        if not _embedded(settings.graph_address) or not cypher.is_there(settings.graph_address):
            return []
        with closing(cypher.connect(settings.graph_address, settings, read_only=True)) as graph:
            wanted = "the content of the snapshots under HOME"
            return [Fault(_path(graph.address), one, wanted) for one in restoration.differences(graph, settings)]
    except DamagedStore as error:
        return [_fault(settings.graph_address, error)]


def literature_damage(settings: Settings) -> list[Fault]:
    """Return the damage of the embedded literature's files."""
    try:
        return literature.file_faults(settings.literature_address, settings)
    except DamagedStore as error:
        return [_fault(settings.literature_address, error)]


def _fault(address: str, error: StoreError) -> Fault:
    return Fault(_path(address), error.seen, error.wanted, error.remedy)


def _state_of(address: str, found: Sequence[Fault]) -> StoreState:
    if not _embedded(address):
        return StoreState(address, "server")
    return StoreState(address, "damaged" if found else "whole", tuple(f"{one.path} {one.seen}" for one in found))


def _releases(settings: Settings, *, lost: bool) -> tuple[Release, ...]:
    """Return the releases to restore. They are read from the graph, or from records in HOME if the graph is lost."""
    if not lost and cypher.is_there(settings.graph_address):
        with closing(cypher.connect(settings.graph_address, settings, read_only=True)) as graph:
            return graph.releases()
    noted = inventory.holdings(settings.home, settings.graph_address)
    return noted.releases if noted else restoration.only_releases(settings)


def _complete_graph(settings: Settings, progress: Progress) -> None:
    """Add to the graph of a server what older versions of this program did not write, such as indexes.

    Every load adds this, so a load without changes is made.
    """
    with closing(cypher.connect(settings.graph_address, settings)) as graph, graph.writing(progress):
        pass


def _restore_graph(settings: Settings, was: StoreState, releases: Sequence[Release], progress: Progress) -> StoreState:
    fresh = _new_address(was.address)
    with closing(cypher.connect(fresh, settings)) as graph:
        if live(releases):
            restoration.restore_graph(graph, releases, settings, progress)
        else:  # all snapshots are lost
            with graph.writing(progress):
                pass
    return _restored(was, cypher.take_over(was.address, fresh))


def _restore_literature(
    settings: Settings, was: StoreState, releases: Sequence[Release], progress: Progress
) -> StoreState:
    fresh = _new_address(was.address)
    with closing(literature.connect(fresh, settings)) as index:
        restoration.restore_documents(index, releases, settings, progress)
    return _restored(was, literature.take_over(was.address, fresh))


def _restored(was: StoreState, aside: Path | None) -> StoreState:
    return StoreState(was.address, "restored", was.damage, str(aside) if aside else None)


def _new_address(address: str) -> str:
    """Return the address for the new store beside the old one. Remove what an interrupted rebuild left there."""
    fresh = f"{address}.rebuilt"
    shutil.rmtree(_path(fresh), ignore_errors=True)
    return fresh


def _lost_loads(settings: Settings) -> tuple[LostLoad, ...]:
    """Return the loads that must be repeated. First write a record of the stores' content to HOME, if none exists."""
    with (
        closing(cypher.connect(settings.graph_address, settings, read_only=True)) as graph,
        closing(literature.connect(settings.literature_address, settings, read_only=True)) as index,
    ):
        restoration.note(graph, index, settings)
        found = restoration.lost_loads(graph, index, settings)
    return tuple(LostLoad(name, files) for name, files in found.items())


def _embedded(address: str) -> bool:
    return address.startswith("embedded:")


def _path(address: str) -> Path:
    return Path(address.removeprefix("embedded:")).expanduser().absolute()
