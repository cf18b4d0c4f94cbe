"""Ask a model judge to choose one hypothesis of every pair, twice: once in each order. A run can be resumed.

If both answers name the same hypothesis, the judge has chosen it. If the judge followed the position, it is a tie.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from groundwork.errors import BudgetSpent, CallFailed, InputError, ModelFaltered, ModelTooSlow, ReplyError
from groundwork.llm.planning import Plan, Planner
from groundwork.llm.usage import Usage, since, total
from groundwork.ports import NO_USAGE, Accounting, LanguageModel, Progress
from groundwork.records import Record
from truthhypo.bench.entries import Failure
from truthhypo.bench.study.folder import Shown, Side, Study
from truthhypo.record_file import RecordFile
from truthhypo.worker_pool import WorkerPool

_FENCE = re.compile(r"</?\s*(?:question|hypothesis_[12])\s*>", re.IGNORECASE)


class Number(StrEnum):
    """Which of the two."""

    FIRST = "1"
    SECOND = "2"


class Preference(BaseModel):
    """The answer of a judge."""

    model_config = ConfigDict(extra="forbid")
    rationale: str = Field(min_length=1)
    choice: Number


@dataclass(frozen=True, slots=True)
class JudgementRecord(Record):
    """One question to a judge and its answer.

    Attributes:
        study: Hash of the study's key.
        judge: Name of the judge.
        prompt: SHA-256 of the prompt file.
        pair: Id of the pair.
        first: The hypothesis that was shown first.
        choice: The hypothesis that was chosen; None if the question failed.
        rationale: The reason in the judge's words.
        failure: Why there is no choice; None if there is one.
        usage: Calls, tokens and cost of the question.
    """

    study: str
    judge: str
    prompt: str
    pair: str
    first: Side
    choice: Side | None
    rationale: str = ""
    failure: Failure | None = None
    usage: Usage = field(default_factory=lambda: dict(NO_USAGE))

    @property
    def settled(self) -> bool:
        """Whether a further run keeps this record. A record of a call without a reply is replaced."""
        return self.failure is None or self.failure.kind != "call"


@dataclass(slots=True)
class Account(Record):
    """Counts of a run of one judge.

    Attributes:
        judge: Name of the judge.
        out: Path of the records file.
        questions: Number of questions, two per pair.
        kept: Records from earlier runs.
        written: Records written by this run.
        failed: Written records without a choice.
        left: Questions not asked because the budget was spent.
        usage: Model usage, summed over the written records.
    """

    judge: str
    out: str
    questions: int
    kept: int
    written: int = 0
    failed: int = 0
    left: int = 0
    usage: Usage = field(default_factory=lambda: dict(NO_USAGE))


def annotate(study: Study, folder: Path, model: LanguageModel, pool: WorkerPool, progress: Progress) -> Account:
    """Ask a model judge all questions that have no record yet.

    Args:
        study: The study.
        folder: Folder of the study.
        model: The judge; with several workers, the model that the pool shares.
        pool: The worker pool.
        progress: Receives a report after each question.

    Raises:
        InputError: The file has records of another study or prompt, or cannot be written.
        StoreBusy: Another process writes the file.
        ModelFaltered, ModelTooSlow: The model failed on several consecutive questions.
        ModelUnreachable: The model cannot be reached, or refuses the request.
    """
    records = RecordFile(_path(folder, model))
    with records.locked():
        asked, left = 2 * len(study.shown), pending(study, folder, model)
        account = Account(model.name, str(records.path), asked, asked - len(left), left=len(left))
        progress.begin(model.name, len(left), "questions")
        with records.appending() as append:
            for one in _asked(study, model, pool, left):
                append(one.to_dict())
                account.written, account.left = account.written + 1, account.left - 1
                account.failed += one.choice is None
                account.usage = total([account.usage, one.usage])
                progress.advance(1)
    return account


def rehearse(study: Study, folder: Path, model: LanguageModel, most: int) -> Plan:
    """Estimate the calls that `annotate` still needs. Nothing is sent and nothing is written.

    Args:
        study: The study.
        folder: Folder of the study.
        model: The judge.
        most: Maximum number of tokens of a reply.

    Raises:
        InputError: There are records of another study or prompt.
    """
    items, planner = pending(study, folder, model), Planner(model, lambda _: None)
    system, version, _ = prompted()
    for one, first in items:
        planner.ask(system, question(one, first), Preference, version=version)
    return planner.plan(len(items), 0, most)


def pending(study: Study, folder: Path, model: LanguageModel) -> list[tuple[Shown, Side]]:
    """Return the questions for which this model has no record, as (pair, hypothesis to show first)."""
    known = {
        (one.pair, one.first) for one in read(_path(folder, model), study) if one.settled and one.judge == model.name
    }
    sides: tuple[Side, Side] = ("high", "low")
    return [(one, side) for one in study.shown for side in sides if (one.id, side) not in known]


def read(path: Path, study: Study) -> list[JudgementRecord]:
    """Return the last record of each question in a file. An incomplete line is not a record.

    Raises:
        InputError: A complete line is not a record, or belongs to another study or prompt.
    """
    if not path.exists():
        return []
    prompt, found = prompted()[2], {}
    for number, line in enumerate(RecordFile(path).lines(), 1):
        try:
            one = _record(json.loads(line))
        except (ValueError, KeyError, TypeError) as error:
            seen = f"{path}:{number} is not a record: {error}"
            raise InputError(seen, "a line written by bench study annotate", "remove the line") from None
        if (one.study, one.prompt) != (study.hash, prompt):
            what = "study" if one.study != study.hash else "prompt"
            raise InputError(f"{path}:{number} belongs to another {what}", f"this {what}", "move the file away")
        found[one.judge, one.pair, one.first] = one
    return list(found.values())


def prompted() -> tuple[str, str, str]:
    """Return the system prompt for judges, the version of the prompt file, and the SHA-256 of this file in hex."""
    whole = files("truthhypo.bench.study").joinpath("prompts/preference.txt").read_text("utf-8")
    header, _, text = whole.partition("\n")
    return text, header.removeprefix("version:").strip(), sha256(whole.encode()).hexdigest()


def question(one: Shown, first: Side) -> str:
    """Return the prompt for a pair in one order. Tags are removed from the texts, so that they cannot end a section."""
    pair = one.pair
    texts = (pair.high.text, pair.low.text) if first == "high" else (pair.low.text, pair.high.text)
    parts = {"question": pair.question, "hypothesis_1": texts[0], "hypothesis_2": texts[1]}
    return "\n".join(f"<{name}>\n{_FENCE.sub(' ', text)}\n</{name}>" for name, text in parts.items())


def _asked(
    study: Study, model: LanguageModel, pool: WorkerPool, items: Sequence[tuple[Shown, Side]]
) -> Iterator[JudgementRecord]:
    system, version, prompt = prompted()

    def ask(item: tuple[Shown, Side]) -> JudgementRecord:
        one, first = item
        own = model.account() if isinstance(model, Accounting) else model
        before = own.usage()
        head = (study.hash, model.name, prompt, one.id, first)
        try:
            said = own.ask(system, question(one, first), Preference, version=version)
        except BudgetSpent:
            raise
        except ReplyError as error:
            failure = Failure("call" if isinstance(error, CallFailed) else "reply", error.seen)
            return JudgementRecord(*head, None, failure=failure, usage=since(own.usage(), before))
        other: Side = "low" if first == "high" else "high"
        chosen = first if said.choice is Number.FIRST else other
        return JudgementRecord(*head, chosen, said.rationale, usage=since(own.usage(), before))

    def lost(item: tuple[Shown, Side], error: ModelFaltered | ModelTooSlow) -> JudgementRecord:
        failure = Failure("call", error.seen)
        return JudgementRecord(study.hash, model.name, prompt, item[0].id, item[1], None, failure=failure)

    yield from pool.patiently(ask, items, lost)


def _path(folder: Path, model: LanguageModel) -> Path:
    return folder / f"judged-{re.sub(r'[^A-Za-z0-9.-]+', '_', model.name)}.jsonl"


def _record(shape: Mapping[str, Any]) -> JudgementRecord:
    failure = shape["failure"]
    return JudgementRecord(**{**shape, "failure": None if failure is None else Failure(**failure)})
