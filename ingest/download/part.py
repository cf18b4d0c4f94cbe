"""A partly downloaded file NAME.part, and its record NAME.part.json, which describes the version of the remote file."""

import os
import shutil
from errno import ENOSPC
from pathlib import Path
from typing import BinaryIO

from ingest.download.fetched import RemoteVersion, read_record, write_record


class Part:
    """The downloaded part of one file. All bytes belong to the version that the record NAME.part.json describes.

    Args:
        target: Path of the complete file; the part is stored beside it.
    """

    def __init__(self, target: Path) -> None:
        self.path = target.with_name(target.name + ".part")
        self._target = target
        self._note = target.with_name(target.name + ".part.json")
        if self.path.is_symlink():
            self.path.unlink()  # a link of another user must not redirect the download

    @property
    def said(self) -> RemoteVersion | None:
        """The server's description of the file version that the part belongs to; None if there is no part."""
        return read_record(self._note, RemoteVersion)

    @property
    def held(self) -> int:
        """Number of bytes stored."""
        return self.path.stat().st_size if self.path.is_file() else 0

    def continued(self, url: str) -> tuple[RemoteVersion, int] | None:
        """Return the version of the part and the byte from which to continue; None if the download must start again.

        If the part is complete, its last byte is requested again, so that the server confirms the version.
        """
        said, held = self.said, self.held
        if not held or said is None or said.url != url or said.size is None or held > said.size:
            return None
        return (said, min(held, said.size - 1)) if said.validator() else None

    def cut(self, length: int) -> None:
        """Keep only the first `length` bytes."""
        with self.path.open("r+b") as file:
            file.truncate(length)

    def begin(self, said: RemoteVersion) -> None:
        """Discard the part, and record the version of the remote file whose download starts now.

        Raises:
            OSError: If the disk has not enough space.
        """
        self.discard()
        if said.size is not None and said.size > (free := shutil.disk_usage(self.path.parent).free):
            raise OSError(ENOSPC, f"{said.size:,} bytes needed, {free:,} free", str(self.path))
        write_record(self._note, said)

    def add(self) -> BinaryIO:
        """Return the part, opened for appending."""
        return self.path.open("ab")

    def discard(self) -> None:
        """Delete the part and its record."""
        self.path.unlink(missing_ok=True)
        self._note.unlink(missing_ok=True)

    def settle(self) -> None:
        """Move the part, which is now complete, to the path `target` atomically, and delete its record."""
        with self.path.open("rb") as file:
            os.fsync(file.fileno())
        self.path.replace(self._target)
        self._note.unlink(missing_ok=True)
