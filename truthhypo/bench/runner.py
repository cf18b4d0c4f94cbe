"""Run a suite, and store its records in a folder. Each answer is recorded when it arrives. A run can be resumed."""

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from time import monotonic

from groundwork.errors import ModelFaltered, ModelTooSlow
from groundwork.llm.usage import Usage, total
from groundwork.ports import NO_USAGE, LanguageModel, Progress
from groundwork.records import Record
from knowhd.judges import is_named
from truthhypo.bench import baselines
from truthhypo.bench.answering import Answerer, Item
from truthhypo.bench.entries import Entry, Failure, Key
from truthhypo.bench.grounders import Grounder, called
from truthhypo.bench.knowledge import Library
from truthhypo.bench.prepared import PreparedSuite, connect
from truthhypo.bench.runs import Run
from truthhypo.bench.suite import SELF, ModelAsked
from truthhypo.json_files import RecordFile
from truthhypo.worker_pool import WorkerPool, YieldingModel, workers_for
from truthhypo.world import World

#: A power failure may lose the answers of at most this many seconds. Killing the run loses no answer.
UNSETTLED = 1.0


@dataclass(slots=True)
class Account(Record):
    """Counts of a run, as `bench run` prints them.

    Attributes:
        out: Folder of the run.
        records: Number of records of the complete run: kept + written + left.
        kept: Number of records that were there before and are kept.
        written: Number of records written by this command.
        answered: Number of written records with an answer.
        failed: Number of written records with a failure.
        undecided: Number of written records in which no sign prevails for the rules.
        left: Number of questions not asked, because the budget was spent.
        usage: Model usage, summed over the written records.
        seconds: Duration of this command, in seconds.
    """

    out: str
    records: int = 0
    kept: int = 0
    written: int = 0
    answered: int = 0
    failed: int = 0
    undecided: int = 0
    left: int = 0
    usage: Usage = field(default_factory=lambda: dict(NO_USAGE))
    seconds: float = 0.0

    def count(self, entry: Entry) -> None:
        """Count a written record."""
        self.written, self.left = self.written + 1, self.left - 1
        self.answered += entry.answer is not None
        self.failed += entry.failure is not None
        self.undecided += entry.undecided
        self.usage = total([self.usage, entry.usage])


def run(prepared: PreparedSuite, world: World, out: Run, progress: Progress) -> Account:
    """Ask all questions that have no record, and repeat the calls that got no reply.

    The models are asked one after the other.

    Args:
        prepared: The suite to run.
        world: World with graph and literature.
        out: Folder of the run. If it contains a run, that run is resumed.
        progress: Receives a report after each record.

    Raises:
        InputError: The folder contains another run, or cannot be written.
        StoreBusy: Another process writes the same records.
        ModelFaltered, ModelTooSlow: A model failed on several consecutive questions.
        ModelUnreachable: A model cannot be reached, or refuses the request.
    """
    began = monotonic()
    out.begin(prepared.manifest)
    records = RecordFile(out.records, UNSETTLED)
    with records.locked():
        account = _run(prepared, world, out, records, progress)
    account.seconds = round(monotonic() - began, 3)
    return account


def _pending(prepared: PreparedSuite, model: str, done: set[Key]) -> tuple[list[Item], int]:
    """Return the questions that a model still has to answer, and the number of its questions that are in `done`."""
    left, kept = [], 0
    for dataset in prepared.datasets:
        for place, setting, sample in prepared.cells(dataset, model):
            case = dataset.cases[place]
            if (dataset.name, case.id, model, setting, sample) in done:
                kept += 1
            else:
                left.append(Item(dataset, case, setting, sample))
    return left, kept


def _run(
    prepared: PreparedSuite,
    world: World,
    out: Run,
    records: RecordFile,
    progress: Progress,
) -> Account:
    known = {entry.key for entry in out.entries() if entry.settled}  # a call without a reply is repeated
    account = Account(str(out.folder))
    plans = []
    for asked in prepared.suite.models:
        items, kept = _pending(prepared, asked.name, known)
        account.records += len(items) + kept
        account.kept += kept
        account.left += len(items)
        plans.append((asked, items))
    with records.appending() as append:
        for asked, items in plans:
            if not items:
                continue
            progress.begin(asked.name, len(items), "answers")
            with closing(_answers(prepared, asked, world, items, account)) as batches:
                for batch in batches:
                    for entry in batch:
                        append(entry.to_dict())
                        account.count(entry)
                    progress.advance(len(batch))
            if _is_budget_spent(prepared, account):
                break
    return account


def _answers(
    prepared: PreparedSuite, asked: ModelAsked, world: World, items: list[Item], account: Account
) -> Generator[list[Entry], None, None]:
    if asked.name.startswith(baselines.PREFIX):
        yield from baselines.answers(asked.name, items, world, prepared.suite)
        return
    pool, answerer = _pool(prepared, asked, world, account, _pairs(items))
    seed = prepared.suite.samples.seed
    lost = partial(_lost_entry, model=asked.name, seed=seed)
    with closing(pool.patiently(answerer.answer, items, lost)) as answered:
        for entry in answered:
            yield [entry]
            if _is_budget_spent(prepared, account):
                pool.stop()


def _pairs(items: list[Item]) -> int:
    """Return the number of instances for which chains are looked up."""
    return len({(item.dataset.name, item.case.id) for item in items if "kg" in item.setting})


def _pool(
    prepared: PreparedSuite, asked: ModelAsked, world: World, account: Account, pairs: int
) -> tuple[WorkerPool, Answerer]:
    """Return a worker pool for the model, and the answerer that its workers share."""
    settings, suite = prepared.settings, prepared.suite
    left: dict[str, float | int] = {}
    if settings.model_budget_tokens is not None:
        left["model_budget_tokens"] = settings.model_budget_tokens - _tokens(account)
    if settings.model_budget_cost is not None:
        left["model_budget_cost"] = settings.model_budget_cost - (account.usage["cost"] or 0.0)
    model = connect(asked.name, asked, settings, **left)
    judges = {
        name: model if name == SELF else connect(name, None, settings, **left)
        for name in suite.judges
        if not is_named(name) and (name != SELF or model)
    }
    workers = workers_for(model)
    turn = Lock()

    def shared(each: LanguageModel | None) -> LanguageModel | None:
        return YieldingModel(each, turn) if each is not None and workers > 1 else each

    grounders = [
        Grounder(called(name, asked.name), world, suite.judging, shared(judges.get(name)))
        for name in suite.judges
        if is_named(name) or name in judges
    ]
    library = Library(world, suite.context, pairs)
    return WorkerPool(workers, turn), Answerer(asked.name, shared(model), library, grounders, suite.samples)


def _lost_entry(item: Item, error: ModelFaltered | ModelTooSlow, *, model: str, seed: int) -> Entry:
    return Entry(
        item.dataset.name,
        item.case.id,
        model,
        item.setting,
        item.sample,
        seed + item.sample,
        None,
        failure=Failure("call", error.seen),
    )


def _is_budget_spent(prepared: PreparedSuite, account: Account) -> bool:
    """Return whether the budget is spent. All models share one budget."""
    tokens, cost = prepared.settings.model_budget_tokens, prepared.settings.model_budget_cost
    if tokens is not None and _tokens(account) >= tokens:
        return True
    return cost is not None and (account.usage["cost"] or 0.0) >= cost


def _tokens(account: Account) -> int:
    return int((account.usage["prompt_tokens"] or 0) + (account.usage["completion_tokens"] or 0))
