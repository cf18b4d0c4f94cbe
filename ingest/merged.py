"""The merged states of live releases, kept under HOME/merged/: what a graph should hold need not be worked out twice.

A state is a function of the releases that count, so a kept one is right for as long as they are the same. The two used
last are kept: a load compares one with the next. Similarity edges are not kept with it: they are soon worked out, and a
new set of them changes nothing else.
"""

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import astuple, replace
from hashlib import sha256
from pathlib import Path

from groundwork import manifest
from groundwork.manifest import Fault
from ingest import state
from ingest.engine import Engine, copy
from ingest.live import Standing
from ingest.normalise import RULES
from ingest.snapshot import Snapshot, entry, measured
from ingest.state import Known, State

_KEPT = 2
_MANIFEST = "manifest.json"
_FILES = Known(Path("edges.parquet"), Path("concepts.parquet"))


class Merged:
    """The merged states under one HOME; several stores and runs may use them at once.

    Args:
        home: The folder HOME.
    """

    def __init__(self, home: Path) -> None:
        self._root = home.absolute() / "merged"

    def state(self, standing: Standing, engine: Engine, folder: Path, *, keep: bool = True) -> State:
        """The state of a graph, kept from before or worked out and kept.

        Args:
            standing: The snapshots that count.
            engine: Works it out.
            folder: An empty folder on the same file system; the state's files are there, whatever others remove.
            keep: Keep what was worked out.

        Raises:
            DamagedStore: A snapshot that the state is worked out from was changed from outside.
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

    def kept(self, standing: Standing) -> Known | None:
        """The edges and concepts of a state that is kept, read to their end; None if it is not kept, or damaged."""
        kept = self._root / _name(standing)
        return Known(kept / _FILES.edges, kept / _FILES.concepts) if not _faults(kept) else None

    def faults(self) -> Iterator[Fault]:
        """The damaged files of all states that are kept, each read to its end."""
        for kept in sorted(self._root.glob("*")):
            yield from _faults(kept)

    def _keep(self, found: Known, standing: Standing, target: Path, draft: Path) -> None:
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
            return  # another run kept the same meanwhile, or half of it is there: it is worked out again then
        oldest = sorted((folder for folder in self._root.iterdir() if folder != target), key=_used, reverse=True)
        for folder in oldest[_KEPT - 1 :]:
            shutil.rmtree(folder, ignore_errors=True)


def _taken(kept: Path, folder: Path) -> Known | None:
    """The files of a kept state linked into a folder; None if they are not there. A damaged state is removed."""
    if not kept.exists():
        return None
    try:
        found = Known(*(copy(kept / name, folder / name) for name in astuple(_FILES)))
        os.utime(kept)  # it was used
        if not _faults(kept):
            return found
    except OSError:
        pass  # a file is missing, or another run removed the state
    for name in astuple(_FILES):
        (folder / name).unlink(missing_ok=True)
    shutil.rmtree(kept, ignore_errors=True)
    return None


def _faults(kept: Path) -> list[Fault]:
    """The damaged files of a kept state, each read to its end."""
    remedy = f"remove {kept}: the next load works it out again from the snapshots"
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
    return [*standing.relations, *(snapshot for snapshot, _ in standing.names), *standing.documents]


def _name(standing: Standing) -> str:
    """A name for what counts: the same for the same contents in the same roles."""
    roles = (
        [_content(one) for one in standing.relations],
        [(_content(one), sorted(types)) for one, types in standing.names],
        [_content(one) for one in standing.documents],
    )
    return sha256(json.dumps([RULES, *roles]).encode()).hexdigest()[:24]


def _content(snapshot: Snapshot) -> str:
    return str(snapshot.manifest.table["sha256"])
