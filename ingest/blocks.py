"""Split chunks of bytes into blocks of whole lines, with bounded memory for lines of any length."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ingest.rejects import LINE_LIMIT, OverlongLine

Places = npt.NDArray[np.int64]

_CR = ord("\r")
_BLOCK = 1 << 24  # bytes of whole lines in one block


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
