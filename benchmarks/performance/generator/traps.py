"""Lines that are invalid, lines that look wrong but are valid, and how each is counted."""

from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

LONGEST = 1_000_000  # bytes; a longer line is rejected


class Counts(Enum):
    """How a line is counted if it is not rejected."""

    KEPT = "a row that is kept"
    NOTHING = "no row"


class Trap(NamedTuple):
    """A way to spoil a line.

    Attributes:
        weight: Relative frequency among the traps.
        counts: The reason for which the line is rejected, as receipts name it, or how else it is counted.
        spoil: Makes the line from the fields of a good line and a number that varies the result.
    """

    weight: int
    counts: str | Counts
    spoil: Callable[[list[bytes], int], bytes]


def _other(place: int, *texts: bytes) -> Callable[[list[bytes], int], bytes]:
    """Return a function that replaces a field by one of the texts."""

    def spoil(fields: list[bytes], number: int) -> bytes:
        fields[place] = texts[number % len(texts)]
        return b"\t".join(fields)

    return spoil


def _columns(fields: list[bytes], number: int) -> bytes:
    return b"\t".join((fields[:3], [*fields, b"PubTator3"], fields[:1], [*fields, b""])[number % 4])


def _end(place: int, fields: list[bytes], put: bytes) -> bytes:
    fields[place] = put
    return b"\t".join(fields)


def _unknown_type(fields: list[bytes], number: int) -> bytes:
    place = 2 + number % 2
    return _end(place, fields, (b"Protein", b"gene", b"")[number % 3] + b"|" + fields[place].split(b"|", 1)[1])


def _empty_id(fields: list[bytes], number: int) -> bytes:
    place = 2 + number % 2
    return _end(place, fields, fields[place].split(b"|", 1)[0] + (b"|", b"|-")[number // 2 % 2])


def _inside(byte: bytes) -> Callable[[list[bytes], int], bytes]:
    return lambda fields, number: _end(2 + number % 2, fields, fields[2 + number % 2] + byte)


def whole(fields: list[bytes], number: int) -> bytes:
    """Return the line unchanged."""
    del number
    return b"\t".join(fields)


def overlong(fields: list[bytes], number: int) -> bytes:
    """Return the line with a last field of more than a megabyte."""
    return _end(len(fields) - 1, fields, fields[-1] + b"x" * (LONGEST + number % 100))


_BAD_PMID = _other(0, b"0", b"-17", b"12a", b"", b"1.5", b"+3")

#: Traps for rows of relations: PMID, relation, key, key.
RELATION_TRAPS: tuple[Trap, ...] = (
    Trap(20, "wrong_column_count", _columns),
    Trap(10, "unknown_relation", _other(1, b"Treat", b"causes", b"", b"treat ")),
    Trap(10, "unknown_type", _unknown_type),
    Trap(20, "empty_id", _empty_id),
    Trap(10, "bad_pmid", _BAD_PMID),
    Trap(5, "invalid_utf8", _inside(b"\xff\xfe")),
    Trap(5, "nul_byte", _inside(b"\0")),
    Trap(10, Counts.KEPT, lambda fields, _: b"\t".join(fields) + b"\r"),
    Trap(10, Counts.NOTHING, lambda *_: b""),
)

#: Traps for rows of names: PMID, type, id, mentions, resource.
NAME_TRAPS: tuple[Trap, ...] = (
    Trap(20, "wrong_column_count", _columns),
    Trap(10, "unknown_type", _other(1, b"Protein", b"gene", b"")),
    Trap(20, "empty_id", _other(2, b"", b"-", b"-;-", b" ")),
    Trap(10, "bad_pmid", _BAD_PMID),
    Trap(5, "invalid_utf8", _inside(b"\xff\xfe")),
    Trap(5, "nul_byte", _inside(b"\0")),
    Trap(10, Counts.NOTHING, lambda *_: b""),
)

REPEAT = Trap(0, Counts.KEPT, whole)
OVERLONG = Trap(0, "overlong_line", overlong)
