"""The files of an atlas: written to a folder, and memory-mapped from there.

The manifest contains the size, the SHA-256 and the modification time of each file. If a file has another modification
time when the atlas is opened, because it was copied or changed, its content is compared with the SHA-256. Wrong numbers
in a file could crash a look-up.
"""

from contextlib import suppress
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from cypher.atlas.atlas import Atlas
from cypher.atlas.keys import Keys
from groundwork import manifest
from groundwork.manifest import Fault, FileEntry
from groundwork.records import Counts

_KEYS, _MANIFEST = "keys.arrow", "manifest.json"
_ARRAYS = tuple(field.name for field in fields(Atlas) if field.name not in {"keys", "kinds", "shade"})
_UNREADABLE = (OSError, ValueError, KeyError, TypeError)


class Summary(NamedTuple):
    """The numbers of concepts and edges of a graph, and the digest of its relation edges."""

    counts: Counts
    digest: str


def save(atlas: Atlas, summary: Summary | None, folder: Path) -> None:
    """Write an atlas into an empty folder; the manifest is written last and marks the files as complete.

    Args:
        atlas: The atlas.
        summary: Counts and digest of the store from which the atlas was built; None if it was built from other data.
        folder: The folder.

    Raises:
        OSError: If the files cannot be written.
    """
    for name in _ARRAYS:
        np.save(folder / f"{name}.npy", getattr(atlas, name))
    table = pa.table({"key": atlas.keys.texts})
    with pa.OSFile(str(folder / _KEYS), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    files = {file.name: FileEntry.of(file) for file in sorted(folder.iterdir())}
    told = summary and {"counts": asdict(summary.counts), "digest": summary.digest}
    _note(folder, {"kinds": atlas.kinds, "files": manifest.plain(files), "summary": told})


def opened(folder: Path) -> Atlas | None:
    """Map the atlas in a folder; return None if it is missing or damaged."""
    try:
        noted = manifest.read(folder / _MANIFEST)
        if not _whole(folder, noted):
            return None
        mapped = {name: np.load(folder / f"{name}.npy", mmap_mode="r") for name in _ARRAYS}
        arrays = {name: array.view(np.ndarray) for name, array in mapped.items()}  # indexing a memmap itself is slow
        with pa.memory_map(str(folder / _KEYS)) as source:
            texts = pa.ipc.open_file(source).read_all()["key"].combine_chunks()
        return Atlas(keys=Keys(texts), kinds=tuple(noted["kinds"]), **arrays)
    except _UNREADABLE:
        return None


def summary(folder: Path) -> Summary | None:
    """Return counts and digest of the store from which an atlas was built; None if they are not recorded or damaged."""
    try:
        told = manifest.read(folder / _MANIFEST)["summary"]
        return told and Summary(Counts(**told["counts"]), told["digest"])
    except _UNREADABLE:
        return None


def faults(folder: Path) -> list[Fault]:
    """Return the damaged files of an atlas. Every file is read completely."""
    remedy = f"remove {folder}; the atlas is built again when it is needed"
    try:
        files = manifest.entries(manifest.read(folder / _MANIFEST)["files"])
    except _UNREADABLE as error:
        return [Fault(folder / _MANIFEST, f"cannot be read: {error}", "the manifest of an atlas", remedy)]
    return [replace(fault, remedy=remedy) for fault in manifest.faults(folder, files, thorough=True)]


def _whole(folder: Path, noted: dict[str, Any]) -> bool:
    """Return whether the files are as they were saved. A file with a new modification time is read completely, once."""
    files = manifest.entries(noted["files"])
    touched = manifest.modified(folder, files, noted["written"])
    if any(manifest.faults(folder, files)) or any(manifest.faults(folder, touched, thorough=True)):
        return False
    if touched:
        with suppress(OSError):  # in a read-only folder, each process compares the files itself
            _note(folder, noted)
    return True


def _note(folder: Path, shape: dict[str, Any]) -> None:
    """Write the manifest with the current modification times of the files."""
    manifest.write(folder / _MANIFEST, {**shape, "written": manifest.modification_times(folder, shape["files"])})
