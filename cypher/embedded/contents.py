"""The manifest of an embedded graph's folder, which tells whether its files are unchanged since the last load.

A load sets the state `loading` before it changes the first byte. After it has closed the files, it sets the state
`whole` and notes the size, SHA-256 and modification time of each file. If a file was modified later, by a copy or by
another program, its SHA-256 is checked before the file is opened, because ladybug can crash on a damaged database.

In the state `loading`, a file may have any size, but a file with content before the load must not be missing or empty.
Folders from earlier versions of the program have no manifest. The next load into such a folder writes one.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple

from cypher.embedded import stamp
from cypher.embedded.stamp import STAMP
from groundwork import manifest
from groundwork.manifest import Fault, FileEntry, Files

GRAPH, NAMES, MANIFEST = "graph.lbug", "names.sqlite", "manifest.json"
#: At least one of these files exists while a load writes, or after a load was interrupted.
UNDER_WAY = (f"{GRAPH}.wal", f"{GRAPH}.wal.checkpoint", f"{GRAPH}.shadow")
REMEDY = "restore it from the snapshots under HOME: truthhypo ingest rebuild"

State = Literal["whole", "loading"]


class ManifestContent(NamedTuple):
    """The content of a manifest."""

    state: State
    files: Files
    written: Mapping[str, int] = {}  # modification time of each file, ns


def check(folder: Path) -> None:
    """Refuse a folder in which a file is missing or has another size than the manifest says.

    Raises:
        DamagedStore: A file is missing or has another size, or the manifest cannot be read.
        OSError: The folder cannot be read.
    """
    while found := faults(folder):
        before = _raw(folder)
        if faults(folder) == found and _raw(folder) == before:  # if not, a load ran during the check
            raise manifest.damaged(f"the graph store {folder}", found, REMEDY)


def faults(folder: Path, *, thorough: bool = False) -> list[Fault]:
    """Return the damaged files of a folder; none if the folder does not exist.

    Args:
        folder: The folder.
        thorough: Compare the SHA-256 of the files too, not only their sizes.

    Raises:
        OSError: The folder cannot be read.
    """
    try:
        noted = _read(folder)
    except (ValueError, KeyError, TypeError) as error:
        return [Fault(folder / MANIFEST, f"cannot be read: {error}", "a manifest written by truthhypo ingest", REMEDY)]
    if noted is None:
        return _faults_without_manifest(folder)
    if noted.state == "whole":
        found = manifest.faults(folder, noted.files, thorough=thorough)
        return [replace(fault, remedy=REMEDY) for fault in found]
    lost = [name for name, entry in noted.files.items() if entry.bytes and not _size(folder / name)]
    wanted = "the file that the interrupted load has begun to change"
    return [Fault(folder / name, "is missing or empty", wanted, REMEDY) for name in lost]


def verify(folder: Path) -> None:
    """Check the SHA-256 of the files that were modified since the last load. The caller must hold the folder's lock.

    If the folder is not writable, the SHA-256 is not checked: the result could not be noted in the folder, and every
    look-up would have to read all files again.

    Raises:
        DamagedStore: The content of a file differs from what the last load wrote.
        OSError: A file cannot be read.
    """
    noted = _read(folder)
    if noted is None or noted.state != "whole" or not os.access(folder, os.W_OK):
        return
    touched = manifest.modified(folder, noted.files, noted.written)
    if found := list(manifest.faults(folder, touched, thorough=True)):
        raise manifest.damaged(f"the graph store {folder}", found, REMEDY)
    if touched:
        with suppress(OSError):
            _write(folder, noted)


def begin(folder: Path) -> None:
    """Record in the manifest that a load is about to change the files.

    Raises:
        OSError: The manifest cannot be written.
    """
    noted = _read(folder)
    there = {name: FileEntry(size) for name in (GRAPH, NAMES) if (size := _size(folder / name))}
    _write(folder, ManifestContent("loading", noted.files if noted else there))


def conclude(folder: Path) -> None:
    """Record in the manifest that the files are closed and complete.

    Raises:
        OSError: A file cannot be read, or the manifest cannot be written.
    """
    _write(folder, ManifestContent("whole", {name: FileEntry.of(folder / name) for name in (GRAPH, NAMES, STAMP)}))


def version(folder: Path) -> str:
    """Return a text that differs for different contents of the database.

    The text is the SHA-256 of the database, as the last load noted it. After an interrupted load, and in a folder
    without a manifest, it consists of the inode numbers, sizes and modification times of the files.
    """
    noted = _read(folder)
    if noted and noted.state == "whole":
        return noted.files[GRAPH].sha256
    there = [file for name in (GRAPH, *UNDER_WAY) if (file := folder / name).exists()]
    stats = [(file.name, file.stat()) for file in there]
    return " ".join(f"{name} {found.st_ino} {found.st_size} {found.st_mtime_ns}" for name, found in stats) or "empty"


def _faults_without_manifest(folder: Path) -> list[Fault]:
    """Return the faults of a folder without a manifest: either the database or the manifest itself may be missing."""
    if (folder / GRAPH).exists() and stamp.noted(folder):
        return [Fault(folder / MANIFEST, "is missing", "what the last load wrote", REMEDY)]
    beside = [name for name in (NAMES, STAMP) if (folder / name).exists()]
    if not beside or (folder / GRAPH).exists():
        return []
    return [Fault(folder / GRAPH, f"is missing beside {beside[0]}", "the database of the store", REMEDY)]


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _raw(folder: Path) -> bytes | None:
    try:
        return (folder / MANIFEST).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _read(folder: Path) -> ManifestContent | None:
    """Return the manifest of a folder; None if it has none."""
    try:
        shape = manifest.read(folder / MANIFEST)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return ManifestContent(shape["state"], manifest.entries(shape["files"]), shape.get("written", {}))


def _write(folder: Path, noted: ManifestContent) -> None:
    """Write the manifest, with the current modification times of the files."""
    written = manifest.modification_times(folder, noted.files)
    shape = {"state": noted.state, "files": manifest.plain(noted.files), "written": written}
    manifest.write(folder / MANIFEST, shape)
