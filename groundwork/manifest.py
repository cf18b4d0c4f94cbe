"""Manifests: the files that a folder should hold, with their sizes and SHA-256, in a JSON file beside them.

A manifest also carries the SHA-256 of its own content. Manifests of earlier versions have none and are read as well.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, Self

from groundwork.errors import DamagedStore

_SEAL = '{"checksum": "'
_SEALED = len(_SEAL) + 64 + len('", ')


@dataclass(frozen=True, slots=True)
class FileEntry:
    """What a manifest says of one file.

    Attributes:
        bytes: Its size.
        sha256: Hash of its content, 64 hexadecimal digits; empty if only the size is known.
    """

    bytes: int
    sha256: str = ""

    @classmethod
    def of(cls, path: Path) -> Self:
        """Measure a file, reading all of it.

        Raises:
            OSError: It cannot be read.
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
        seen: What is wrong with it.
        wanted: What its manifest says.
        remedy: How to get it back; empty where the caller knows.
    """

    path: Path
    seen: str
    wanted: str
    remedy: str = ""


def faults(folder: Path, files: Files, *, thorough: bool = False) -> Iterator[Fault]:
    """Compare the files of a folder with their entries.

    Args:
        folder: Where they lie.
        files: Their entries by name.
        thorough: Read every file to its end and compare its SHA-256; otherwise sizes are compared only.
    """
    for name, entry in files.items():
        path = folder / name
        wanted = f"{entry.bytes:,} bytes, as the last load left it"
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


def damaged(what: str, found: Sequence[Fault], remedy: str = "") -> DamagedStore:
    """The error for damaged files.

    Args:
        what: The store or snapshot they belong to.
        found: At least one fault.
        remedy: The way back; by default the first fault's own.
    """
    first, *others = found
    more = f" (and {len(others)} more of its files are damaged)" if others else ""
    return DamagedStore(
        f"{what} is damaged: {first.path} {first.seen}{more}",
        f"{first.path.name}: {first.wanted}",
        remedy or first.remedy,
    )


def write(path: Path, shape: Mapping[str, Any]) -> None:
    """Replace a manifest in one step; it is on the disk when this returns.

    Args:
        path: The file.
        shape: Its content, as JSON values; at least one.

    Raises:
        OSError: It cannot be written.
    """
    replace(path, sealed(shape))


def sealed(shape: Mapping[str, Any]) -> str:
    """The text of a manifest: its content after the SHA-256 of the content."""
    body = json.dumps(shape)[1:]
    return f'{_SEAL}{sha256(body.encode()).hexdigest()}", {body}'


def read(path: Path) -> dict[str, Any]:
    """Read a manifest.

    Raises:
        FileNotFoundError: There is none.
        OSError: It cannot be read.
        ValueError: It is no JSON object, or was changed since it was written.
    """
    text = path.read_bytes().decode("utf-8")
    if text.startswith(_SEAL):
        body = text[_SEALED:]
        if sha256(body.encode()).hexdigest() != text[len(_SEAL) : len(_SEAL) + 64]:
            raise ValueError("its content does not match its checksum")
        text = "{" + body
    shape = json.loads(text)
    if not isinstance(shape, dict):
        raise ValueError("it is no JSON object")
    return shape


def replace(path: Path, text: str) -> None:
    """Replace a file by one with this text in one step; it is on the disk when this returns.

    Raises:
        OSError: It cannot be written.
    """
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    with fresh.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


def plain(files: Files) -> dict[str, Any]:
    """Entries as JSON values, which `entries` reads again."""
    return {name: asdict(entry) for name, entry in files.items()}


def entries(shape: Mapping[str, Any]) -> dict[str, FileEntry]:
    """Entries by name, from JSON values.

    Raises:
        TypeError: They are no entries.
    """
    return {name: FileEntry(**entry) for name, entry in shape.items()}
