"""Load PubMed records and deletions into the literature, file by file.

Readers of the index see nothing of the load before all files are written. If a run is killed, the same command
continues after the last file that was completely written.
"""

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from shutil import copyfileobj
from time import monotonic

from pyarrow import parquet

from groundwork.errors import InputError
from groundwork.manifest import seal
from groundwork.ports import Literature, Progress, Silent
from groundwork.records import Release
from groundwork.records.release import label
from groundwork.settings import Settings
from ingest import concepts, literature_sync, live
from ingest.documents import document
from ingest.engine import Engine, read, write
from ingest.intake import ID_DIGITS, Options, refuse, reject_log
from ingest.pending import unfinished
from ingest.pubmed import reader as pubmed
from ingest.pubmed.delivery import Delivery, LoadedFiles, take_delivery
from ingest.pubmed.ledger import Ledger, ledger, place
from ingest.receipt import OlderFilesWarning, Receipt, Rows
from ingest.rejects import Rejects, RowCount
from ingest.snapshot import PUBMED, checked_name
from ingest.workspace import workspace

_SAID = "entities.json"


def sort(named: Delivery, settings: Settings, folder: Path, progress: Progress) -> Path:
    """Write the distinct pairs (pmid, key) of entity files, sorted by both, unless they are already in the folder.

    Args:
        named: The entity files.
        settings: Memory limit and threads.
        folder: The folder for the table and for the rejected lines.
        progress: Receives the number of bytes read.

    Returns:
        The path of the table.

    Raises:
        InputError: If a file cannot be read to its end, has no row, or no row names a concept of a document.
    """
    file, raw, fresh = (folder / name for name in ("keys.parquet", "pairs.parquet", "keys.parquet.new"))
    if not file.exists():
        files, rows = [named.open(number) for number in range(len(named.files))], RowCount()
        with Rejects(folder / "no-entities.tsv") as rejects:
            write(concepts.read_pairs(files, rejects, rows, progress), concepts.PAIRS, raw)
        _check_any(raw, named, rejects)
        said = {"kept": rows.kept, "rejected": rejects.total, **dict(rejects.by_reason.most_common())}
        (folder / _SAID).write_text(json.dumps(said), "utf-8")
        with Engine(settings, folder) as engine:
            engine.write(engine.table(raw).distinct().order_by("pmid", "key"), fresh)
        raw.unlink()
        fresh.replace(file)
    return file


def counts(folder: Path) -> dict[str, int]:
    """Return the numbers of entity rows kept and rejected, and the rejected ones by reason; call this after `sort`."""
    said: dict[str, int] = json.loads((folder / _SAID).read_text("utf-8"))
    return said


def join(records: Path, keys: Path, settings: Settings, folder: Path) -> Path:
    """Write the records with an additional column `entities`, and return the path.

    Args:
        records: The records (`document.RECORDS`).
        keys: The result of `sort`. The column `entities` holds all keys that this table has for the PMID of the record,
            sorted; null if the table has none.
        settings: Memory limit and threads.
        folder: The folder for the result.
    """
    with Engine(settings, folder) as engine:
        wanted, named = engine.table(records), engine.table(keys)
        mine = named.semi_join(wanted, "pmid").group_by("pmid").agg(entities=named.key.collect(order_by=named.key))
        return engine.write(
            wanted.left_join(mine, "pmid").drop("pmid_right").order_by("position"), folder / "joined.parquet"
        )


def _check_any(pairs: Path, named: Delivery, rejects: Rejects) -> None:
    """Raise InputError if there is no pair, because wrong files would remove all concepts of the articles."""
    if parquet.read_metadata(pairs).num_rows:
        return
    reasons = ", ".join(f"{count} {reason}" for reason, count in rejects.by_reason.most_common())
    raise InputError(
        f"{', '.join(file.path for file in named.files)} assigns no concept to any article ({reasons} rejected)",
        "a file of concepts in articles, such as bioconcepts2pubtator3, for --concepts",
        "check that this is the right file",
    )


Paths = Sequence[str | Path]

_ROWS = 500  # number of records in memory at a time


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
    """Load PubMed records and deletions into the literature, with NLM's files in the order of their numbers.

    Args:
        files: Files in PubMed's XML or MedRAG's JSONL, plain or .gz, or `-` for standard input. Their .md5 files may be
            given as well; .md5 files beside the files are found without being given.
        literature: The index.
        settings: HOME, memory limit.
        release: ID; by default the first 12 hexadecimal digits of the files' SHA-256.
        concepts: Entity files; the keys that they give for a PMID are joined to the records of this load. Without
            entity files, records keep the keys that were joined before.
        max_rejects: Number of rejected rows allowed; by default 1 % of the rows, at least 100.
        dry_run: Whether to read, count and compare only, without changes.
        rebuild: Whether to build a new index from these records and the PubTator documents in the current index.
        progress: Receives the progress; optional.

    Returns:
        The receipt, with the effect on documents.

    Raises:
        InputError: If a file or the ID is not valid, a file does not match its checksum, or the ID was used for files
            with other bytes.
        TooManyRejects: If more rows were rejected than allowed; readers see no change.
        StoreError: If the store failed; run the same command again to continue the load.
    """
    started = monotonic()
    options = Options(release, max_rejects, dry_run, rebuild, progress or Silent())
    if release is not None:
        checked_name("release ID", release)
    literature.releases()  # an unreachable index is reported before the files are read
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
    """Return the ledger of the load that these arguments identify. A dry run has a temporary ledger of its own."""
    if options.dry_run:
        return closing(Ledger(folder))
    load = (options.release, delivery.sha256, named.sha256 if named else None, options.rebuild)
    return ledger(settings.home, _store(index, settings), repr(load))


