"""Merged states (the edges and concepts of all live releases), kept under HOME/merged/ so as not to be computed twice.

A state depends only on the live releases, so a kept state stays valid while the live releases are the same. The two
states used last are kept, because a load compares the state before the load with the state after it. Similarity edges
are not part of a kept state: they are quick to compute, and a new set of similarity edges changes nothing else.
"""

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import astuple, replace
from hashlib import sha256
from itertools import chain
from pathlib import Path

from groundwork import manifest
from groundwork.manifest import Fault
from ingest import state
from ingest.engine import Engine, copy
from ingest.live import Standing
from ingest.normalise import RULES
from ingest.snapshot import Snapshot, entry, measured
from ingest.state import EdgesAndConcepts, State

_KEPT = 2
_MANIFEST = "manifest.json"
_FILES = EdgesAndConcepts(Path("edges.parquet"), Path("concepts.parquet"))


class MergeCache:
    """The merged states under one HOME. Several stores and runs may use them at the same time.

    Args:
        home: The folder HOME.
    """

    def __init__(self, home: Path) -> None:
        self._root = home.absolute() / "merged"

    def state(self, standing: Standing, engine: Engine, folder: Path, *, keep: bool = True) -> State:
        """Return the state of a graph. If the state is not kept yet, compute and keep it.

        Args:
            standing: The snapshots of the live releases.
            engine: Computes the state.
            folder: An empty folder on the same file system. It receives the files of the state, which remain even if
                another run deletes the kept state.
            keep: Keep a newly computed state.

        Raises:
            DamagedStore: A snapshot that is needed for the state was changed from outside.
        """
        kept = self._root / _name(standing)
        found = _taken(kept, folder)
        for snapshot in standing.similarities if found else (*_every(standing), *standing.similarities):
            snapshot.checked()
        if found is None:
            found = state.derive(standing, engine, folder)
            if keep:
                self._keep(found, standing, kept, folder / "kept")
        return state.alike(found, standing, engine, folder)

    def kept(self, standing: Standing) -> EdgesAndConcepts | None:
        """Return the edges and concepts of a state, after reading them fully; None if it is damaged or not kept."""
        kept = self._root / _name(standing)
        return EdgesAndConcepts(kept / _FILES.edges, kept / _FILES.concepts) if not _faults(kept) else None

    def faults(self) -> Iterator[Fault]:
        """Yield the damaged files of all kept states, after reading each file to its end."""
        for kept in sorted(self._root.glob("*")):
            yield from _faults(kept)

    def _keep(self, found: EdgesAndConcepts, standing: Standing, target: Path, draft: Path) -> None:
        draft.mkdir()
        for file, name in zip(astuple(found), astuple(_FILES), strict=True):
            copy(file, draft / name)
        shape = {
            "releases": [f"{one.manifest.source}:{one.manifest.release}" for one in _every(standing)],
            "rules": RULES,
            "edges": measured(draft / _FILES.edges),
            "concepts": measured(draft / _FILES.concepts),
        }
        manifest.write(draft / _MANIFEST, shape)
        self._root.mkdir(exist_ok=True)
        try:
            draft.replace(target)
        except OSError:
            return  # another run has kept this state, or the folder is incomplete and is not used
        oldest = sorted((folder for folder in self._root.iterdir() if folder != target), key=_used, reverse=True)
        for folder in oldest[_KEPT - 1 :]:
            shutil.rmtree(folder, ignore_errors=True)


def _taken(kept: Path, folder: Path) -> EdgesAndConcepts | None:
    """Link the files of a kept state into a folder, and return their paths there; None if the state does not exist.

    A damaged state is deleted and counts as missing.
    """
    if not kept.exists():
        return None
    try:
        found = EdgesAndConcepts(*(copy(kept / name, folder / name) for name in astuple(_FILES)))
        os.utime(kept)  # marks the state as used
        if not _faults(kept):
            return found
    except OSError:
        pass  # a file is missing, or another run removed the state
    for name in astuple(_FILES):
        (folder / name).unlink(missing_ok=True)
    shutil.rmtree(kept, ignore_errors=True)
    return None


def _faults(kept: Path) -> list[Fault]:
    """Return the damaged files of a kept state, after reading each file to its end."""
    remedy = f"remove {kept}: the next load computes it again from the snapshots"
    try:
        shape = manifest.read(kept / _MANIFEST)
        files = {str(name): entry(shape[name.stem]) for name in astuple(_FILES)}
    except (OSError, ValueError, KeyError, TypeError) as error:
        return [Fault(kept / _MANIFEST, f"cannot be read: {error}", "what a load wrote", remedy)]
    return [replace(fault, remedy=remedy) for fault in manifest.faults(kept, files, thorough=True)]


def _used(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:
        return 0.0  # another run removed it


def _every(standing: Standing) -> list[Snapshot]:
    names = (snapshot for snapshot, _ in (*standing.names, *standing.genes))
    return [*standing.relations, *names, *standing.added, *chain(*standing.documents)]


def _name(standing: Standing) -> str:
    """Return a name for the merged state of some snapshots. Similarity snapshots do not affect the name.

    Two states have the same name if their relation snapshots, their snapshots of names, genes and added names (with the
    types taken from each) and the document snapshots of each source have the same contents in the same order.
    """
    roles = (
        [_content(one) for one in standing.relations],
        [(_content(one), sorted(types)) for one, types in standing.names],
        [(_content(one), sorted(types)) for one, types in standing.genes],
        [_content(one) for one in standing.added],
        *([_content(one) for one in source] for source in standing.documents or ((),)),
    )
    return sha256(json.dumps([RULES, *roles], sort_keys=True).encode()).hexdigest()[:24]


def _content(snapshot: Snapshot) -> list[object]:
    return [snapshot.manifest.table["sha256"], snapshot.manifest.organisms]
