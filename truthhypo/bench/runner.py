"""Run a suite, and store its records in a folder. Each answer is recorded when it arrives. A run can be resumed."""

import platform
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from threading import Lock
from time import monotonic
from typing import Any

from pydantic import SecretStr

from groundwork import inventory, llm
from groundwork.errors import InputError, ModelFaltered, ModelTooSlow, without_password
from groundwork.llm.usage import Usage, total
from groundwork.ports import NO_USAGE, LanguageModel, Progress
from groundwork.records import Record
from groundwork.settings import Settings, load
from knowhd import judges
from knowhd.judges import is_named
from truthhypo.bench import baselines
from truthhypo.bench.answering import Answerer, Grounder, Item, Library, called
from truthhypo.bench.runs import Entry, Failure, Key, Manifest, Run
from truthhypo.bench.suite import SELF, Dataset, ModelAsked, Suite, load_dataset
from truthhypo.hypotheses import leaks
from truthhypo.json_files import RecordFile
from truthhypo.judging import RULES
from truthhypo.provenance import live_releases, prompts
from truthhypo.worker_pool import WorkerPool, YieldingModel, workers_for
from truthhypo.world import World

#: A power failure may lose the answers of at most this many seconds. Killing the run loses no answer.
UNSETTLED = 1.0


@dataclass(frozen=True, slots=True)
class PreparedSuite:
    """A suite that can be run.

    Attributes:
        suite: The suite to run.
        datasets: Datasets of the suite.
        settings: Settings of the run, with the suite's limits.
        manifest: Manifest for a new run.
    """

    suite: Suite
    datasets: tuple[Dataset, ...]
    settings: Settings
    manifest: Manifest

    def cells(self, dataset: Dataset, model: str) -> Iterator[tuple[int, str, int]]:
        """Yield instance position, setting and sample number of each record of the model in a complete run."""
        for place in range(len(dataset.cases)):
            for setting in settings_of(self.suite, model):
                for sample in range(samples_of(self.suite, model)):
                    yield place, setting, sample


def prepare(suite: Suite, world: World, held: Manifest | None = None) -> PreparedSuite:
    """Read the datasets, check every name, and make the manifest of the run.

    Args:
        suite: The suite to run.
        world: World with graph and literature.
        held: Manifest of the run to resume. The leak probes in this manifest are not repeated.

    Raises:
        InputError: A dataset cannot be used; a model or judge is unknown; the settings, models and judges of the suite
            do not fit together; or a model has a setting that a suite must not contain, such as a secret key.
    """
    limits = suite.limits
    settings = _settings_with(
        world.settings,
        model_budget_tokens=limits.budget_tokens,
        model_budget_cost=limits.budget_cost,
        model_concurrency=limits.concurrency,
    )
    datasets = tuple(load_dataset(name, asked, suite.samples.seed) for name, asked in suite.datasets.items())
    for asked in suite.models:
        for name in asked.settings:
            if name == "model" or not (name.startswith("model_") or name == "openai_base_url"):
                wanted = "settings model_* or openai_base_url; keys stay in the environment"
                raise InputError(f"model {asked.name}: setting {name!r}", wanted, "remove it from the suite")
        if asked.name.startswith(baselines.PREFIX):
            baselines.check(asked.name)
        else:
            connect(asked.name, asked, settings)
        if not settings_of(suite, asked.name):
            seen = f"the suite has no setting for the model {asked.name}, only {', '.join(suite.settings)}"
            raise InputError(seen, "kg, lit or kg+lit, because this model has no knowledge", "add one of them")
    for judge in suite.judges:
        if judge != SELF and not judges.is_named(judge):
            connect(judge, None, settings)
    if SELF in suite.judges and not any(is_language_model(each.name) for each in suite.models):
        raise InputError(f"judge {SELF!r} without a language model", "a language model or another judge", "add one")
    datasets = tuple(_probed(each, suite.datasets[each.name].species, held) for each in datasets)
    return PreparedSuite(suite, datasets, settings, _manifest(suite, datasets, settings, world))


def connect(name: str, asked: ModelAsked | None, settings: Settings, **more: Any) -> LanguageModel | None:
    """Return the language model with this name and its own settings, or None for the rules. No request is sent.

    Raises:
        InputError: The model is unknown, its provider is not installed, or there is no key.
    """
    own = asked.settings if asked else {}
    return None if name == RULES else llm.connect(name, _settings_with(settings, **own, **more))


def is_language_model(name: str) -> bool:
    """Return whether a model of a suite is a language model."""
    return name != RULES and not name.startswith(baselines.PREFIX)