def _store(index: Literature, settings: Settings) -> str:
    return f"{index.address} {settings.literature_index}"


@dataclass(frozen=True, slots=True)
class _Load:
    """One load of files with known hashes.

    Attributes:
        index: The literature.
        settings: HOME, memory limit.
        options: The options of the load.
        delivery: The files of records.
        named: The entity files; None if there are none.
        folder: A folder of this run.
        book: The record of what earlier runs of this load have done.
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
        """Do the remaining steps, then make the load visible to readers; return the receipt without its time."""
        told = label(f"{PUBMED}:{self.release}", self._names)
        with (
            unfinished(f"{told} into {self.index.address}", "the literature as it was before"),
            self.index.writing(
                resume=self.book.notes(), fresh=self.options.rebuild, progress=self.options.progress
            ) as reached,
        ):
            known = self.index.releases()
            live.check_bytes(self._record(0, 0, 0), known, self.settings.home)
            self.book.agree(reached)
            for step in range(self.book.done, self._steps):
                self._do(step)
            loaded = LoadedFiles(place(self.settings.home, _store(self.index, self.settings)), _ids(known))
            receipt = self._receipt(None if self.options.rebuild else loaded.older(self._names))
            refuse(receipt, RowCount(), self.options.max_rejects)
            if not self.options.dry_run:
                loaded.add(self.release, self._names, fresh=self.options.rebuild)
                new, files = [self._record(0, 0, 0)], {f"{PUBMED}:{self.release}": self._names}
                live.record_holdings(self.settings.home, self.index, new, files, fresh=self.options.rebuild)
            self._put_releases(known, receipt.rows)
        return receipt

    @property
    def _names(self) -> list[str]:
        return [file.path for file in self.delivery.files]

    @property
    def _steps(self) -> int:
        """Number of steps: one per file, and one before them if the index is built anew."""
        return self.options.rebuild + len(self.delivery.files)

    def _do(self, step: int) -> None:
        """Write the articles of a step (counted from 0), let the store save them, and record the step as done."""
        rows, rejected = RowCount(), dict[str, int]()
        if step < self.options.rebuild:
            literature_sync.put_bare(self.index, self.release, self.book.account)
        else:
            rows, rejected = self._put(step)
        self.index.keep(self.book.note(step + 1))
        self.book.write(rows.kept, rejected)

    def _put(self, step: int) -> tuple[RowCount, dict[str, int]]:
        """Read one file to its end, check that it is unchanged, and write its records."""
        number, rows = step - self.options.rebuild, RowCount()
        file = self.delivery.open(number)
        with Rejects(self._rejects(step)) as rejects:
            batches = document.from_records(pubmed.read([file], rejects, rows, self.options.progress))
            table = write(batches, document.RECORDS, self.folder / "records.parquet")
        file.drain()
        if file.sha256 != self.delivery.files[number].sha256:
            raise InputError(
                f"{file.path} changed while it was loaded", "files that do not change", "run the same command again"
            )
        if self.named is not None:
            table = join(table, self._keys(self.named), self.settings, self.folder)
        records = document.to_records(read(table, _ROWS))
        literature_sync.put_records(self.index, records, self.release, self.book.account, bare=self.options.rebuild)
        return rows, dict(rejects.by_reason)

    def _keys(self, named: Delivery) -> Path:
        """Return the path of the table (pmid, key) of the entity files, which is written once per load."""
        return sort(named, self.settings, self.book.folder, self.options.progress)

    def _rejects(self, step: int) -> Path:
        return self.book.folder / f"rejects-{step:06}.tsv"

    def _receipt(self, older: OlderFilesWarning | None) -> Receipt:
        kept, rejected = self.book.rows()
        return Receipt(
            release=self.release,
            files=self.delivery.files,
            rows=Rows(kept + rejected.total(), kept, rejected.total(), self.book.account.repeated()),
            rejected_by_reason=dict(rejected.most_common()),
            rejects_file=str(self._all_rejects()) if rejected else None,
            seconds=0.0,
            source=PUBMED,
            dry_run=self.options.dry_run,
            annotations=counts(self.book.folder) if self.named is not None else None,
            documents=self.book.account.effect(self.index.info().documents),
            older=older,
        )

    def _all_rejects(self) -> Path:
        """Write the rejected rows of all files to one permanent file, and return its path."""
        file = reject_log(self.settings.home, PUBMED).absolute()
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("wb") as out:
            for step in range(self._steps):
                if self._rejects(step).exists():
                    with self._rejects(step).open("rb") as part:
                        copyfileobj(part, out)
        seal(file)
        return file

    def _put_releases(self, known: Sequence[Release], rows: Rows) -> None:
        """Record the release. If the index was built anew, also record the releases of the old index."""
        if self.options.rebuild:
            for other in known:
                gone = other.kind == PUBMED and other.state == "live"
                self.index.put_release(replace(other, state="past") if gone else other)
        record = self._record(rows.read, rows.kept, rows.rejected)
        self.index.put_release(replace(record, order=live.next_order(PUBMED, known)))

    def _record(self, read: int, kept: int, rejected: int) -> Release:
        moment = datetime.now(UTC).isoformat()
        return Release(PUBMED, self.release, self.delivery.sha256, read, kept, rejected, "live", moment)


def _ids(known: Sequence[Release]) -> list[str]:
    return [release.id for release in known if release.kind == PUBMED]
