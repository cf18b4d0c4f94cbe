"""The part of a file that has come so far: NAME.part, and NAME.part.json, which says of which version it is."""

import os
import shutil
from errno import ENOSPC
from pathlib import Path
from typing import BinaryIO

from ingest.download.fetched import Said, read_record, write_record


class Part:
    """The part of one file. It never holds a byte of another version than its note says.

    Args:
        target: Where the file shall lie in the end; the part lies beside it.
    """

    def __init__(self, target: Path) -> None:
        self.path = target.with_name(target.name + ".part")
        self._target = target
        self._note = target.with_name(target.name + ".part.json")
        if self.path.is_symlink():
            self.path.unlink()  # nobody's link leads our bytes elsewhere

    @property
    def said(self) -> Said | None:
        """What the server said of the version it is of; None if there is no part."""
        return read_record(self._note, Said)

    @property
    def held(self) -> int:
        """Bytes that are there."""
        return self.path.stat().st_size if self.path.is_file() else 0

    def continued(self, url: str) -> tuple[Said, int] | None:
        """Its version, and the byte from which to go on; None if there is nothing to go on from.

        Of a part that is whole the last byte is asked for again: whether it may take its place is the server's to say.
        """
        said, held = self.said, self.held
        if not held or said is None or said.url != url or said.size is None or held > said.size:
            return None
        return (said, min(held, said.size - 1)) if said.validator() else None

    def cut(self, length: int) -> None:
        """Keep the first bytes only."""
        with self.path.open("r+b") as file:
            file.truncate(length)

    def begin(self, said: Said) -> None:
        """Start over with a version.

        Raises:
            OSError: The disk has no room for it.
        """
        self.discard()
        if said.size is not None and said.size > (free := shutil.disk_usage(self.path.parent).free):
            raise OSError(ENOSPC, f"{said.size:,} bytes wanted, {free:,} free", str(self.path))
        write_record(self._note, said)

    def add(self) -> BinaryIO:
        """The part, opened at its end."""
        return self.path.open("ab")

    def discard(self) -> None:
        """Forget it."""
        self.path.unlink(missing_ok=True)
        self._note.unlink(missing_ok=True)

    def settle(self) -> None:
        """Take the file's place, in one step."""
        with self.path.open("rb") as file:
            os.fsync(file.fileno())
        self.path.replace(self._target)
        self._note.unlink(missing_ok=True)
