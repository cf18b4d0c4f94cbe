"""The files of a release, read as a stream: plain, gzip (one or more members), a named pipe or standard input.

While a file is read, its bytes are counted and hashed as they are on the disk. A file that cannot be read to its end is
an error, because loading half a release would remove the other half from the graph. The content is decompressed and
split into blocks of whole lines with bounded memory, although a small gzip file may contain a large one, and lines may
have any length.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Protocol, cast, overload

import numpy as np
import numpy.typing as npt
from isal import isal_zlib

from groundwork.errors import InputError
from groundwork.files import open_file
from groundwork.ports import Progress, Silent
from ingest.rejects import LINE_LIMIT, OverlongLine

STDIN = "-"

Places = npt.NDArray[np.int64]

_CHUNK = 1 << 18  # number of bytes read at once
_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
_NEWLINE = ord("\n")
_CR = ord("\r")
_BLOCK = 1 << 24  # bytes of whole lines in one block
#: Number of bytes decompressed at once.
_PIECE = 1 << 18
#: The errors that `gunzip` raises if the bytes are not a complete gzip file.
_BROKEN = (cast(type[Exception], isal_zlib.error), EOFError)  # isal's type stub declares `error` as an instance


@dataclass(frozen=True, slots=True)
class Block:
    """Whole lines of a file.

    Attributes:
        number: Line number of the first line, counted from 1.
        data: The lines with their line ends; only the last line of a file may lack one. For an overlong line,
            only its start.
        overlong: Whether this block is a single line that is longer than `LINE_LIMIT`.
    """

    number: int
    data: bytes
    overlong: bool = False

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield (line number, line) for each line, also if it is empty. Line ends and a trailing CR are left out.

        An overlong line is yielded as `OverlongLine`.
        """
        if self.overlong:
            yield self.number, OverlongLine(self.data)
            return
        lines = self.data.split(b"\n")
        if not lines[-1]:
            lines.pop()
        for number, line in enumerate(lines, self.number):
            yield number, line.removesuffix(b"\r")


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
        except _BROKEN as error:
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


def spans(octets: npt.NDArray[np.uint8], breaks: Places) -> tuple[Places, Places]:
    """Return the start and the end of each line, also of empty lines. The line end and a trailing CR are left out.

    Args:
        octets: Whole lines; the last line may lack its line end.
        breaks: Positions of the line ends.
    """
    ended = len(breaks) and breaks[-1] == len(octets) - 1
    ends = breaks.copy() if ended else np.append(breaks, len(octets))
    starts = np.append(0, ends[:-1] + 1)
    full = np.flatnonzero(ends > starts)
    ends[full] -= octets[ends[full] - 1] == _CR
    return starts, ends


def whole_lines(chunks: Iterator[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Yield (block of whole lines, False). For a line longer than `LINE_LIMIT`, yield (start of the line, True)."""
    done: list[bytes | memoryview] = []
    size = 0
    for piece, overlong in _pieces(chunks):
        if done and (overlong or size >= _BLOCK):
            yield b"".join(done), False
            done, size = [], 0
        if overlong:
            yield bytes(piece), True
        else:
            done.append(piece)
            size += len(piece)
    if done:
        yield b"".join(done), False


def _pieces(chunks: Iterator[bytes]) -> Iterator[tuple[bytes | memoryview, bool]]:
    """Yield whole lines as they arrive, in the form of `whole_lines`. Only lines that span two chunks are copied."""
    open_line = bytearray()  # it exceeds the limit by at most one chunk
    for chunk in chunks:
        end = chunk.find(b"\n") + 1
        if not end:
            if len(open_line) <= LINE_LIMIT:
                open_line += chunk
            continue
        overlong = len(open_line) + end - 1 > LINE_LIMIT
        yield (bytes(open_line[:LINE_LIMIT]) if overlong else bytes(open_line + chunk[:end])), overlong
        last = chunk.rfind(b"\n") + 1
        if last > end:
            yield memoryview(chunk)[end:last], False
        open_line[:] = chunk[last:]
    if open_line:
        yield bytes(open_line[:LINE_LIMIT]), len(open_line) > LINE_LIMIT


def gunzip(raw: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the decompressed gzip members one after the other, in pieces of bounded size; zero padding is skipped.

    Raises:
        isal_zlib.error: If the bytes are not gzip, or a checksum or length is wrong.
        EOFError: If the data ends in the middle.
    """
    inflater = isal_zlib.decompressobj(wbits=31)
    fresh = True  # true until a byte of the current gzip member has been read
    for chunk in raw:
        while chunk:
            if fresh and not (chunk := chunk.lstrip(b"\0")):
                break
            fresh = False
            if out := inflater.decompress(chunk, _PIECE):
                yield out
            chunk = inflater.unused_data if inflater.eof else inflater.unconsumed_tail
            if inflater.eof:
                inflater, fresh = isal_zlib.decompressobj(wbits=31), True
    while not fresh and not inflater.eof:
        if not (out := inflater.decompress(inflater.unconsumed_tail, _PIECE)) and not inflater.eof:
            raise EOFError("it ends in the middle")
        if out:
            yield out
