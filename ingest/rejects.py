"""Rows that could not be kept: counted by reason, and written down where a person can look at them."""

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import IO, Self

import pyarrow as pa
import pyarrow.compute as pc

#: A rejected text is shown up to this many characters; the rest is counted, not shown.
TEXT_LIMIT = 1000

#: A line longer than this many bytes is rejected, and never held in memory.
LINE_LIMIT = 1_000_000


class Reason(StrEnum):
    """Why a row was rejected; the value is the name in receipts and in the rejects file."""

    OVERLONG_LINE = "overlong_line"
    NUL_BYTE = "nul_byte"
    INVALID_UTF8 = "invalid_utf8"
    WRONG_COLUMN_COUNT = "wrong_column_count"
    BAD_PMID = "bad_pmid"
    UNKNOWN_RELATION = "unknown_relation"
    UNKNOWN_TYPE = "unknown_type"
    EMPTY_ID = "empty_id"
    UNMATCHED_ID = "unmatched_id"
    AMBIGUOUS_ID = "ambiguous_id"
    MALFORMED_RECORD = "malformed_record"
    SAME_CONCEPT = "same_concept"
    UNKNOWN_CONCEPT = "unknown_concept"
    UNRESOLVED_ENTITY = "unresolved_entity"


class Overlong(bytes):
    """The beginning of a line that is longer than `LINE_LIMIT`; the rest of it was skipped."""


@dataclass
class RowCount:
    """What a reader kept. Rows read are `kept` plus the rejects: every row is one or the other.

    Attributes:
        kept: Rows kept (a line; for documents a relation; for PubMed an article, a deletion or a JSONL line).
        documents: Documents seen, whether or not they hold a row.
        annotations: Annotations kept. They are no rows.
        unnormalised: Annotations without an id, left out. They are no rows either.
        problems: Other things about annotations that are not as they should be, counted by kind. No rows either.
    """

    kept: int = 0
    documents: int = 0
    annotations: int = 0
    unnormalised: int = 0
    problems: Counter[str] = field(default_factory=Counter)


def decoded(line: bytes) -> str | Reason:
    """The line as text, or the reason why it cannot be one: too long, a NUL byte, or not UTF-8."""
    if isinstance(line, Overlong):
        return Reason.OVERLONG_LINE
    if b"\0" in line:
        return Reason.NUL_BYTE
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return Reason.INVALID_UTF8


def fields(line: bytes, count: int) -> list[str] | Reason:
    """The fields of a line, between tabs, or the reason why it has not so many."""
    text = decoded(line)
    if isinstance(text, Reason):
        return text
    found = text.split("\t")
    return found if len(found) == count else Reason.WRONG_COLUMN_COUNT


def unstorable(text: str) -> Reason | None:
    """Why no store can hold a text that came out of JSON escapes: a NUL, or half a surrogate pair; else None."""
    if "\0" in text:
        return Reason.NUL_BYTE
    return Reason.INVALID_UTF8 if any("\ud800" <= character <= "\udfff" for character in text) else None


class Rejects:
    """Rejected rows, spooled to a TSV without a header (file, line, reason, text), so they take no memory.

    Used as a context manager; the file is made with the first reject and stays.

    Args:
        path: Where the TSV goes; its folders are made when needed.
    """

    def __init__(self, path: Path) -> None:
        self._path = path.absolute()
        self._out: IO[str] | None = None
        self.by_reason: Counter[str] = Counter()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def total(self) -> int:
        """Rows rejected so far."""
        return sum(self.by_reason.values())

    @property
    def file(self) -> Path | None:
        """Absolute path of the TSV, None while nothing is rejected."""
        return self._path if self.by_reason else None

    def add(self, file: str, line: int, reason: Reason, text: bytes | str) -> None:
        """Reject one row.

        Args:
            file: The file it stands in, as the user named it.
            line: Its line, from 1; for formats without lines the record's number.
            reason: Why.
            text: The row as it is; shown escaped and clipped to `TEXT_LIMIT` characters.
        """
        self.by_reason[reason.value] += 1
        self._open().write(f"{visible(file)}\t{line}\t{reason.value}\t{visible(text)}\n")

    def add_all(self, file: str, lines: pa.Int64Array, reasons: pa.StringArray, texts: pa.BinaryArray) -> None:
        """Reject rows of a file as `add` would, one after the other, but many at once.

        Args:
            file: The file they stand in, as the user named it.
            lines: Of each its line, from 1.
            reasons: Of each a value of `Reason`.
            texts: Each as it is.
        """
        if not len(texts):
            return
        for count in pc.value_counts(reasons).to_pylist():
            self.by_reason[count["values"]] += count["counts"]
        rows = pc.binary_join_element_wise(visible(file), lines.cast(pa.string()), reasons, _visible(texts), "\t")
        self._open().writelines(f"{row}\n" for row in rows.to_pylist())

    def _open(self) -> IO[str]:
        if self._out is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._out = self._path.open("w", encoding="utf-8", newline="\n")
        return self._out

    def close(self) -> None:
        """Bring what was rejected to the disk. Calling it twice is no error."""
        if self._out is not None:
            self._out.close()
            self._out = None


def visible(text: bytes | str) -> str:
    r"""A text as one clipped field of a TSV: backslash, tabs, line ends, controls and bad bytes as escapes (`\x00`)."""
    if isinstance(text, bytes):
        clipped = len(text) > 4 * TEXT_LIMIT
        text = text[: 4 * TEXT_LIMIT].decode("utf-8", "surrogateescape")
    else:
        clipped = False
    clipped = clipped or len(text) > TEXT_LIMIT
    return "".join(map(_shown, text[:TEXT_LIMIT].translate(_ESCAPES))) + "…" * clipped


def _visible(texts: pa.BinaryArray) -> pa.StringArray:
    """`visible` of each text; those of printable ASCII and tabs, nearly all, without a look at each character."""
    plain = pc.and_(pc.match_substring_regex(texts, _PLAIN), pc.less_equal(pc.binary_length(texts), TEXT_LIMIT))
    others = pc.invert(plain)
    shown = pa.array([visible(text).encode() for text in texts.filter(others).to_pylist()], pa.binary())
    return pc.replace_with_mask(pc.replace_substring(texts, "\t", r"\t"), others, shown).cast(pa.string())


def _shown(character: str) -> str:
    if "\udc80" <= character <= "\udcff":  # a byte that is not UTF-8
        return f"\\x{ord(character) - 0xDC00:02x}"
    return f"\\u{ord(character):04x}" if "\ud800" <= character <= "\udfff" else character


_PLAIN = r"^[\t -\[\]-~]*$"  # every printable ASCII character but the backslash, and the tab

_ESCAPES = (
    {code: f"\\x{code:02x}" for code in [*range(32), 127]}
    | {code: f"\\u{code:04x}" for code in [*range(128, 160), 0x2028, 0x2029]}
    | {ord(character): escape for character, escape in (("\\", r"\\"), ("\t", r"\t"), ("\n", r"\n"), ("\r", r"\r"))}
)
