"""The first half of a load: read the files, store the kept rows, and refuse a load with too many rejected rows."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from os import getpid
from pathlib import Path
from time import monotonic

import pyarrow as pa

from groundwork.errors import InputError, TooManyRejects
from groundwork.manifest import seal
from groundwork.ports import BulkImport, Progress, Silent
from groundwork.settings import Settings
from ingest.engine import write
from ingest.receipt import Receipt, files_read, rows_read
from ingest.rejects import Rejects, RowCount
from ingest.release import SourceFile, SourceFiles
from ingest.snapshot import CONCEPTS, checked_name

#: Reads files into batches of one schema.
Reader = Callable[[Sequence[SourceFile], Rejects, RowCount, Progress], Iterator[pa.RecordBatch]]

_LEAST_ALLOWED = 100  # by default, this number of rejects is allowed
_SHARE_ALLOWED = 0.01  # this share of the rows is allowed too, if that is more than `_LEAST_ALLOWED`
ID_DIGITS = 12  # number of digits of the files' SHA-256 that serve as ID of the release if no ID is given


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a load.

    Attributes:
        release: ID of the release; None to derive it from the files' SHA-256.
        max_rejects: Number of rejected rows allowed; None allows 1 % of the rows, at least 100.
        dry_run: Whether to read and count only, without changes.
        rebuild: Whether to forget releases whose snapshot is lost.
        progress: Receives the progress.
        spark: Whether to normalise on Spark.
        offline: The importer to use while its server is stopped; None to write to the running server.
    """

    release: str | None = None
    max_rejects: int | None = None
    dry_run: bool = False
    rebuild: bool = False
    progress: Progress = field(default_factory=Silent)
    spark: bool = False
    offline: BulkImport | None = None


@dataclass(frozen=True, slots=True)
class Intake:
    """The result of reading the files.

    Attributes:
        receipt: The receipt so far, without effects.
        sha256: Hash of all files in order.
        counts: The counts of the reader.
        table: The rows kept, as Parquet.
        started: Value of `time.monotonic` at the start.
    """

    receipt: Receipt
    sha256: str
    counts: RowCount
    table: Path
    started: float


def take_in(
    source: str,
    paths: Sequence[str | Path],
    reader: Reader,
    schema: pa.Schema,
    settings: Settings,
    options: Options,
    folder: Path,
) -> Intake:
    """Read the files of a release and write their rows to the disk; no store is changed.

    Args:
        source: Source of the release.
        paths: The files, in order; `-` is standard input.
        reader: Reads the files.
        schema: Schema of the reader's batches.
        settings: HOME, where rejects are written.
        options: ID, allowed rejects, progress.
        folder: The folder for the table.

    Raises:
        InputError: If the ID is not valid, a file cannot be read to its end, or a file has no row.
        TooManyRejects: If more rows were rejected than allowed, or no row can be kept. The error contains the receipt.
    """
    started = monotonic()
    if options.release is not None:
        checked_name("release ID", options.release)
    files, rows = SourceFiles(paths), RowCount()
    with Rejects(reject_log(settings.home, source)) as rejects:
        read = reader(files, rejects, rows, options.progress)
        table = write(read, schema, folder / "rows.parquet", "snappy")  # read once and removed
        for file in files:
            file.drain()
    if rejects.file:
        seal(rejects.file)
    receipt = Receipt(
        release=options.release or files.sha256[:ID_DIGITS],
        files=files_read(files),
        rows=rows_read(rows, rejects),
        rejected_by_reason=dict(rejects.by_reason.most_common()),
        rejects_file=str(rejects.file) if rejects.file else None,
        seconds=monotonic() - started,
        source=source,
        dry_run=options.dry_run,
    )
    refuse(receipt, rows, options.max_rejects)
    return Intake(receipt, files.sha256, rows, table, started)


def reject_log(home: Path, source: str) -> Path:
    """Return the path of a file for the rejected rows of this run. No other run uses this path."""
    return home / "rejects" / f"{source}-{datetime.now(UTC):%Y%m%dT%H%M%S%f}-{getpid()}.tsv"


def refuse(receipt: Receipt, rows: RowCount, allowed: int | None) -> None:
    """Raise an error if there are no rows, too many were rejected, or none was kept; see `take_in`."""
    seen = receipt.rows
    if not seen.read and not rows.documents:
        raise InputError(
            f"no row and no document in {', '.join(file.path for file in receipt.files)}",
            "at least one row, because an empty release would empty the graph",
            "check that these are the right files",
        )
    limit = max(_LEAST_ALLOWED, int(seen.read * _SHARE_ALLOWED)) if allowed is None else allowed
    nothing = not seen.kept and not rows.documents
    if seen.rejected > limit or nothing:
        reasons = ", ".join(f"{count} {reason}" for reason, count in receipt.rejected_by_reason.items())
        raise TooManyRejects(
            f"{seen.rejected} of {seen.read} rows were rejected ({reasons}); nothing was changed",
            "at least one row that can be kept" if nothing else f"at most {limit} rejects",
            f"look at the rejected rows in {receipt.rejects_file}" + ("" if nothing else _way_on(receipt)),
            receipt.to_dict(),
        )


def _way_on(receipt: Receipt) -> str:
    """Return the part of the error message that says how to load the files without the rejected rows.

    Rows without an id are usual in entity files (2.4 % of bioconcepts2pubtator3).
    """
    usual = receipt.source == CONCEPTS and "empty_id" in receipt.rejected_by_reason
    told = "; empty_id means a mention without an id, which is usual in entity files" if usual else ""
    return f"{told}; to load without these rows, add --max-rejects {receipt.rows.rejected}"
