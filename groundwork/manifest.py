"""Manifests: JSON files that list the files of a folder with their sizes and SHA-256.

A manifest also contains the SHA-256 of its own content. Manifests that earlier versions of the program wrote have no
such checksum; they can be read as well.

The seal of a file that is written once and then kept for people, such as rejected rows and reports, is a manifest in a
hidden file beside it, with the file's size and SHA-256. The seal is removed before the file is replaced, and written
after the file is complete. If the program is killed in between, the file has no seal and counts as intact. So a seal
never describes older content of its file.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from errno import EINVAL
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, Self

from groundwork.errors import DamagedStore
from groundwork.files import loads

_SEAL = '{"checksum": "'
_SEALED = len(_SEAL) + 64 + len('", ')


@dataclass(frozen=True, slots=True)
class FileEntry:
    """The entry of one file in a manifest.

    Attributes:
        bytes: Size of the file.
        sha256: Hash of the file's content, 64 hexadecimal digits; empty if only the size is known.
    """

    bytes: int
    sha256: str = ""

    @classmethod
    def of(cls, path: Path) -> Self:
        """Return the entry of a file; the whole file is read.

        Raises:
            OSError: If the file cannot be read.
        """
        with path.open("rb") as file:
            digest = file_digest(file, "sha256").hexdigest()
        return cls(path.stat().st_size, digest)


Files = Mapping[str, FileEntry]


@dataclass(frozen=True, slots=True)
class Fault:
    """One damaged file.

    Attributes:
        path: The file.
        seen: What is wrong with the file.
        wanted: What is expected instead, usually from the manifest.
        remedy: How to restore the file; empty if the caller adds the remedy.
    """

    path: Path
    seen: str
    wanted: str
    remedy: str = ""


def faults(folder: Path, files: Files, *, thorough: bool = False) -> Iterator[Fault]:
    """Yield a fault for each file of a folder that differs from its entry.

    Args:
        folder: The folder of the files.
        files: The entries by file name.
        thorough: If True, read every file and compare its SHA-256; otherwise compare only sizes.
    """
    for name, entry in files.items():
        path = folder / name
        wanted = f"{entry.bytes:,} bytes, as the last load wrote it"
        try:
            size = path.stat().st_size
            if size != entry.bytes:
                yield Fault(path, f"has {size:,} bytes", wanted)
            elif thorough and entry.sha256 and FileEntry.of(path).sha256 != entry.sha256:
                yield Fault(path, "has other content than the last load wrote", f"SHA-256 {entry.sha256}")
        except FileNotFoundError:
            yield Fault(path, "is missing", wanted)
        except OSError as error:
            yield Fault(path, f"cannot be read: {error.strerror}", wanted)


def modification_times(folder: Path, names: Iterable[str]) -> dict[str, int | None]:
    """Return the modification time of each file in ns; None if the file is missing."""
    return {name: path.stat().st_mtime_ns if (path := folder / name).exists() else None for name in names}


def modified(folder: Path, files: Files, times: Mapping[str, int | None]) -> Files:
    """Return the entries of the files whose modification time is not the one noted in `times`."""
    return {name: files[name] for name, time in modification_times(folder, files).items() if time != times.get(name)}


def damaged(what: str, found: Sequence[Fault], remedy: str = "") -> DamagedStore:
    """Return the error for damaged files.

    Args:
        what: The store or snapshot that the files belong to.
        found: The faults, at least one.
        remedy: How to restore the files; by default the remedy of the first fault.
    """
    first, *others = found
    more = f" (and {len(others)} more of its files are damaged)" if others else ""
    return DamagedStore(
        f"{what} is damaged: {first.path} {first.seen}{more}",
        f"{first.path.name}: {first.wanted}",
        remedy or first.remedy,
    )


def write(path: Path, shape: Mapping[str, Any]) -> None:
    """Replace a manifest atomically; it is on the disk when this function returns.

    Args:
        path: The file.
        shape: The content of the manifest: at least one name with a JSON value.

    Raises:
        OSError: If the file cannot be written.
    """
    replace(path, sealed(shape))


def sealed(shape: Mapping[str, Any]) -> str:
    """Return the text of a manifest: the SHA-256 of the content, then the content."""
    body = json.dumps(shape)[1:]
    return f'{_SEAL}{sha256(body.encode()).hexdigest()}", {body}'


def read(path: Path) -> dict[str, Any]:
    """Return the content of a manifest.

    Raises:
        FileNotFoundError: If there is no such file.
        OSError: If the file cannot be read.
        ValueError: If the content is not a JSON object, or was changed since it was written.
    """
    try:
        text = content(path).decode("utf-8")
    except UnicodeDecodeError as error:  # the message of this error would repeat the whole content
        raise ValueError(f"byte {error.start} is not UTF-8") from None
    if text.startswith(_SEAL):
        body = text[_SEALED:]
        if sha256(body.encode()).hexdigest() != text[len(_SEAL) : len(_SEAL) + 64]:
            raise ValueError("its content does not match its checksum")
        text = "{" + body
    shape = loads(text)
    if not isinstance(shape, dict):
        raise ValueError("it is not a JSON object")
    return shape


def content(path: Path) -> bytes:
    """Return the content of a file that this program wrote.

    Raises:
        OSError: If the file cannot be read, or if it is a named pipe or a device, which could make the program wait.
    """
    if path.exists() and not path.is_file():
        raise OSError(EINVAL, "it is not a regular file", str(path))
    return path.read_bytes()


def replace(path: Path, text: str) -> None:
    """Replace the content of a file by a text, as `replace_parts` does."""
    replace_parts(path, [text.encode()])


def replace_parts(path: Path, parts: Iterable[bytes]) -> None:
    """Replace the content of a file by bytes, atomically. The bytes are on the disk when this function returns.

    A named pipe or a device such as /dev/stdout is not replaced: the bytes are written into it.

    Args:
        path: The file.
        parts: The new content, part by part, so that a large file is never held in memory. The parts may be read from
            the file itself, which keeps its old content until all parts are written.

    Raises:
        OSError: If the file cannot be written.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            file.writelines(parts)
        return
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        fresh.unlink(missing_ok=True)  # a link of another user must not redirect the text
        with fresh.open("xb") as file:
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def plain(files: Files) -> dict[str, Any]:
    """Return entries as JSON values, which `entries` can read."""
    return {name: asdict(entry) for name, entry in files.items()}


def entries(shape: Mapping[str, Any]) -> dict[str, FileEntry]:
    """Return the entries by name, read from JSON values.

    Raises:
        TypeError: If the values are not entries.
        ValueError: If a name leads out of the manifest's folder, because a repair of such a file could remove files
            elsewhere.
    """
    if outside := [name for name in shape if Path(name).is_absolute() or ".." in Path(name).parts]:
        raise ValueError(f"it names a file outside its folder: {outside[0]}")
    return {name: FileEntry(**entry) for name, entry in shape.items()}


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


def seal_faults(folder: Path, remedy: str) -> Iterator[Fault]:
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
