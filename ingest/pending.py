"""A change of a graph that has begun: all that is needed to finish it, kept under HOME until the graph has it whole.

Before the first write the difference lies on the disk and the release is marked `loading`; whoever next changes the
graph finds it there and finishes it. So a load killed at any moment either has not begun or will be done.
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
from groundwork.manifest import Fault, FileEntry
from groundwork.ports import GraphWriter, Progress
from groundwork.records import Release
from ingest.diff import Delta
from ingest.engine import count, read
from ingest.receipt import Effect, Effects, Verified
from ingest.target import Target

_PLAN, _DOCUMENTS = "plan.json", "documents.json"


@dataclass(frozen=True, slots=True)
class Plan:
    """A change of a graph.

    Attributes:
        release: The release that becomes live.
        past: The releases that it replaces.
        edges: What changes in the edges.
        concepts: What changes in the concepts.
        similarities: What changes in the similarity edges.
        target: What the graph should hold then.
        offline: The rows are written by the server's own importer, while it is stopped; not by us.
        receipt: What the load that began it said of its files, so that they need not be read again to finish it.
    """

    release: Release
    past: tuple[Release, ...]
    edges: Delta
    concepts: Delta
    similarities: Delta
    target: Target
    offline: bool = False
    receipt: Mapping[str, Any] | None = None

    def write(self, graph: GraphWriter, rows: int, progress: Progress) -> None:
        """Write the change in batches of at most `rows` rows. Again does no harm.

        Concepts come before the edges that need them, and go after the edges that needed them.
        """

        def watched(file: Path) -> Iterator[pa.RecordBatch]:
            return _watched(read(file, rows), progress)

        concepts, edges, similarities = self.concepts, self.edges, self.similarities
        files = (part for delta in (concepts, edges, similarities) for part in (delta.put, delta.drop))
        progress.begin("changing the graph", sum(map(count, files)), "rows")
        graph.put_concepts(watched(concepts.put))
        graph.put_edges(watched(edges.put), release=self.release.id, dropped=watched(edges.drop))
        graph.put_similarities(watched(similarities.put))
        graph.drop_similarities(watched(similarities.drop))
        graph.drop_concepts(watched(concepts.drop))

    def effects(self, documents: Effect | None = None, verified: Verified | None = None) -> Effects:
        """What it does, with what else came of it."""
        similar = self.similarities.effect
        there = similar.total or similar.removed
        return Effects(self.edges.effect, self.concepts.effect, similar if there else None, documents, verified)

    def conclude(self, graph: GraphWriter) -> None:
        """Say which releases count: first what is `past`, then what is `live`, so never two of one source."""
        for release in self.past:
            graph.put_release(replace(release, state="past"))
        graph.put_release(replace(self.release, state="live"))


class Pending:
    """The changes of a store that have begun under one HOME, each in a folder of its own.

    Args:
        home: The folder HOME.
        address: The store.
    """

    def __init__(self, home: Path, address: str) -> None:
        self._root = home.absolute() / "pending"
        self._address = address

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other runs from this store's changes; stores of one process's memory share their address."""
        self._root.mkdir(parents=True, exist_ok=True)
        with FileLock(self._root / f"{sha256(self._address.encode()).hexdigest()[:12]}.lock"):
            yield

    def keep(self, plan: Plan, draft: Path) -> Plan:
        """Put a plan where it will be found.

        Args:
            plan: Its files lie under `draft`, as `difference` and `Target` name them.
            draft: A folder on the same file system, which is taken over.

        Returns:
            The plan with its files where they are now.
        """
        shape = {
            "address": self._address,
            "release": plan.release.flat,
            "past": [release.flat for release in plan.past],
            "edges": asdict(plan.edges.effect),
            "concepts": asdict(plan.concepts.effect),
            "similarities": asdict(plan.similarities.effect),
            "target": plan.target.shape,
            "offline": plan.offline,
            "receipt": plan.receipt,
            "files": manifest.plain(_files(draft)),
        }
        manifest.write(draft / _PLAN, shape)
        target = self._folder(plan.release)
        draft.replace(target)
        return _plan(shape, target)

    def keep_documents(self, release: Release, effect: Effect) -> None:
        """Keep the effect of a plan's documents, for the receipt of the run that finishes the plan."""
        manifest.write(self._folder(release) / _DOCUMENTS, asdict(effect))

    def documents(self, release: Release) -> Effect | None:
        """Return the effect that `keep_documents` kept; None if there is none.

        Raises:
            DamagedStore: The file that holds it was changed from outside.
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
        """The plan of a release that is `loading`, or None if this HOME does not have it.

        By whatever address the store was named then: a store has more than one.

        Raises:
            DamagedStore: A file of the plan was changed from outside.
        """
        folder = self._folder(release)
        shape = _read(folder)
        if shape is None:
            return None
        if found := list(_faults(folder, shape)):
            raise manifest.damaged(f"the interrupted load of {release.source}:{release.id}", found)
        return _plan(shape, folder)

    def faults(self) -> Iterator[Fault]:
        """The damaged files of all plans under this HOME, each read to its end."""
        for folder in sorted(self._root.glob("*@*@*")):
            shape = _read(folder)
            if shape is not None:
                yield from _faults(folder, shape)

    def imported(self, release: Release) -> Plan | None:
        """The plan of a release that is for this store's importer, if one is kept."""
        for folder in sorted(self._root.glob(f"{release.source}@{release.id}@*")):
            shape = _read(folder)
            if shape and shape["offline"] and shape["address"] == self._address:
                plan = _plan(shape, folder)
                if plan.release.sha256 == release.sha256:
                    return plan
        return None

    def forget(self, *finished: Plan) -> None:
        """Remove plans that are done, and this store's others: whatever they were to change was never marked."""
        for plan in finished:
            shutil.rmtree(self._folder(plan.release), ignore_errors=True)
        for folder in self._root.glob("*@*@*"):
            shape = _read(folder)
            if not shape or shape["address"] == self._address:
                shutil.rmtree(folder, ignore_errors=True)

    def _folder(self, release: Release) -> Path:
        """Named by the moment too: an ID may be loaded again, and into several stores."""
        return self._root / f"{release.source}@{release.id}@{release.loaded_at.replace(':', '')}"


