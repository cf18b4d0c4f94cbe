"""The files of a release, read as a stream: plain, gzip (also of many members), a named pipe or standard input.

While a file is read its bytes are counted and hashed as they are on the disk. A file that cannot be read to its
end is an error, since half a release would take the other half out of the graph.
"""

import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from hashlib import sha256
from itertools import chain
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Timer
from typing import BinaryIO, Protocol, overload

import numpy as np

from groundwork.errors import InputError
from groundwork.ports import Progress, Silent
from ingest.blocks import Block, whole_lines
from ingest.byte_stream import ByteStream
from ingest.inflate import BROKEN, gunzip

STDIN = "-"

_CHUNK = 1 << 18  # bytes read at once
_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
_NEWLINE = ord("\n")

#: Seconds to wait for a writer of a named pipe before the wait is told.
_PATIENCE = 2.0


class _Hash(Protocol):
    """The part of hashlib's objects that is used here."""

    def update(self, data: bytes, /) -> None: ...

    def hexdigest(self) -> str: ...


class SourceFile:
    """One file of a release; its content can be read once.

    Args:
        path: A path, or `-` for standard input. Content is inflated if the name ends in .gz or it begins like gzip.
        also: Hashes that are fed the same bytes (that of all files in order, say).
        at: Where its bytes are, if not at its path.

    Attributes:
        path: As the user named it.
        bytes: Bytes read so far, as they are on the disk.
    """

    def __init__(self, path: str | Path, *also: _Hash, at: Path | None = None) -> None:
        self.path = str(path)
        self.bytes = 0
        self._at = Path(self.path) if at is None and self.path != STDIN else at  # None: standard input
        self._hashes: list[_Hash] = [sha256(), *also]
        self._stream: Iterator[bytes] | None = None
        self._progress: Progress = Silent()

    @property
    def sha256(self) -> str:
        """Hex digest of the bytes read so far; of the file once it is read to its end."""
        return self._hashes[0].hexdigest()

    @property
    def piped(self) -> bool:
        """Whether the bytes can be read only once: standard input or a named pipe."""
        return self._at is None or self._at.is_fifo()

    def peek(self, progress: Progress | None = None) -> bytes:
        """Return the first bytes of the content, which tell its format. The next reader gets them again.

        Args:
            progress: Is told if a named pipe has no writer.

        Raises:
            InputError: As `chunks`.
        """
        self._progress = progress or Silent()
        stream = self._content()
        first = next(stream, b"")
        self._stream = chain([first], stream)
        return first

    def chunks(self, progress: Progress | None = None) -> Iterator[bytes]:
        """The content in pieces of at most 256 KiB, none of them empty.

        Args:
            progress: Is told the bytes read from the disk.

        Raises:
            InputError: Missing, a folder, not readable, broken or truncated gzip, or empty.
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
        """The content as blocks of whole lines, about 16 MiB each; an overlong line is a block of its own.

        A byte order mark at the very beginning is no part of the first line. Memory is bounded by the block size,
        whatever the lines are like.

        Raises:
            InputError: As `chunks`, or there is nothing but empty lines.
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
        """Line number (from 1) and line, without its line end and without a trailing CR; empty lines too.

        A line over `LINE_LIMIT` bytes comes as `Overlong`, the beginning of it; `rejects.decoded` tells it apart.

        Raises:
            InputError: As `blocks`.
        """
        for block in self.blocks(progress):
            yield from block.lines()

    def open(self, progress: Progress | None = None) -> BinaryIO:
        """The content as a buffered binary stream, for parsers that want one.

        Raises:
            InputError: While reading, as `chunks`.
        """
        return io.BufferedReader(ByteStream(self.chunks(progress)), _CHUNK)

    def skim(self, progress: Progress | None = None) -> None:
        """Read its bytes as they are on the disk, for its size and hashes alone: nothing is inflated or looked at.

        Raises:
            InputError: Missing, a folder, or not readable.
        """
        self._progress = progress or Silent()
        self._progress.begin(f"checking {self.path}", self._size(), "bytes")
        for _ in self._raw():
            pass

    def save(self, folder: Path, progress: Progress) -> Path:
        """Copy its bytes, as they are on the disk, to a new file in a folder and return the path.

        Raises:
            InputError: Missing, a folder, or not readable.
        """
        self._progress = progress
        with NamedTemporaryFile(dir=folder, prefix="piped-", delete=False) as copy:
            copy.writelines(self._raw())
        return Path(copy.name)

    def drain(self) -> None:
        """Read what is left, so that size and hash are those of the whole file."""
        if self._stream is not None:
            for _ in self._stream:
                pass

    def _content(self) -> Iterator[bytes]:
        if self._stream is None:
            self._stream = self._inflated(self._raw())
        return self._stream

    def _size(self) -> int | None:
        """Bytes on the disk, None where that is not known beforehand."""
        return self._at.stat().st_size if self._at is not None and self._at.is_file() else None

    def _raw(self) -> Iterator[bytes]:
        """The bytes as they are on the disk, counted and hashed."""
        try:
            with nullcontext(sys.stdin.buffer) if self._at is None else self._opened(self._at) as file:
                while chunk := file.read(_CHUNK):
                    yield chunk
                    # After the yield: a file that was only peeked at does not yet count in the hash of all files.
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

    def _opened(self, path: Path) -> BinaryIO:
        """Open a file. To open a named pipe takes until another program opens it too, and the wait is told."""
        if not path.is_fifo():
            return path.open("rb")
        waiting = f"waiting for a program to write to the named pipe {path}; Ctrl-C stops"
        told = Timer(_PATIENCE, self._progress.note, [waiting])
        told.daemon = True
        told.start()
        try:
            return path.open("rb")
        finally:
            told.cancel()

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
                "a gzip file that is whole",
                "fetch the file again and compare its size or checksum with the source's",
            ) from error

    def _rowless(self) -> InputError:
        return InputError(
            f"{self.path} holds no row ({self.bytes} bytes)",
            "at least one row: an empty release would empty the graph",
            "check that this is the file you mean and that it was fetched whole",
        )


class SourceFiles(Sequence[SourceFile]):
    """The files of one release, in order.

    Args:
        paths: At least one; `-` at most once.

    Raises:
        InputError: No path, or standard input twice.
    """

    def __init__(self, paths: Sequence[str | Path]) -> None:
        names = [str(path) for path in paths]
        if not names:
            raise InputError("no file was given", "one or more files, or -", "name the files of the release")
        if names.count(STDIN) > 1:
            raise InputError("- was given twice", "standard input at most once", "name it once")
        self._hash = sha256()
        also = [self._hash] if len(names) > 1 else []
        self._files = tuple(SourceFile(name, *also) for name in names)

    @property
    def sha256(self) -> str:
        """Hex digest of all files' bytes, one after the other in the order given; for one file its own."""
        return self._hash.hexdigest() if len(self._files) > 1 else self._files[0].sha256

    @overload
    def __getitem__(self, index: int) -> SourceFile: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[SourceFile]: ...

    def __getitem__(self, index: int | slice) -> SourceFile | Sequence[SourceFile]:
        return self._files[index]

    def __len__(self) -> int:
        return len(self._files)
