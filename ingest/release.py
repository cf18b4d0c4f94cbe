"""The files of a release, read as a stream: plain, gzip (one or more members), a named pipe or standard input.

While a file is read, its bytes are counted and hashed as they are on the disk. A file that cannot be read to its end is
an error, because loading half a release would remove the other half from the graph.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from hashlib import sha256
from itertools import chain
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Protocol, overload

import numpy as np

from groundwork.errors import InputError
from groundwork.named_pipe import open_file
from groundwork.ports import Progress, Silent
from ingest.blocks import Block, whole_lines
from ingest.inflate import BROKEN, gunzip

STDIN = "-"

_CHUNK = 1 << 18  # number of bytes read at once
_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
_NEWLINE = ord("\n")


class _Hash(Protocol):
    """The methods of hashlib's objects that are used here."""

    def update(self, data: bytes, /) -> None: ...

    def hexdigest(self) -> str: ...


class SourceFile:
    """One file of a release; its content can be read once.

    Args:
        path: A path, or `-` for standard input. The content is decompressed if the name ends in .gz, or if the content
            begins like gzip.
        also: Further hashes to update with the same bytes, for example a hash of all files in order.
        at: Path to read from, if it differs from `path`.

    Attributes:
        path: The path as the user gave it.
        bytes: Number of bytes read so far, as they are on the disk.
    """

    def __init__(self, path: str | Path, *also: _Hash, at: Path | None = None) -> None:
        self.path = str(path)
        self.bytes = 0
        self._at = Path(self.path) if at is None and self.path != STDIN else at  # None means standard input
        self._hashes: list[_Hash] = [sha256(), *also]
        self._stream: Iterator[bytes] | None = None
        self._progress: Progress = Silent()

    @property
    def sha256(self) -> str:
        """Hexadecimal SHA-256 of the bytes read so far; of the whole file once it has been read to its end."""
        return self._hashes[0].hexdigest()

    @property
    def piped(self) -> bool:
        """Whether the bytes can be read only once: standard input or a named pipe."""
        return self._at is None or self._at.is_fifo()

    def peek(self, progress: Progress | None = None) -> bytes:
        """Return the first bytes of the content, which show its format. The next reader gets them again.

        Args:
            progress: Receives a message if a named pipe has no writer.

        Raises:
            InputError: As in `chunks`, but an empty file is no error.
        """
        self._progress = progress or Silent()
        stream = self._content()
        first = next(stream, b"")
        self._stream = chain([first], stream)
        return first

    def chunks(self, progress: Progress | None = None) -> Iterator[bytes]:
        """Yield the content in pieces of at most 256 KiB.

        Args:
            progress: Receives the number of bytes read from the disk.

        Raises:
            InputError: If the file is missing, a folder, not readable, broken or truncated gzip, or empty.
        """
        self._progress = progress or Silent()
        self._progress.begin(f"reading {self.path}", self._size(), "bytes")
        empty = True
        for chunk in self._content():
            empty = empty and not chunk
            yield chunk
        if empty:
            raise self._rowless()

    def blocks(self, progress: Progress | None = None) -> Iterator[Block]:
        """Yield the content as blocks of whole lines, about 16 MiB each; an overlong line is a block of its own.

        A byte order mark at the very beginning is removed. Memory is limited by the block size, however long the lines
        are.

        Raises:
            InputError: As in `chunks`, or if there are only empty lines.
        """
        number, rows = 1, False
        for data, overlong in whole_lines(self.chunks(progress)):
            if number == 1:
                data = data.removeprefix(_BOM)
            rows = rows or bool(data.strip(b"\r\n"))
            yield Block(number, data, overlong)
            number += 1 if overlong else int(np.count_nonzero(np.frombuffer(data, np.uint8) == _NEWLINE))
        if not rows:
            raise self._rowless()

    def lines(self, progress: Progress | None = None) -> Iterator[tuple[int, bytes]]:
        """Yield (line number, line) for all lines, including empty lines. Line numbers start at 1.

        LF or CR LF at the end of a line is removed. Of a line over `LINE_LIMIT` bytes, only the beginning is yielded,
        as an `OverlongLine`.

        Raises:
            InputError: As in `blocks`.
        """
        for block in self.blocks(progress):
            yield from block.lines()

    def skim(self, progress: Progress | None = None) -> None:
        """Read the bytes from the disk only for size and hashes, without decompressing or parsing them.

        Raises:
            InputError: If the file is missing, a folder, or not readable.
        """
        self._progress = progress or Silent()
        self._progress.begin(f"checking {self.path}", self._size(), "bytes")
        for _ in self._raw():
            pass

    def save(self, folder: Path, progress: Progress) -> Path:
        """Copy the file or pipe, as it is, to a new file in a folder. Return the path of the new file.

        Raises:
            InputError: If the file is missing, a folder, or not readable.
        """
        self._progress = progress
        with NamedTemporaryFile(dir=folder, prefix="piped-", delete=False) as copy:
            copy.writelines(self._raw())
        return Path(copy.name)

    def drain(self) -> None:
        """Read the rest of the file, so that size and hash are those of the whole file."""
        if self._stream is not None:
            for _ in self._stream:
                pass

    def _content(self) -> Iterator[bytes]:
        if self._stream is None:
            self._stream = self._inflated(self._raw())
        return self._stream

    def _size(self) -> int | None:
        """Return the number of bytes on the disk, or None if it is not known in advance."""
        return self._at.stat().st_size if self._at is not None and self._at.is_file() else None

    def _raw(self) -> Iterator[bytes]:
        """Yield the bytes from the disk, and count and hash them."""
        try:
            with (
                nullcontext(sys.stdin.buffer) if self._at is None else open_file(self._at, self._progress.note) as file
            ):
                while chunk := file.read(_CHUNK):
                    yield chunk
                    # Counted after the yield, so that a file that was only inspected is not in the hash.
                    self.bytes += len(chunk)
                    for digest in self._hashes:
                        digest.update(chunk)
                    self._progress.advance(len(chunk))
        except OSError as error:
            raise InputError(
                f"{self.path} cannot be read: {error.strerror or error}",
                "a file (plain or .gz), or - for standard input",
                "check the path and its permissions",
            ) from error

    def _inflated(self, raw: Iterator[bytes]) -> Iterator[bytes]:
        first = next(raw, b"")
        whole = chain([first], raw) if first else raw
        if not (self.path.endswith(".gz") and first) and not first.startswith(_GZIP):
            yield from whole
            return
        try:
            yield from gunzip(whole)
        except BROKEN as error:
            raise InputError(
                f"{self.path} is a broken gzip file after {self.bytes} bytes: {error}",
                "a complete gzip file",
                "download the file again and compare its size or checksum with the source's",
            ) from error

    def _rowless(self) -> InputError:
        return InputError(
            f"{self.path} contains no row ({self.bytes} bytes)",
            "at least one row, because an empty release would empty the graph",
            "check that this is the right file and that it was downloaded completely",
        )


class SourceFiles(Sequence[SourceFile]):
    """The files of one release, in order.

    Args:
        paths: At least one path; `-` at most once.

    Raises:
        InputError: If there is no path, or standard input is given twice.
    """

    def __init__(self, paths: Sequence[str | Path]) -> None:
        names = [str(path) for path in paths]
        if not names:
            raise InputError("no file was given", "one or more files, or -", "give the files of the release")
        if names.count(STDIN) > 1:
            raise InputError("- was given twice", "standard input at most once", "give - once")
        self._hash = sha256()
        also = [self._hash] if len(names) > 1 else []
        self._files = tuple(SourceFile(name, *also) for name in names)

    @property
    def sha256(self) -> str:
        """Hexadecimal SHA-256 of the bytes of all files in order."""
        return self._hash.hexdigest() if len(self._files) > 1 else self._files[0].sha256

    @overload
    def __getitem__(self, index: int) -> SourceFile: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[SourceFile]: ...

    def __getitem__(self, index: int | slice) -> SourceFile | Sequence[SourceFile]:
        return self._files[index]

    def __len__(self) -> int:
        return len(self._files)
