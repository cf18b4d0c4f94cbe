"""An unfinished change of a graph: the data to complete it is kept under HOME until the graph has the whole change.

Before the first write, the difference is on disk and the release is marked `loading`. The next run that changes the
graph finds this mark and completes the change. So a load that is killed has either not begun or will be completed.
"""

import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
from filelock import FileLock

from groundwork import manifest
from groundwork.errors import StoreBusy, StoreError
from groundwork.inventory import named
from groundwork.manifest import Fault, FileEntry
from groundwork.ports import GraphWriter, Progress, watched_rows
from groundwork.records import Release
from ingest.diff import Delta
from ingest.engine import count, read
from ingest.receipt import Effect, Effects, Replaced, Verification
from ingest.state import Target

_PLAN, _DOCUMENTS = "plan.json", "documents.json"
_AGAIN = "command again"


@dataclass(frozen=True, slots=True)
class Plan:
    """A change of a graph.

    Attributes:
        release: The release that becomes live.
        past: The releases that `release` replaces.
        edges: The changes of the edges.
        concepts: The changes of the concepts.
        similarities: The changes of the similarity edges.
        target: The expected content of the graph after the change.
        offline: Whether the server's own importer writes the rows, while the server is stopped.
        replaced: The documents that the change replaces; None if it is not a load of documents.
        receipt: For an offline load, the receipt of its files, so that a later run need not parse them again; else
            None.
    """

    release: Release
    past: tuple[Release, ...]
    edges: Delta
    concepts: Delta
    similarities: Delta
    target: Target
    offline: bool = False
    receipt: Mapping[str, Any] | None = None
    replaced: Replaced | None = None

    def write(self, graph: GraphWriter, rows: int, progress: Progress) -> None:
        """Write the change in batches of at most `rows` rows. Writing it a second time does no harm.

        Concepts are written before the edges that need them, and deleted after the edges that needed them.
        """

        def watched(file: Path) -> Iterator[pa.RecordBatch]:
            return watched_rows(read(file, rows), progress)

        concepts, edges, similarities = self.concepts, self.edges, self.similarities
        files = (part for delta in (concepts, edges, similarities) for part in (delta.put, delta.drop))
        progress.begin("changing the graph", sum(map(count, files)), "rows")
        graph.put_concepts(watched(concepts.put))
        graph.put_edges(watched(edges.put), release=self.release.id, dropped=watched(edges.drop))
        graph.put_similarities(watched(similarities.put))
        graph.drop_similarities(watched(similarities.drop))
        graph.drop_concepts(watched(concepts.drop))

    def effects(self, documents: Effect | None = None, verified: Verification | None = None) -> Effects:
        """Return the effects of the change, completed with the given effect on documents and result of verification."""
        similar = self.similarities.effect
        there = similar.total or similar.removed
        return Effects(
            self.edges.effect, self.concepts.effect, similar if there else None, documents, verified, self.replaced
        )

    def conclude(self, graph: GraphWriter) -> None:
        """Record the replaced releases as `past`, and then the new one as `live`, so that never both are live."""
        for release in self.past:
            graph.put_release(replace(release, state="past"))
        graph.put_release(replace(self.release, state="live"))


