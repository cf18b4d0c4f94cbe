"""Seals of files that are written once and then kept for people, such as rejected rows and reports.

The seal of a file is a manifest in a hidden file beside it, with the file's size and SHA-256. The seal is removed
before the file is replaced, and written after the file is complete. If the program is killed in between, the file has
no seal and counts as intact. So a seal never describes older content of its file.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from groundwork.manifest import Fault, FileEntry, read, write

_ENDING = ".seal"


def seal(path: Path) -> None:
    """Write the seal of a complete file. If the disk is full, the file stays without a seal."""
    with suppress(OSError):
        write(_seal_of(path), asdict(FileEntry.of(path)))


def unseal(path: Path) -> None:
    """Remove the seal of a file that is to be replaced."""
    # If this fails, the file cannot be replaced either.
    with suppress(OSError):
        _seal_of(path).unlink()


def faults(folder: Path, remedy: str) -> Iterator[Fault]:
    """Yield the files of a folder that do not match their seals, and the seals that cannot be read.

    A missing file is not a fault, because people may remove files that were written for them.

    Args:
        folder: The folder, which may be absent.
        remedy: How to make a file again after the damaged one was removed.
    """
    for kept in sorted(folder.glob(f".*{_ENDING}")):
        path = kept.with_name(kept.name[1 : -len(_ENDING)])
        try:
            wanted = FileEntry(**read(kept))
        except (OSError, ValueError, TypeError):
            yield Fault(kept, "cannot be read as a seal", f"the seal of {path.name}", f"remove {kept}")
            continue
        try:
            if path.exists() and FileEntry.of(path) != wanted:
                seen, size = "has other content than this program wrote", f"{wanted.bytes:,} bytes"
                yield Fault(path, seen, f"{size}, SHA-256 {wanted.sha256}", f"remove {path}; {remedy}")
        except OSError as error:
            yield Fault(path, f"cannot be read: {error.strerror}", "a file of this program", f"remove {path}; {remedy}")


def _seal_of(path: Path) -> Path:
    return path.with_name(f".{path.name}{_ENDING}")
