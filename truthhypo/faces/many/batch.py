"""Judge many texts, and write a JSON Lines file and optionally a table. A second run resumes an interrupted one."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any

from groundwork.errors import InputError
from groundwork.files import loads
from groundwork.llm.usage import total
from groundwork.ports import NO_USAGE, LanguageModel, Progress, Silent
from groundwork.records import Record
from truthhypo import provenance
from truthhypo.faces.judging_outcome import fault, judgeable, model_failed, unanswered, wholly_unread
from truthhypo.faces.many.report import Command, ManyReport, Table, records_of, table_for
from truthhypo.faces.many.sources import Said, Source, Texts
from truthhypo.faces.progress import watched
from truthhypo.json_files import RecordFile
from truthhypo.worker_pool import PATIENCE, WorkerPool, pool_for, was_cancelled

if TYPE_CHECKING:
    pass


@dataclass(slots=True)
class Account:
    """Counts of a run.

    Attributes:
        written: Number of texts judged without a failure.
        failed: Number of texts whose judgement raised an exception or had a call without a reply. Such a text has a
            record with `error`, and the next run judges it again.
        left: Number of texts not judged because the budget was spent.
        usage: Model usage, summed over the records of this run; empty without model calls.
    """

    written: int = 0
    failed: int = 0
    left: int = 0
    usage: dict[str, float | None] = field(default_factory=dict)


class Batch:
    """A run over many texts, stored as JSON Lines.

    Each record is a judgement with three fields before it: `number` (the position in the input, from 1), `id` (if the
    input has ids) and `run` (the options and other inputs of the judgement). A second run reads these fields to see
    which texts are done and whether the inputs are the same. If a model call got no reply, the record has `error`
    beside the claims that were judged. If the judgement raised an exception, the record has only the text and `error`.
    The next run judges both kinds of text again. An unusable reply is final, and its record is kept. A text for which
    the budget was too small has no record. At the end of a run, the records are sorted into the order of the texts,
    and the table is written from them.

    Args:
        out: The JSON Lines file. It is created if it does not exist.
        options: Options of the judgement.
        table: A table to make from the records, or None.
        makers: Other inputs on which the answers depend, by their name in `run` and in error messages. A string is
            stored unchanged, and any other value as a digest.
    """

    def __init__(self, out: Path, options: dict[str, Any], table: Table | None = None, **makers: object) -> None:
        self.out, self._records = out, RecordFile(out)
        self._table = table
        self._told = {name: held for name, held in makers.items() if isinstance(held, str)}
        self.made = {
            name: provenance.digest(held) for name, held in {"options": options, **makers}.items()
        } | self._told

    def run(
        self,
        texts: Sequence[Said],
        check: Callable[[str], dict[str, Any]],
        pool: WorkerPool | None = None,
        progress: Progress | None = None,
    ) -> dict[str, Any]:
        """Judge the texts that have no judgement yet.

        Args:
            texts: The texts to judge.
            check: Function that judges one text and returns the record.
            pool: The worker pool. With None, the texts are judged one after the other.
            progress: Receives the number of finished texts.

        Returns:
            Counts with these keys: texts; empty (records without a text in the input file); written (by this run); kept
            (from earlier runs); failed; left (not judged, because the budget was spent); unusable (no claim could be
            judged, because no reply was usable); unread (the rule-based judge found no relation in any claim). The last
            two count texts of this run and of earlier runs. Further keys: out (path of the result), records (path of
            the JSON Lines file) and usage.

        Raises:
            InputError: The file was written with other options or for other texts, or cannot be written.
            StoreBusy: Another run is writing the file.
            ModelFaltered, ModelTooSlow: The model failed on several texts in a row.
        """
        account = Account()
        with self._records.locked():
            pending = self.pending(texts)
            try:
                results = judged(pool or WorkerPool(), check, pending, account, progress or Silent())
                with self._records.appending() as append, closing(results):
                    for said, record in results:
                        named = {} if said.id is None else {"id": said.id}
                        append({"number": said.number, **named, "run": self.made, **record})
            finally:
                unusable, unread = self._settle()
            if self._table:
                self._table.write(self.out)
        return {
            "texts": len(texts),
            "empty": texts.empty if isinstance(texts, Texts) else 0,
            "written": account.written,
            "kept": len(texts) - len(pending),
            "failed": account.failed,
            "left": account.left,
            "unusable": unusable,
            "unread": unread,
            "out": str(self._table.path if self._table else self.out),
            "records": str(self.out),
            "usage": account.usage,
        }

    def pending(self, texts: Sequence[Said]) -> list[Said]:
        """Return the texts without a judgement. Texts that failed in an earlier run come last.

        Nothing is written.
        """
        if not self.out.exists():
            if self._table and self._table.path.exists():
                seen = f"{self._table.path} exists, but {self.out} does not"
                wanted = "a table with its records, or no table yet"
                raise InputError(seen, wanted, "give another file by the argument `out`, or remove the table")
            return list(texts)
        known = {said.number: (said.text, said.id) for said in texts}
        # If a text has several records, the last one counts.
        failed = dict(self._checked(line, known) for line in self._records.lines())
        left = [said for said in texts if failed.get(said.number, True)]
        return sorted(left, key=lambda said: said.number in failed)

    def _checked(self, line: bytes, texts: Mapping[int, tuple[str, str | int | None]]) -> tuple[int, bool]:
        """Check that a record belongs to this run. Return its number, and whether it has an `error`."""
        try:
            record = loads(line)
            number, run, said = record["number"], record["run"], (record["text"], record.get("id"))
        except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError):
            raise InputError(
                f"{self.out} is not the output of an earlier run",
                "records of this command",
                "give another file by the argument `out`",
            ) from None
        if run != self.made or texts.get(number) != said:
            what = "for other texts" if run == self.made else self._difference(run)
            remedy = "give another file by the argument `out`, remove this file, or undo the change"
            raise InputError(f"{self.out} was written {what}", "records of the same run, to resume", remedy)
        return int(number), bool(record.get("error"))

    def _difference(self, run: object) -> str:
        """Return the difference between the `run` of a record and this run, as part of an error message."""
        if not isinstance(run, dict):
            return "by an earlier version of this program"
        names = [name for name in {**self.made, **run} if run.get(name) != self.made.get(name)]
        told = {name: f" ({run.get(name, 'none')}, now {self.made[name]})" for name in names if name in self._told}
        return "with other " + ", ".join(name + told.get(name, "") for name in names)

    def _settle(self) -> tuple[int, int]:
        """Keep the last record of each text, in the order of the texts, and replace the file in one step."""
        lines = list(self._records.lines()) if self.out.exists() else []
        records = ((loads(line), line) for line in lines)
        latest = {
            int(record["number"]): (line, not record.get("error") and not judgeable(record), wholly_unread(record))
            for record, line in records
        }
        ordered = [latest[number][0] for number in sorted(latest)]
        counted = sum(each[1] for each in latest.values()), sum(each[2] for each in latest.values())
        if ordered != lines:
            self._records.replace(ordered)
        return counted


def judged(
    pool: WorkerPool,
    check: Callable[[str], dict[str, Any]],
    texts: Sequence[Said],
    account: Account,
    progress: Progress,
    patience: int = PATIENCE,
) -> Generator[tuple[Said, dict[str, Any]], None, None]:
    """Yield the record of each text, in order. A text for which the budget was too small counts as left.

    Args:
        pool: The worker pool.
        check: Function that judges one text and returns the record.
        texts: The texts to judge.
        account: Receives the counts.
        progress: Receives the number of finished texts.
        patience: After this many texts in a row on which the model failed (>= 1), the judging ends with an error.

    Raises:
        ModelFaltered, ModelTooSlow: The model failed on several texts in a row. Only the last of them has no record.
    """
    account.left, row = len(texts), 0
    progress.begin("judging", len(texts), "texts")
    with closing(pool.run(lambda said: check(said.text), texts)) as outcomes:
        for said, outcome in outcomes:
            try:
                record = outcome.result()
            except CancelledError:
                continue
            except Exception as error:
                row += model_failed(error)
                if row == patience:
                    raise
                told = fault(error)
                account.failed, account.left = account.failed + 1, account.left - 1
                yield said, {"text": said.text, "error": told}
                progress.advance(1)  # after the caller has kept the record, so that what is counted survives a kill
                continue
            row, usage = 0, {name: count for name, count in record.get("usage", {}).items() if name in NO_USAGE}
            account.usage = total([account.usage, usage])
            if usage.get("unasked"):
                pool.stop()
                continue
            account.left -= 1
            if why := record.get("error") or unanswered(record):
                account.failed += 1
                yield said, record | {"error": why}
            else:
                account.written += 1
                yield said, record
            progress.advance(1)


def judge_many(
    command: Command,
    prepared: Callable[[], tuple[Source, dict[str, Any]]],
    judge: Callable[..., Record],
    model: LanguageModel | None,
    home: Path,
    progress: bool | Progress,
    out: str | Path | None,
) -> ManyReport:
    """Judge many texts, pairs or citing claims, show the progress, and keep the finished judgements.

    Args:
        command: The command or method that makes the records.
        prepared: Function that reads what to judge, and returns it with the inputs of its `Batch`.
        judge: Function that gets a model and a text, or the arguments in `Source.calls`, and returns the judgement.
        model: The language model, of which a worker pool is made; None if the judgements ask none.
        home: The folder HOME.
        progress: As in `World.ground_many`.
        out: As in `World.ground_many`.
    """
    table = None if out is None else table_for(Path(out), command)
    source, inputs = prepared()
    path = records_of(Path(out)) if out else _records_file(home, [source.texts, inputs])
    pool, shared = pool_for(model)

    def check(text: str) -> dict[str, Any]:
        called = source.calls.get(text, (text,))
        return dict(source.refused.get(text) or {"text": text} | judge(shared, *called).to_dict())

    with watched(progress) as seen:
        try:
            summary = Batch(path, table=table, **inputs).run(source.texts, check, pool, seen)
        except BaseException as stopped:
            stopped.add_note(f"The finished texts are kept in {path}; the same call continues the run.")
            raise
    if out:
        return ManyReport(command, summary, source.unfit, source.labels, path)
    lines = tuple(path.read_bytes().splitlines(keepends=True))
    refused = sum(said.text in source.refused for said in source.texts)
    if summary["failed"] == refused and not summary["left"] and not was_cancelled():
        path.unlink()
        Path(f"{path}.lock").unlink(missing_ok=True)
    return ManyReport(command, {**summary, "out": None, "records": None}, source.unfit, source.labels, lines)


def _records_file(home: Path, run: object) -> Path:
    """Return the file in which a run without `out` keeps its records: one file per run, under HOME if possible."""
    for folder in (home / "cache" / "runs", Path(gettempdir()) / "truthhypo-runs"):
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder / f"{provenance.digest(run)}.jsonl"
    raise InputError(
        "neither HOME nor the folder for temporary files can be written", "a writable folder", "give the argument `out`"
    )
