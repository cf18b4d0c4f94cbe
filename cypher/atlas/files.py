"""The files of an atlas: written to a folder, and memory-mapped from there.

The manifest contains the size, the SHA-256 and the modification time of each file in the folder. If a file has another
modification time when the atlas is opened, because it was copied or changed, its content is compared with the SHA-256.
Wrong numbers in a file could crash a look-up.
"""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from cypher.atlas.atlas import Atlas, Keys
from groundwork import manifest
from groundwork.manifest import Fault, FileEntry

MANIFEST = "manifest.json"
_KEYS = "keys.arrow"
_ARRAYS = tuple(field.name for field in fields(Atlas) if field.name not in {"keys", "kinds", "shade"})
_UNREADABLE = (OSError, ValueError, KeyError, TypeError)


def save(atlas: Atlas, folder: Path, **more: Any) -> None:
    """Write an atlas into a folder. The manifest, which also covers all other files there, marks it as complete.

    All files are on the disk when this function returns.

    Args:
        atlas: The atlas.
        folder: The folder.
        more: What the manifest says besides, as JSON.

    Raises:
        OSError: If the files cannot be written.
    """
    for name in _ARRAYS:
        np.save(folder / f"{name}.npy", getattr(atlas, name))
    table = pa.table({"key": atlas.keys.texts})
    with pa.OSFile(str(folder / _KEYS), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    seal(folder, atlas.kinds, **more)


def seal(folder: Path, kinds: Sequence[str], **more: Any) -> None:
    """Write the manifest of a folder that contains all files of an atlas; see `save`."""
    entries = {file.name: _written(file) for file in sorted(folder.iterdir())}
    told = {"kinds": kinds, "files": manifest.plain(entries)}
    _note(folder, {**told, **more})


def opened(folder: Path) -> Atlas | None:
    """Map the atlas in a folder; return None if it is missing or damaged."""
    try:
        noted = manifest.read(folder / MANIFEST)
        return None if faults_of(folder, noted) else mapped(folder, noted)
    except _UNREADABLE:
        return None


def mapped(folder: Path, noted: Mapping[str, Any]) -> Atlas:
    """Map the atlas in a folder whose files were compared with the manifest (`faults_of`)."""
    with pa.memory_map(str(folder / _KEYS)) as source:
        texts = pa.ipc.open_file(source).read_all()["key"].combine_chunks()
    return Atlas(keys=Keys(texts), kinds=tuple(noted["kinds"]), **{name: array(folder, name) for name in _ARRAYS})


def array(folder: Path, name: str) -> Any:
    """Map one array of a folder."""
    return np.load(folder / f"{name}.npy", mmap_mode="r").view(np.ndarray)  # indexing a memmap itself is slow


def faults(folder: Path, remedy: str = "") -> list[Fault]:
    """Return the damaged files of an atlas. Every file is read completely."""
    remedy = remedy or f"remove {folder}; the atlas is built again when it is needed"
    try:
        files = manifest.entries(manifest.read(folder / MANIFEST)["files"])
    except _UNREADABLE as error:
        return [Fault(folder / MANIFEST, f"cannot be read: {error}", "the manifest that a load wrote", remedy)]
    return [replace(fault, remedy=remedy) for fault in manifest.faults(folder, files, thorough=True)]


def faults_of(folder: Path, noted: Mapping[str, Any]) -> list[Fault]:
    """Return the files that are not as they were saved. A file with a new modification time is read completely, once.

    Args:
        folder: The folder.
        noted: The content of its manifest.
    """
    files = manifest.entries(noted["files"])
    touched = manifest.modified(folder, files, noted["written"])
    found = [*manifest.faults(folder, files), *manifest.faults(folder, touched, thorough=True)]
    if touched and not found:
        with suppress(OSError):  # in a read-only folder, each process compares the files itself
            _note(folder, noted)
    return found


def _written(file: Path) -> FileEntry:
    """Put the content of a file on the disk, and return its entry for the manifest."""
    with file.open("rb") as held:
        os.fsync(held.fileno())
    return FileEntry.of(file)


def _note(folder: Path, shape: Mapping[str, Any]) -> None:
    """Write the manifest with the current modification times of the files."""
    manifest.write(folder / MANIFEST, {**shape, "written": manifest.modification_times(folder, shape["files"])})
