"""A suite run into a folder: what is not on record yet is asked, and each answer is written down as it comes."""

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
from truthhypo.bench import baselines
from truthhypo.bench.answering import Answerer, Item
from truthhypo.bench.entries import Entry, Failure, Key
from truthhypo.bench.grounders import Grounder, by_name, called
from truthhypo.bench.knowledge import Library
from truthhypo.bench.prepared import PreparedSuite, connect
from truthhypo.bench.runs import Run
from truthhypo.bench.suite import SELF, ModelAsked
from truthhypo.record_file import RecordFile
from truthhypo.worker_pool import WorkerPool, YieldingModel, workers_for
from truthhypo.world import World

#: Seconds of answers that a machine that loses its power may lose with it; a run that is killed loses none.
UNSETTLED = 1.0


@dataclass(slots=True)
class Account(Record):
    """What a run did; what `bench run` prints.

    Attributes:
        out: The run's folder.
        shard: `K/N`, or None.
        records: Wanted of this run or shard.
        kept: Of them, those on record before.
        written: By this run.
        answered: Of those, with an answer.
        failed: Of those, without.
        left: Not asked, since the budget was spent before.
        usage: Sum over the records written.
        seconds: Taken.
    """

    out: str
    shard: str | None
    records: int = 0
    kept: int = 0
    written: int = 0
    answered: int = 0
    failed: int = 0
    left: int = 0
    usage: Usage = field(default_factory=lambda: dict(NO_USAGE))
    seconds: float = 0.0

    def count(self, entry: Entry) -> None:
        """Count a record that was written."""
        self.written, self.left = self.written + 1, self.left - 1
        self.answered += entry.answer is not None
        self.failed += entry.answer is None
        self.usage = total([self.usage, entry.usage])


def run(
    prepared: PreparedSuite, world: World, out: Run, progress: Progress, shard: tuple[int, int] | None = None
) -> Account:
    """Ask what is not on record yet, model by model.

    Args:
        prepared: What is asked.
        world: Its graph and literature.
        out: The folder; a run that is there is gone on with.
        progress: Told of each record.
        shard: (k, n): every n-th instance, from the k-th on; None: all.

    Raises:
        InputError: The folder holds another run, or cannot be written.
        StoreBusy: Another process writes the same records.
        ModelFaltered, ModelTooSlow: A model failed on several questions in a row.
        ModelUnreachable: A model is not there, or refuses us.
    """
    began = monotonic()
    out.begin(prepared.manifest)
    records = RecordFile(out.records(shard), UNSETTLED)
    with records.locked():
        account = _run(prepared, world, out, records, progress, shard)
    account.seconds = round(monotonic() - began, 3)
    return account


def pending(
    prepared: PreparedSuite, model: str, done: frozenset[Key] | set[Key], shard: tuple[int, int] | None
) -> tuple[list[Item], int]:
    """What a model is still to be asked in a shard, and how much is on record."""
    left, kept = [], 0
    first, step = (shard[0] - 1, shard[1]) if shard else (0, 1)
    for dataset in prepared.datasets:
        for place, setting, sample in prepared.cells(dataset, model):
            if place % step != first:
                continue
            case = dataset.cases[place]
            if (dataset.name, case.id, model, setting, sample) in done:
                kept += 1
            else:
                left.append(Item(dataset, case, setting, sample))
    return left, kept


def done(out: Run) -> set[Key]:
    """Keys on record, but for calls that got no reply."""
    return {entry.key for entry in out.entries() if entry.settled}


def _run(
    prepared: PreparedSuite,
    world: World,
    out: Run,
    records: RecordFile,
    progress: Progress,
    shard: tuple[int, int] | None,
) -> Account:
    known = done(out)
    account = Account(str(out.folder), "{}/{}".format(*shard) if shard else None)
    plans = []
    for asked in prepared.suite.models:
        items, kept = pending(prepared, asked.name, known, shard)
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
            if _spent(prepared, account):
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
    lost = partial(_lost, model=asked.name, seed=seed)
    with closing(pool.patiently(answerer.answer, items, lost)) as answered:
        for entry in answered:
            yield [entry]
            if _spent(prepared, account):
                pool.stop()


def _pairs(items: list[Item]) -> int:
    """Of how many instances chains are wanted."""
    return len({(item.dataset.name, item.case.id) for item in items if "kg" in item.setting})


def _pool(
    prepared: PreparedSuite, asked: ModelAsked, world: World, account: Account, pairs: int
) -> tuple[WorkerPool, Answerer]:
    """Workers as many as the model bears, and who answers through them."""
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
        if not by_name(name) and (name != SELF or model)
    }
    workers = workers_for(model)
    turn = Lock()

    def shared(each: LanguageModel | None) -> LanguageModel | None:
        return YieldingModel(each, turn) if each is not None and workers > 1 else each

    grounders = [
        Grounder(called(name, asked.name), world, suite.judging, shared(judges.get(name)))
        for name in suite.judges
        if by_name(name) or name in judges
    ]
    library = Library(world, suite.context, pairs)
    return WorkerPool(workers, turn), Answerer(asked.name, shared(model), library, grounders, suite.samples)


def _lost(item: Item, error: ModelFaltered | ModelTooSlow, *, model: str, seed: int) -> Entry:
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


def _spent(prepared: PreparedSuite, account: Account) -> bool:
    """Whether the budget over all models is used up."""
    tokens, cost = prepared.settings.model_budget_tokens, prepared.settings.model_budget_cost
    if tokens is not None and _tokens(account) >= tokens:
        return True
    return cost is not None and (account.usage["cost"] or 0.0) >= cost


def _tokens(account: Account) -> int:
    return int((account.usage["prompt_tokens"] or 0) + (account.usage["completion_tokens"] or 0))
