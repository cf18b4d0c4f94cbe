"""Many texts in, JSON lines and a table out; a second run goes on where the first was stopped."""

import json
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from groundwork.errors import InputError
from groundwork.llm.usage import total
from groundwork.ports import NO_USAGE, Progress, Silent
from truthhypo.faces.outcomes import fault, judgeable, model_failed, unanswered, wholly_unread
from truthhypo.faces.tables import Table
from truthhypo.faces.texts import Said, Texts
from truthhypo.provenance import digest
from truthhypo.record_file import RecordFile
from truthhypo.worker_pool import PATIENCE, WorkerPool


@dataclass(slots=True)
class Account:
    """What a run did.

    Attributes:
        written: Texts judged.
        failed: Texts whose judging raised an exception, or with a call that got no reply: they have a record with
            `error`, and the next run judges them again.
        left: Texts not judged, since the budget was spent before.
        usage: Sum over this run's records; empty where they have none.
    """

    written: int = 0
    failed: int = 0
    left: int = 0
    usage: dict[str, float | None] = field(default_factory=dict)


class Batch:
    """A run over many texts, kept as JSON lines.

    Each record is the judgement with `number` (its place in the file), `id` (where the file has one) and `run` (what
    made it) in front, so that a second run can tell what is done and that it was made the same way.
    A text on which a call of the model got no reply has `error` beside what could be judged, and a text whose judging
    raised an exception has `error` alone; the next run judges both again. Words of no use are final, and the record
    stands. A text for which the budget did not suffice has no record. When a run ends, the records stand in the order
    of the texts, and the table is written anew from them.

    Args:
        out: The JSON lines file, made if absent.
        options: What the judgement is asked with.
        table: A table to make of the records; None: none.
        makers: What else its answers hang on, by a name that `run` and a refusal tell; a text is kept as it stands,
            anything else as a digest.
    """

    def __init__(self, out: Path, options: dict[str, Any], table: Table | None = None, **makers: object) -> None:
        self.out, self._records = out, RecordFile(out)
        self._table = table
        self._told = {name: held for name, held in makers.items() if isinstance(held, str)}
        self.made = {name: digest(held) for name, held in {"options": options, **makers}.items()} | self._told

    def run(
        self,
        texts: Sequence[Said],
        check: Callable[[str], dict[str, Any]],
        pool: WorkerPool | None = None,
        progress: Progress | None = None,
    ) -> dict[str, Any]:
        """Judge what is not judged yet.

        Args:
            texts: What is to be judged.
            check: The judgement of a text, as a record.
            pool: Who does it; one after the other where it is None.
            progress: Told of each text.

        Returns:
            texts, empty (records of the file without a text), written (by this run), kept (from earlier runs), failed,
            left, out, usage; and of those written and kept: unusable (none of their claims could be judged, as no reply
            was of use), unread (the judge by rules read no relation in any of their claims).

        Raises:
            InputError: The file out was written with other options or for other texts, or cannot be written.
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
        """The texts without a judgement, those that the model failed on before behind the others: it may fail again.

        Nothing is written.
        """
        if not self.out.exists():
            if self._table and self._table.path.exists():
                seen = f"{self._table.path} is there, and {self.out} is not"
                raise InputError(seen, "a table that this run may replace", "choose another --out, or remove it")
            return list(texts)
        known = {said.number: (said.text, said.id) for said in texts}
        failed = dict(self._checked(line, known) for line in self._records.lines())  # the later record stands
        left = [said for said in texts if failed.get(said.number, True)]
        return sorted(left, key=lambda said: said.number in failed)

    def _checked(self, line: bytes, texts: Mapping[int, tuple[str, str | int | None]]) -> tuple[int, bool]:
        """A record's number, and whether the model failed on it."""
        try:
            record = json.loads(line)
            number, run, said = record["number"], record["run"], (record["text"], record.get("id"))
        except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError):
            raise InputError(
                f"{self.out} is not an earlier run's output", "its own records", "choose another --out"
            ) from None
        if run != self.made or texts.get(number) != said:
            what = "other texts" if run == self.made else self._apart(run)
            remedy = "choose another --out, remove it, or put back what was changed"
            raise InputError(f"{self.out} was written {what}", "the same run, to go on with", remedy)
        return int(number), "error" in record

    def _apart(self, run: object) -> str:
        """In what a record's `run` is not this one."""
        if not isinstance(run, dict):
            return "by an earlier version of this program"
        names = [name for name in {**self.made, **run} if run.get(name) != self.made.get(name)]
        told = {name: f" ({run.get(name, 'none')}, now {self.made[name]})" for name in names if name in self._told}
        return "with other " + ", ".join(name + told.get(name, "") for name in names)

    def _settle(self) -> tuple[int, int]:
        """Put the records in the order of the texts, one a text, in one step; mostly they stand so already.

        Returns:
            Texts that the model answered and none of whose claims could be judged, and texts that are `unread`.
        """
        lines = list(self._records.lines()) if self.out.exists() else []
        records = ((json.loads(line), line) for line in lines)
        latest = {
            int(record["number"]): (line, "error" not in record and not judgeable(record), wholly_unread(record))
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
) -> Generator[tuple[Said, dict[str, Any]], None, None]:
    """The record of each text, in order; those for which the budget did not suffice are counted as left.

    Raises:
        ModelFaltered, ModelTooSlow: The model failed on several texts in a row; each but the last has a record.
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
                if row == PATIENCE:
                    raise
                told = fault(error)
                account.failed, account.left = account.failed + 1, account.left - 1
                progress.advance(1)
                yield said, {"text": said.text, "error": told}
                continue
            row, usage = 0, {name: count for name, count in record.get("usage", {}).items() if name in NO_USAGE}
            account.usage = total([account.usage, usage])
            if usage.get("unasked"):
                pool.stop()
                continue
            account.left -= 1
            progress.advance(1)
            if why := unanswered(record):
                account.failed += 1
                yield said, record | {"error": why}
            else:
                account.written += 1
                yield said, record
