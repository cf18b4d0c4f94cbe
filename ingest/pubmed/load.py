"""The load of PubMed records and deletions into the literature, file by file.

The index shows nothing of it before all files are in. A run that is killed is gone on with, by the same command, after
the last file that was wholly put.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from shutil import copyfileobj
from time import monotonic

import pyarrow as pa

from groundwork.errors import InputError
from groundwork.ports import Literature, Progress, Silent
from groundwork.records import Release
from groundwork.settings import Settings
from ingest import articles, holdings, literature_sync, live
from ingest.documents import staged
from ingest.engine import read, write
from ingest.intake import ID_DIGITS, Options, refuse, reject_log
from ingest.pubmed import entity_keys
from ingest.pubmed import reader as pubmed
from ingest.pubmed.delivery import Delivery, take_delivery
from ingest.pubmed.ledger import Ledger, ledger, place
from ingest.pubmed.numbered import LoadedFiles
from ingest.receipt import Older, Receipt, Rows
from ingest.rejects import Rejects, RowCount
from ingest.snapshot import PUBMED, checked_name
from ingest.unfinished import unfinished
from ingest.workspace import workspace

Paths = Sequence[str | Path]

_ROWS = 500  # records in memory at a time


def load_pubmed(
    files: Paths,
    literature: Literature,
    settings: Settings,
    *,
    release: str | None = None,
    concepts: Paths = (),
    max_rejects: int | None = None,
    dry_run: bool = False,
    rebuild: bool = False,
    progress: Progress | None = None,
) -> Receipt:
    """Load PubMed records and deletions into the literature, NLM's files in the order of their numbers.

    Args:
        files: Files as PubMed's XML or MedRAG's JSONL, plain or .gz, or `-`; and their .md5 files, which are looked for
            beside them too.
        literature: The index.
        settings: HOME, memory limit.
        release: ID; default the first 12 hex digits of the files' SHA-256.
        concepts: Entity files; the keys that they name for a PMID are joined onto the records of this load. Without
            any, records keep what was joined onto them before.
        max_rejects: Rejected rows allowed; default 1 % of the rows, at least 100.
        dry_run: Read, count and compare; change nothing.
        rebuild: Make a new index of these records and of the PubTator documents that the present one holds.
        progress: Who watches.

    Returns:
        The receipt, with the effect on documents.

    Raises:
        InputError: A bad file or ID, a wrong checksum; the same ID with other bytes.
        TooManyRejects: More rejects than allowed; readers see no change.
        StoreError: The store failed; the same command again goes on with the load.
    """
    started = monotonic()
    options = Options(release, max_rejects, dry_run, rebuild, progress or Silent())
    if release is not None:
        checked_name("release ID", release)
    literature.releases()  # an index that cannot be reached is told before the files are read
    index = literature_sync.untouched(literature) if dry_run else literature
    with workspace(settings.home) as folder:
        delivery = take_delivery(files, folder, options.progress)
        named = take_delivery(concepts, folder, options.progress) if concepts else None
        with _ledger(index, settings, options, delivery, named, folder) as book:
            load = _Load(index, settings, options, delivery, named, folder, book)
            return replace(load.run(), seconds=monotonic() - started)


def _ledger(
    index: Literature,
    settings: Settings,
    options: Options,
    delivery: Delivery,
    named: Delivery | None,
    folder: Path,
) -> AbstractContextManager[Ledger]:
    """The ledger of a load that depends on all this; a dry run has one of its own."""
    if options.dry_run:
        return closing(Ledger(folder))
    load = (options.release, delivery.sha256, named.sha256 if named else None, options.rebuild)
    return ledger(settings.home, _store(index, settings), repr(load))


def _store(index: Literature, settings: Settings) -> str:
    return f"{index.address} {settings.literature_index}"


@dataclass(frozen=True, slots=True)
class _Load:
    """One load of files whose hashes are known.

    Attributes:
        index: The literature.
        settings: HOME, memory limit.
        options: What was asked for.
        delivery: The files of records.
        named: The entity files, None if they are not to be joined.
        folder: A folder of this run.
        book: What earlier runs of this load have done.
    """

    index: Literature
    settings: Settings
    options: Options
    delivery: Delivery
    named: Delivery | None
    folder: Path
    book: Ledger

    @property
    def release(self) -> str:
        return self.options.release or self.delivery.sha256[:ID_DIGITS]

    def run(self) -> Receipt:
        """Do the steps that are not done yet, then let readers see the load; the receipt, but for its time."""
        with (
            unfinished(f"pubmed:{self.release} into {self.index.address}", "the literature as it was before"),
            self.index.writing(
                resume=self.book.notes(), fresh=self.options.rebuild, progress=self.options.progress
            ) as reached,
        ):
            known = self.index.releases()
            live.check_bytes(self._record(0, 0, 0), known)
            self.book.agree(reached)
            for step in range(self.book.done, self._steps):
                self._do(step)
            loaded = LoadedFiles(place(self.settings.home, _store(self.index, self.settings)), _ids(known))
            receipt = self._receipt(None if self.options.rebuild else loaded.older(self._names))
            refuse(receipt, RowCount(), self.options.max_rejects)
            if not self.options.dry_run:
                loaded.add(self.release, self._names, fresh=self.options.rebuild)
                new, files = [self._record(0, 0, 0)], {f"{PUBMED}:{self.release}": self._names}
                holdings.note(self.settings.home, self.index, new, files, fresh=self.options.rebuild)
            self._put_releases(known, receipt.rows)
        return receipt

    @property
    def _names(self) -> list[str]:
        return [file.path for file in self.delivery.files]

    @property
    def _steps(self) -> int:
        """One a file, and one before them where the index is made anew."""
        return self.options.rebuild + len(self.delivery.files)

    def _do(self, step: int) -> None:
        """Put what a step gives, have the store keep it, and write it down."""
        rows, rejected = RowCount(), dict[str, int]()
        if step < self.options.rebuild:
            articles.put_bare(self.index, self.release, self.book.account)
        else:
            rows, rejected = self._put(step)
        self.index.keep(self.book.note(step + 1))
        self.book.write(rows.kept, rejected)

    def _put(self, step: int) -> tuple[RowCount, dict[str, int]]:
        """Read one file to its end, see that it is still the same, and put its records."""
        number, rows = step - self.options.rebuild, RowCount()
        file = self.delivery.open(number)
        with Rejects(self._rejects(step)) as rejects:
            batches = staged.from_records(pubmed.read([file], rejects, rows, self.options.progress))
            table = write(batches, staged.RECORDS, self.folder / "records.parquet")
        file.drain()
        if file.sha256 != self.delivery.files[number].sha256:
            raise InputError(
                f"{file.path} was changed while it was loaded", "files that stay as they are", "run the load again"
            )
        if self.named is not None:
            table = entity_keys.join(table, self._keys(self.named), self.settings, self.folder)
        records = staged.to_records(_batches(table))
        articles.put_records(self.index, records, self.release, self.book.account, bare=self.options.rebuild)
        return rows, dict(rejects.by_reason)

    def _keys(self, named: Delivery) -> Path:
        """The keys that the entity files name, by PMID; made once a load."""
        return entity_keys.sort(named, self.settings, self.book.folder, self.options.progress)

    def _rejects(self, step: int) -> Path:
        return self.book.folder / f"rejects-{step:06}.tsv"

    def _receipt(self, older: Older | None) -> Receipt:
        kept, rejected = self.book.rows()
        return Receipt(
            release=self.release,
            files=self.delivery.files,
            rows=Rows(kept + rejected.total(), kept, rejected.total()),
            rejected_by_reason=dict(rejected.most_common()),
            rejects_file=str(self._all_rejects()) if rejected else None,
            seconds=0.0,
            source=PUBMED,
            dry_run=self.options.dry_run,
            annotations=entity_keys.counts(self.book.folder) if self.named is not None else None,
            documents=self.book.account.effect(self.index.info().documents),
            older=older,
        )

    def _all_rejects(self) -> Path:
        """The rejects of all files in one file that stays."""
        file = reject_log(self.settings.home, PUBMED).absolute()
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("wb") as out:
            for step in range(self._steps):
                if self._rejects(step).exists():
                    with self._rejects(step).open("rb") as part:
                        copyfileobj(part, out)
        return file

    def _put_releases(self, known: Sequence[Release], rows: Rows) -> None:
        """Write down the release, and those that an index made anew still holds; its records are this one's."""
        if self.options.rebuild:
            for other in known:
                gone = other.source == PUBMED and other.state == "live"
                self.index.put_release(replace(other, state="past") if gone else other)
        record = self._record(rows.read, rows.kept, rows.rejected)
        self.index.put_release(replace(record, order=live.next_order(PUBMED, known)))

    def _record(self, read: int, kept: int, rejected: int) -> Release:
        moment = datetime.now(UTC).isoformat()
        return Release(PUBMED, self.release, self.delivery.sha256, read, kept, rejected, "live", moment)


def _ids(known: Sequence[Release]) -> list[str]:
    return [release.id for release in known if release.source == PUBMED]


def _batches(table: Path) -> Iterator[pa.RecordBatch]:
    return read(table, _ROWS)