class Pending:
    """The unfinished changes of a store under one HOME, each in its own folder.

    Args:
        home: The folder HOME.
        address: The address of the store.
    """

    def __init__(self, home: Path, address: str) -> None:
        self._home = home
        self._root = home.absolute() / "pending"
        self._address = address
        # Stored plans contain an address that stays the same when HOME is moved. Earlier versions wrote `address`.
        self._kept_as = address.replace(f":{home.absolute()}/", ":HOME/", 1)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other runs from changing this store. All stores in memory have one address, so they share a lock."""
        self._root.mkdir(parents=True, exist_ok=True)
        with FileLock(self._root / f"{sha256(self._address.encode()).hexdigest()[:12]}.lock"):
            yield

    def keep(self, plan: Plan, draft: Path) -> Plan:
        """Move a plan to the folder under HOME in which later runs look for it.

        Args:
            plan: The plan. Its files are under `draft`, with the names that `difference` and `Target` use.
            draft: A folder on the file system of HOME. This folder is moved.

        Returns:
            The plan with the new paths of its files.
        """
        shape = {
            "address": self._kept_as,
            "release": plan.release.flat,
            "past": [release.flat for release in plan.past],
            "edges": asdict(plan.edges.effect),
            "concepts": asdict(plan.concepts.effect),
            "similarities": asdict(plan.similarities.effect),
            "target": plan.target.shape,
            "offline": plan.offline,
            "receipt": plan.receipt,
            "replaced": plan.replaced and plan.replaced.to_dict(),
            "files": manifest.plain(_files(draft)),
        }
        manifest.write(draft / _PLAN, shape)
        target = self._folder(plan.release)
        draft.replace(target)
        return _plan(shape, target)

    def keep_documents(self, release: Release, effect: Effect) -> None:
        """Store the effect of a release on the documents. The run that finishes the load needs it for the receipt."""
        manifest.write(self._folder(release) / _DOCUMENTS, asdict(effect))

    def documents(self, release: Release) -> Effect | None:
        """Return the effect that `keep_documents` stored; None if none is stored.

        Raises:
            DamagedStore: The file with the effect was changed from outside.
        """
        path = self._folder(release) / _DOCUMENTS
        try:
            return Effect(**manifest.read(path))
        except FileNotFoundError:
            return None
        except (ValueError, TypeError) as error:
            remedy = f"remove {path}; the receipt then counts the documents as unchanged"
            fault = Fault(path, f"cannot be read: {error}", "what the load wrote", remedy)
            raise manifest.damaged("an unfinished load", [fault]) from error

    def find(self, release: Release) -> Plan | None:
        """Return the plan of a release that is marked `loading`; None if this HOME does not have the plan.

        The store's address is not compared, because a store can have more than one address.

        Raises:
            DamagedStore: A file of the plan was changed from outside.
        """
        folder = self._folder(release)
        shape = _read(folder)
        if shape is None:
            return None
        if found := list(_faults(folder, shape)):
            raise manifest.damaged(f"the interrupted load of {named(self._home, [release])}", found)
        return _plan(shape, folder)

    def faults(self) -> Iterator[Fault]:
        """Yield the damaged files of all plans under this HOME, after reading each file to its end."""
        for folder in sorted(self._root.glob("*@*@*")):
            shape = _read(folder)
            if shape is not None:
                yield from _faults(folder, shape)

    def imported(self, release: Release) -> Plan | None:
        """Return the stored plan for loading a release with this store's own importer; None if there is none."""
        for folder in sorted(self._root.glob(f"{release.source}@{release.id}@*")):
            shape = _read(folder)
            if shape and shape["offline"] and shape["address"] in (self._address, self._kept_as):
                plan = _plan(shape, folder)
                if plan.release.sha256 == release.sha256:
                    return plan
        return None

    def forget(self, *finished: Plan) -> None:
        """Delete completed plans, and all other plans of this store, which are not needed any more."""
        for plan in finished:
            shutil.rmtree(self._folder(plan.release), ignore_errors=True)
        for folder in self._root.glob("*@*@*"):
            shape = _read(folder)
            if not shape or shape["address"] in (self._address, self._kept_as):
                shutil.rmtree(folder, ignore_errors=True)

    def _folder(self, release: Release) -> Path:
        """Return the folder of a plan. Its name contains the time of the load, because an ID can be loaded again."""
        return self._root / f"{release.source}@{release.id}@{release.loaded_at.replace(':', '')}"


def done(releases: Iterable[Release], plans: Iterable[Plan]) -> tuple[Release, ...]:
    """Return the releases that a store would list if these plans were completed."""
    said = {(release.source, release.id): release for release in releases}
    for plan in plans:
        said |= {(release.source, release.id): replace(release, state="past") for release in plan.past}
        said[plan.release.source, plan.release.id] = replace(plan.release, state="live")
    return tuple(said.values())


def _read(folder: Path) -> dict[str, Any] | None:
    """Return the content of a plan's file.

    Returns:
        None if the file does not exist or is of an earlier version without similarities; an empty dict if the file
        cannot be read, which `_faults` reports.
    """
    try:
        shape = manifest.read(folder / _PLAN)
    except FileNotFoundError:
        return None
    except ValueError:
        return {}
    return shape if "similarities" in shape else None


def _faults(folder: Path, shape: Mapping[str, Any]) -> Iterator[Fault]:
    """Yield the damaged files of a plan. Plans of earlier versions list no files."""
    remedy = "run the same load again with --rebuild, which compares the whole content of the store"
    try:
        files = manifest.entries(shape["files"] if "files" in shape or not shape else {})
    except (KeyError, TypeError, ValueError) as error:
        yield Fault(folder / _PLAN, f"cannot be read: {error}", "the plan of a load", remedy)
        return
    for fault in manifest.faults(folder, files, thorough=True):
        yield replace(fault, remedy=remedy)


def _files(draft: Path) -> dict[str, FileEntry]:
    """Return the size and SHA-256 of a plan's tables, by path."""
    return {str(file.relative_to(draft)): FileEntry.of(file) for file in sorted(draft.rglob("*.parquet"))}


def _plan(shape: dict[str, Any], folder: Path) -> Plan:
    edges, concepts, similarities = (
        Delta.under(folder / what, Effect(**shape[what])) for what in ("edges", "concepts", "similarities")
    )
    release, past = Release.of(shape["release"]), tuple(map(Release.of, shape["past"]))
    target, receipt, said = Target.under(folder, shape["target"]), shape.get("receipt"), shape.get("replaced")
    replaced = Replaced(said["documents"], said["edges"], tuple(said["releases"])) if said else None
    return Plan(release, past, edges, concepts, similarities, target, shape["offline"], receipt, replaced)


@contextmanager
def unfinished(load: str, readers: str) -> Iterator[None]:
    """Add to a store's error that the load is not finished, and how to finish it.

    A `StoreBusy` error is not changed, because the load that has taken over the store finishes this load as well.

    Args:
        load: The load, for example "documents:8f2a".
        readers: What look-ups see until the load is finished, in words for the message.
    """
    try:
        yield
    except StoreBusy:
        raise
    except StoreError as error:
        error.seen = f"{error.seen}\nThe load of {load} is not finished; until it is finished, look-ups see {readers}"
        if _AGAIN not in error.remedy:
            error.remedy = "; then ".join(
                filter(None, [error.remedy, f"run the same {_AGAIN}: it continues where this one stopped"])
            )
        raise
