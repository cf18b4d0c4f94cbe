"""Blocks of whole lines out of chunks of bytes, with bounded memory whatever the lines are like."""

from collections.abc import Iterator
from dataclasses import dataclass

from ingest.rejects import LINE_LIMIT, Overlong

_BLOCK = 1 << 24  # bytes of whole lines handed on at once


@dataclass(frozen=True, slots=True)
class Block:
    """Whole lines of a file.

    Attributes:
        number: Line number of the first, from 1.
        data: The lines with their line ends; only the last of a file may lack one. For an overlong line its beginning.
        overlong: This block is one line longer than `LINE_LIMIT`.
    """

    number: int
    data: bytes
    overlong: bool = False

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Line number and line, without its line end and without a trailing CR; empty lines too.

        An overlong line comes as `Overlong`.
        """
        if self.overlong:
            yield self.number, Overlong(self.data)
            return
        lines = self.data.split(b"\n")
        if not lines[-1]:
            lines.pop()
        for number, line in enumerate(lines, self.number):
            yield number, line.removesuffix(b"\r")


def whole_lines(chunks: Iterator[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Gather chunks to blocks of whole lines; a line over `LINE_LIMIT` comes alone, cut off, and flagged."""
    done = bytearray()  # whole lines
    open_line = bytearray()  # the beginning of the next, at most one chunk over the limit
    for chunk in chunks:
        end = chunk.find(b"\n") + 1
        if not end:
            if len(open_line) <= LINE_LIMIT:
                open_line += chunk
            continue
        if len(open_line) + end - 1 > LINE_LIMIT:
            if done:
                yield bytes(done), False
                done.clear()
            yield bytes(open_line[:LINE_LIMIT]), True
        else:
            done += open_line
            done += chunk[:end]
        last = chunk.rfind(b"\n") + 1
        done += chunk[end:last]
        open_line[:] = chunk[last:]
        if len(done) >= _BLOCK:
            yield bytes(done), False
            done.clear()
    if len(open_line) > LINE_LIMIT:
        if done:
            yield bytes(done), False
        yield bytes(open_line[:LINE_LIMIT]), True
    elif done or open_line:
        yield bytes(done + open_line), False