def settings_of(suite: Suite, model: str) -> tuple[str, ...]:
    """Return the settings (kinds of knowledge) in which a model is asked.

    The rules have all settings of the suite except `parametric`. A baseline has one setting.
    """
    if model.startswith(baselines.PREFIX):
        return (baselines.setting_of(model),)
    return tuple(each for each in suite.settings if model != RULES or each != "parametric")


def samples_of(suite: Suite, model: str) -> int:
    """Return the number of samples of a model. Only language models, whose answers vary, have more than one."""
    return suite.samples.n if is_language_model(model) else 1


def expected(manifest: Manifest) -> int:
    """Return the number of records of a complete run."""
    suite = Suite.model_validate(manifest.suite, strict=False)
    instances = sum(int(held["instances"]) for held in manifest.datasets.values())
    return instances * sum(len(settings_of(suite, m.name)) * samples_of(suite, m.name) for m in suite.models)


def leaking(manifest: Manifest) -> list[str]:
    """Return the warnings that the labels of a run's datasets can be guessed, one line per warning."""
    return [f"{name}: {each}" for name, held in manifest.datasets.items() for each in leaks.leak_warnings(held)]


def empty_stores(manifest: Manifest) -> list[str]:
    """Return a warning for each empty store that the run uses. Without data, a lack of evidence means nothing."""
    suite = Suite.model_validate(manifest.suite, strict=False)
    asked = {setting for each in suite.models for setting in settings_of(suite, each.name)}
    found = []
    if not manifest.releases and (suite.judges or any("kg" in each for each in asked)):
        found.append("the graph is empty; load a release with: truthhypo ingest relations FILE")
    if manifest.literature is not None and not manifest.literature["documents"]:
        found.append("the literature is empty; load abstracts with: truthhypo ingest documents|pubmed FILE")
    return found


def _probed(dataset: Dataset, species: str | None, held: Manifest | None) -> Dataset:
    """Add the results of the leak probes to a dataset. A dataset that `hypotheses.build` made has them already."""
    if dataset.described["mode"] is not None:
        return dataset
    before = held.datasets.get(dataset.name, {}) if held else {}
    if "rules" in before and before["gold_sha256"] == dataset.described["gold_sha256"]:
        known = {name: before[name] for name in leaks.MANIFEST_KEYS if name in before}
    else:
        known = leaks.measure_leaks(dataset.gold_path, species)
    return replace(dataset, described={**dataset.described, **known})


def _settings_with(settings: Settings, **more: Any) -> Settings:
    given = {name: value for name, value in more.items() if value is not None}
    return load({**settings.model_dump(), **given})[0] if given else settings


def _manifest(suite: Suite, datasets: tuple[Dataset, ...], settings: Settings, world: World) -> Manifest:
    asked = {setting for each in suite.models for setting in settings_of(suite, each.name)}
    graph = bool(suite.judges) or any("kg" in each for each in asked)
    reading = bool(suite.judges) or any("lit" in each for each in asked)
    live = live_releases(world.graph_store) if graph or reading else ()
    names = [f"{each['source']}:{each['id']}" for each in live]
    return Manifest(
        suite=suite.model_dump(mode="json"),
        versions={
            "python": platform.python_version(),
            **{name: version(name) for name in ("truthhypo", "numpy")},
            **({"scikit-learn": version("scikit-learn")} if find_spec("sklearn") else {}),
        },
        releases=live,
        literature=world.literature.info().to_dict() if reading else None,
        settings={  # without secrets, and without passwords in addresses
            name: value if value is None or isinstance(value, int | float) else without_password(str(value))
            for name, value in sorted(settings, key=lambda each: each[0])
            if not isinstance(value, SecretStr)
        },
        prompts=prompts(),
        datasets={each.name: each.described for each in datasets},
        begun=datetime.now(UTC).isoformat(timespec="seconds"),
        labels=dict(zip(names, inventory.labels(settings.home, names), strict=True)),
    )


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


def pending(prepared: PreparedSuite, model: str, done: set[Key]) -> tuple[list[Item], int]:
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
        items, kept = pending(prepared, asked.name, known)
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
    pairs = {(item.dataset.name, item.case.id) for item in items if "kg" in item.setting}
    pool, answerer = _pool(prepared, asked, world, account, len(pairs))
    seed = prepared.suite.samples.seed
    lost = partial(_lost_entry, model=asked.name, seed=seed)
    with closing(pool.patiently(answerer.answer, items, lost)) as answered:
        for entry in answered:
            yield [entry]
            if _is_budget_spent(prepared, account):
                pool.stop()


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
