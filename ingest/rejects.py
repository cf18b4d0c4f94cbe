"""Rows that could not be kept: counted by reason, and written to a file for inspection."""

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import IO, Self

import pyarrow as pa
import pyarrow.compute as pc

#: Maximum number of characters of a rejected row in the rejects file; the rest of the row is left out.
TEXT_LIMIT = 1000

#: Maximum number of bytes of a line; longer lines are rejected and never kept in memory.
LINE_LIMIT = 1_000_000


class Reason(StrEnum):
    """The reason why a row was rejected; the value is its name in receipts and in the rejects file."""

    OVERLONG_LINE = "overlong_line"
    NUL_BYTE = "nul_byte"
    INVALID_UTF8 = "invalid_utf8"
    WRONG_COLUMN_COUNT = "wrong_column_count"
    BAD_PMID = "bad_pmid"
    NO_PMID = "no_pmid"
    UNKNOWN_RELATION = "unknown_relation"
    UNKNOWN_TYPE = "unknown_type"
    EMPTY_ID = "empty_id"
    LONG_KEY = "long_key"
    UNMATCHED_ID = "unmatched_id"
    AMBIGUOUS_ID = "ambiguous_id"
    MALFORMED_RECORD = "malformed_record"
    EMPTY_DOCUMENT = "empty_document"
    SAME_CONCEPT = "same_concept"
    UNKNOWN_CONCEPT = "unknown_concept"
    UNRESOLVED_ENTITY = "unresolved_entity"
    EMPTY_NAME = "empty_name"


class OverlongLine(bytes):
    """The beginning of a line that is longer than `LINE_LIMIT`; the rest was skipped."""


@dataclass
class RowCount:
    """The counts of a reader. Every row that was read is either counted in `kept` or rejected.

    Attributes:
        kept: Number of rows kept (lines; relations for documents; articles, deletions and JSONL lines for PubMed).
        documents: Number of documents, with or without rows.
        annotations: Number of annotations kept. They do not count as rows.
        unnormalised: Number of annotations left out because they have no id. They do not count as rows.
        problems: Number of other problems with annotations, by kind. They do not count as rows.
        organisms: Taxon id of each gene whose organism the ids tell, by key.
    """

    kept: int = 0
    documents: int = 0
    annotations: int = 0
    unnormalised: int = 0
    problems: Counter[str] = field(default_factory=Counter)
    organisms: dict[str, str] = field(default_factory=dict)


def decoded(line: bytes) -> str | Reason:
    """Return the line as text, or the reason why it is not valid text: too long, a NUL byte, or not UTF-8."""
    if isinstance(line, OverlongLine):
        return Reason.OVERLONG_LINE
    if b"\0" in line:
        return Reason.NUL_BYTE
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return Reason.INVALID_UTF8


def fields(line: bytes, count: int) -> list[str] | Reason:
    """Return the tab-separated fields of a line, or the reason why it is not a valid text with `count` fields."""
    text = decoded(line)
    if isinstance(text, Reason):
        return text
    found = text.split("\t")
    return found if len(found) == count else Reason.WRONG_COLUMN_COUNT


def unstorable(text: str) -> Reason | None:
    """Return the reason why no store can contain a text (a NUL or an unpaired surrogate); None if a store can do so."""
    if "\0" in text:
        return Reason.NUL_BYTE
    return Reason.INVALID_UTF8 if any("\ud800" <= character <= "\udfff" for character in text) else None


class Rejects:
    """Writes rejected rows to a TSV file with the columns file, line, reason and text, without a header.

    Use it as a context manager. The file is created with the first rejected row and is kept.

    Args:
        path: Path of the TSV; its folders are created if necessary.
    """

    def __init__(self, path: Path) -> None:
        self._path = path.absolute()
        self._out: IO[str] | None = None
        self.by_reason: Counter[str] = Counter()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def total(self) -> int:
        """Number of rows rejected so far."""
        return sum(self.by_reason.values())

    @property
    def file(self) -> Path | None:
        """Absolute path of the TSV; None while nothing is rejected."""
        return self._path if self.by_reason else None

    def add(self, file: str, line: int, reason: Reason, text: bytes | str) -> None:
        """Reject one row.

        Args:
            file: The row's file, as the user named it.
            line: Number (from 1) of the line where the row begins; in BioC-JSON, where its document begins.
            reason: The reason.
            text: The row, which is written with escapes and cut after `TEXT_LIMIT` characters.
        """
        self.by_reason[reason.value] += 1
        self._open().write(f"{visible(file)}\t{line}\t{reason.value}\t{visible(text)}\n")

    def add_all(self, file: str, lines: pa.Int64Array, reasons: pa.StringArray, texts: pa.BinaryArray) -> None:
        """Reject many rows of a file at once, with the same result as `add` for each of them.

        Args:
            file: The rows' file, as the user named it.
            lines: Line number of each row, from 1.
            reasons: A value of `Reason` for each row.
            texts: The text of each row.
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
        """Close the TSV if it is open. Calling this method twice is allowed."""
        if self._out is not None:
            self._out.close()
            self._out = None


def visible(text: bytes | str) -> str:
    r"""Return a text as one short TSV field. Backslash, tab, line end, controls and invalid UTF-8 are escaped."""
    if isinstance(text, bytes):
        clipped = len(text) > 4 * TEXT_LIMIT
        text = text[: 4 * TEXT_LIMIT].decode("utf-8", "surrogateescape")
    else:
        clipped = False
    clipped = clipped or len(text) > TEXT_LIMIT
    return "".join(map(_shown, text[:TEXT_LIMIT].translate(_ESCAPES))) + "…" * clipped


def _visible(texts: pa.BinaryArray) -> pa.StringArray:
    """Return `visible` of each text. Nearly all texts are printable ASCII with tabs; they are processed in bulk."""
    plain = pc.and_(pc.match_substring_regex(texts, _PLAIN), pc.less_equal(pc.binary_length(texts), TEXT_LIMIT))
    others = pc.invert(plain)
    shown = pa.array([visible(text).encode() for text in texts.filter(others).to_pylist()], pa.binary())
    return pc.replace_with_mask(pc.replace_substring(texts, "\t", r"\t"), others, shown).cast(pa.string())


def _shown(character: str) -> str:
    if "\udc80" <= character <= "\udcff":  # a byte that is not UTF-8
        return f"\\x{ord(character) - 0xDC00:02x}"
    return f"\\u{ord(character):04x}" if "\ud800" <= character <= "\udfff" else character


_PLAIN = r"^[\t -\[\]-~]*$"  # the tab and every printable ASCII character except the backslash

_ESCAPES = (
    {code: f"\\x{code:02x}" for code in [*range(32), 127]}
    | {code: f"\\u{code:04x}" for code in [*range(128, 160), 0x2028, 0x2029]}
    | {ord(character): escape for character, escape in (("\\", r"\\"), ("\t", r"\t"), ("\n", r"\n"), ("\r", r"\r"))}
)
