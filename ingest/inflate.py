"""Decompress gzip as a stream, in pieces of bounded size, because a small file may contain a large one."""

from collections.abc import Iterator
from typing import cast

from isal import isal_zlib

#: Number of bytes decompressed at once.
PIECE = 1 << 18

#: The errors that `gunzip` raises if the bytes are not a complete gzip file.
BROKEN = (cast(type[Exception], isal_zlib.error), EOFError)  # isal's type stub declares `error` as an instance


def gunzip(raw: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the decompressed gzip members one after the other, in pieces of bounded size; zero padding is skipped.

    Raises:
        BROKEN: If the bytes are not gzip, a checksum or length is wrong, or the data ends in the middle.
    """
    inflater = isal_zlib.decompressobj(wbits=31)
    fresh = True  # true until a byte of the current gzip member has been read
    for chunk in raw:
        while chunk:
            if fresh and not (chunk := chunk.lstrip(b"\0")):
                break
            fresh = False
            if out := inflater.decompress(chunk, PIECE):
                yield out
            chunk = inflater.unused_data if inflater.eof else inflater.unconsumed_tail
            if inflater.eof:
                inflater, fresh = isal_zlib.decompressobj(wbits=31), True
    while not fresh and not inflater.eof:
        if not (out := inflater.decompress(inflater.unconsumed_tail, PIECE)) and not inflater.eof:
            raise EOFError("it ends in the middle")
        if out:
            yield out
