"""The manifest of an embedded graph's folder: whether its files are as the last load left them.

A load sets the state `loading` before it changes the first byte, and `whole`, with sizes and SHA-256, after it has
closed the files. It also notes when the files were written: one that was written since, by a copy or another program,
is compared with its SHA-256 when it is opened, since ladybug can crash on a database with wrong bytes.

Under `loading` a file may have any size, but one that was there before the load does not vanish.
Folders of earlier versions have no manifest; they get one by their next load.
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
#: One is there while a load writes, or after one that was cut off.
UNDER_WAY = (f"{GRAPH}.wal", f"{GRAPH}.wal.checkpoint", f"{GRAPH}.shadow")
REMEDY = "restore it from the snapshots under HOME: truthhypo ingest rebuild"

State = Literal["whole", "loading"]


class Noted(NamedTuple):
    """What a manifest says."""

    state: State
    files: Files
    written: Mapping[str, int] = {}  # when each file was written last, ns


def check(folder: Path) -> None:
    """Refuse a folder with a file that is missing or of another size than its manifest says.

    Raises:
        DamagedStore: It has one, or its manifest cannot be read.
        OSError: We may not look.
    """
    while found := faults(folder):
        before = _raw(folder)
        if faults(folder) == found and _raw(folder) == before:  # else a load has begun or ended meanwhile
            raise manifest.damaged(f"the graph store {folder}", found, REMEDY)


def faults(folder: Path, *, thorough: bool = False) -> list[Fault]:
    """The damaged files of a folder; a folder that is not there has none.

    Args:
        folder: The folder.
        thorough: Compare contents too, by SHA-256, and not sizes alone.

    Raises:
        OSError: We may not look.
    """
    try:
        noted = _read(folder)
    except (ValueError, KeyError, TypeError) as error:
        return [Fault(folder / MANIFEST, f"cannot be read: {error}", "a manifest written by truthhypo ingest", REMEDY)]
    if noted is None:
        return _earlier(folder)
    if noted.state == "whole":
        found = manifest.faults(folder, noted.files, thorough=thorough)
        return [replace(fault, remedy=REMEDY) for fault in found]
    lost = [name for name, entry in noted.files.items() if entry.bytes and not _size(folder / name)]
    wanted = "the file that the interrupted load has begun to change"
    return [Fault(folder / name, "is missing or empty", wanted, REMEDY) for name in lost]


def verify(folder: Path) -> None:
    """Compare the files that were written since the last load with their SHA-256; under a lock on the folder.

    Where that cannot be noted, sizes must do: a look-up would read all files each time.

    Raises:
        DamagedStore: A file has other content than the last load wrote.
        OSError: A file cannot be read.
    """
    noted = _read(folder)
    if noted is None or noted.state != "whole" or not os.access(folder, os.W_OK):
        return
    touched = {name: entry for name, entry in noted.files.items() if _written(folder / name) != noted.written.get(name)}
    if found := list(manifest.faults(folder, touched, thorough=True)):
        raise manifest.damaged(f"the graph store {folder}", found, REMEDY)
    if touched:
        with suppress(OSError):
            _write(folder, noted)


def begin(folder: Path) -> None:
    """Note that a load is about to change the files.

    Raises:
        OSError: The manifest cannot be written.
    """
    noted = _read(folder)
    there = {name: FileEntry(size) for name in (GRAPH, NAMES) if (size := _size(folder / name))}
    _write(folder, Noted("loading", noted.files if noted else there))


def conclude(folder: Path) -> None:
    """Note that the files are closed and whole.

    Raises:
        OSError: A file cannot be read, or the manifest not be written.
    """
    _write(folder, Noted("whole", {name: FileEntry.of(folder / name) for name in (GRAPH, NAMES, STAMP)}))


def version(folder: Path) -> str:
    """Return a text that is another one for another content of the database.

    It is the SHA-256 that the last load noted. After a load that was cut off, and in a folder without a manifest, it
    says when the files were written and how large they are.
    """
    noted = _read(folder)
    if noted and noted.state == "whole":
        return noted.files[GRAPH].sha256
    there = [file for name in (GRAPH, *UNDER_WAY) if (file := folder / name).exists()]
    stats = [(file.name, file.stat()) for file in there]
    return " ".join(f"{name} {found.st_ino} {found.st_size} {found.st_mtime_ns}" for name, found in stats) or "empty"


def _earlier(folder: Path) -> list[Fault]:
    """The faults of a folder without a manifest: the database is missing beside other files, or the manifest is."""
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


def _read(folder: Path) -> Noted | None:
    """The manifest of a folder, None if it has none."""
    try:
        shape = manifest.read(folder / MANIFEST)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return Noted(shape["state"], manifest.entries(shape["files"]), shape.get("written", {}))


def _write(folder: Path, noted: Noted) -> None:
    """Write the manifest, with the times of the files as they are now."""
    written = {name: _written(folder / name) for name in noted.files}
    shape = {"state": noted.state, "files": manifest.plain(noted.files), "written": written}
    manifest.write(folder / MANIFEST, shape)


def _written(path: Path) -> int | None:
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return None
