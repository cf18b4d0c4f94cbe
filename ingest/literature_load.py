"""The load of PubMed records and deletions into the literature."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic

import pyarrow as pa

from groundwork.ports import Literature, Progress, Silent
from groundwork.records import Release
from groundwork.settings import Settings
from ingest import articles, live, pubmed, shelf, staged
from ingest.engine import read
from ingest.intake import Intake, Options, take_in
from ingest.receipt import Effect, Receipt
from ingest.rejects import Rejects, RowCount
from ingest.release import SourceFile
from ingest.snapshot import PUBMED
from ingest.workspace import workspace

Paths = Sequence[str | Path]

_ROWS = 500  # PubMed records in memory at a time


def load_pubmed(
    files: Paths,
    literature: Literature,
    settings: Settings,
    *,
    release: str | None = None,
    max_rejects: int | None = None,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Receipt:
    """Load PubMed records and deletions into the literature, in the order of the files.

    Args and errors as `load_relations`; files as PubMed's XML or MedRAG's JSONL.
    """
    options = Options(release, max_rejects, dry_run, progress=progress or Silent())
    literature.releases()
    index = shelf.untouched(literature) if dry_run else literature
    with workspace(settings.home) as folder:
        taken = take_in(PUBMED, files, _read_pubmed, staged.RECORDS, settings, options, folder)
        with index.writing():
            known = index.releases()
            record = replace(_release(taken), order=live.next_order(PUBMED, known))
            live.check_bytes(record, known)
            index.put_release(record)
            records = staged.to_records(read(taken.table, _ROWS))
            counts = articles.put_records(index, records, record.id)
            index.put_release(replace(record, state="live"))
        return replace(taken.receipt, documents=Effect(**counts), seconds=monotonic() - taken.started)


def _release(taken: Intake) -> Release:
    """The release as a store will know it; its order is found when the store is held."""
    rows = taken.receipt.rows
    return Release(
        source=taken.receipt.source,
        id=taken.receipt.release,
        sha256=taken.sha256,
        rows=rows.read,
        kept=rows.kept,
        rejected=rows.rejected,
        state="loading",
        loaded_at=datetime.now(UTC).isoformat(),
    )


def _read_pubmed(
    files: Sequence[SourceFile], rejects: Rejects, rows: RowCount, progress: Progress
) -> Iterator[pa.RecordBatch]:
    return staged.from_records(pubmed.read(files, rejects, rows, progress))