def done(releases: Iterable[Release], plans: Iterable[Plan]) -> tuple[Release, ...]:
    """What a store would say of its releases if some plans were done."""
    said = {(release.source, release.id): release for release in releases}
    for plan in plans:
        said |= {(release.source, release.id): replace(release, state="past") for release in plan.past}
        said[plan.release.source, plan.release.id] = replace(plan.release, state="live")
    return tuple(said.values())


def _read(folder: Path) -> dict[str, Any] | None:
    """What a plan says; None if it is not there, half removed, or of an earlier version, which knew no similarities.

    A plan that cannot be read is an empty one, which `_faults` tells of.
    """
    try:
        shape = manifest.read(folder / _PLAN)
    except FileNotFoundError:
        return None
    except ValueError:
        return {}
    return shape if "similarities" in shape else None


def _faults(folder: Path, shape: Mapping[str, Any]) -> Iterator[Fault]:
    """The damaged files of a plan; an earlier version listed none."""
    remedy = "run the same load again with --rebuild, which compares all that the store holds"
    if not shape:
        yield Fault(folder / _PLAN, "cannot be read", "the plan of a load", remedy)
    for fault in manifest.faults(folder, manifest.entries(shape.get("files", {})), thorough=True):
        yield replace(fault, remedy=remedy)


def _files(draft: Path) -> dict[str, FileEntry]:
    """Size and SHA-256 of the tables of a plan."""
    return {str(file.relative_to(draft)): FileEntry.of(file) for file in sorted(draft.rglob("*.parquet"))}


def _plan(shape: dict[str, Any], folder: Path) -> Plan:
    edges, concepts, similarities = (
        Delta.under(folder / what, Effect(**shape[what])) for what in ("edges", "concepts", "similarities")
    )
    release, past = Release.of(shape["release"]), tuple(map(Release.of, shape["past"]))
    target, receipt = Target.under(folder, shape["target"]), shape.get("receipt")
    return Plan(release, past, edges, concepts, similarities, target, shape["offline"], receipt)


def _watched(batches: Iterator[pa.RecordBatch], progress: Progress) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield batch
        progress.advance(batch.num_rows)
