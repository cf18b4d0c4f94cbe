"""Gzip inflated as a stream, in pieces of bounded size: a small file may hold a large one."""

from collections.abc import Iterator
from typing import cast

from isal import isal_zlib

#: Bytes inflated at once.
PIECE = 1 << 18

#: What `gunzip` raises where the bytes are no whole gzip file.
BROKEN = (cast(type[Exception], isal_zlib.error), EOFError)  # its stub calls the class an instance


def gunzip(raw: Iterator[bytes]) -> Iterator[bytes]:
    """Inflate gzip members one after the other, in pieces of bounded size; zero padding between them is skipped.

    Raises:
        BROKEN: Other bytes than gzip, a wrong checksum or length, or an end in the middle.
    """
    inflater = isal_zlib.decompressobj(wbits=31)
    fresh = True  # nothing of the current member was seen yet
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
