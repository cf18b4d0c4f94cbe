"""Check the datasets, models, judges and settings of a suite before a run asks the first question."""

import platform
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from pydantic import SecretStr

from groundwork import inventory, llm
from groundwork.errors import InputError, without_password
from groundwork.ports import LanguageModel
from groundwork.settings import Settings, load
from knowhd import judges
from truthhypo.bench import baselines, giveaways, sets
from truthhypo.bench.runs import Manifest
from truthhypo.bench.sets import Dataset
from truthhypo.bench.suite import SELF, ModelAsked, Suite
from truthhypo.judging import RULES
from truthhypo.provenance import live_releases, prompts
from truthhypo.world import World


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
    datasets = tuple(sets.load(name, asked, suite.samples.seed) for name, asked in suite.datasets.items())
    for asked in suite.models:
        _check_settings(asked)
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
    return [f"{name}: {each}" for name, held in manifest.datasets.items() for each in giveaways.warnings(held)]


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
        known = {name: before[name] for name in giveaways.KEYS if name in before}
    else:
        known = giveaways.measured(dataset.gold_path, species)
    return replace(dataset, described={**dataset.described, **known})


def _settings_with(settings: Settings, **more: Any) -> Settings:
    given = {name: value for name, value in more.items() if value is not None}
    return load({**settings.model_dump(), **given})[0] if given else settings


def _check_settings(asked: ModelAsked) -> None:
    for name in asked.settings:
        if name == "model" or not (name.startswith("model_") or name == "openai_base_url"):
            raise InputError(
                f"model {asked.name}: setting {name!r}",
                "settings model_* or openai_base_url; keys stay in the environment",
                "remove it from the suite",
            )


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
            **{name: version(name) for name in ("truthhypo", "numpy", "scikit-learn") if _installed(name)},
        },
        releases=live,
        literature=world.literature.info().to_dict() if reading else None,
        settings=_public_settings(settings),
        prompts=prompts(),
        datasets={each.name: each.described for each in datasets},
        begun=datetime.now(UTC).isoformat(timespec="seconds"),
        labels=dict(zip(names, inventory.labels(settings.home, names), strict=True)),
    )


def _public_settings(settings: Settings) -> dict[str, Any]:
    """Return all settings without secrets and without passwords in addresses."""
    held = {name: value for name, value in settings if not isinstance(value, SecretStr)}
    return {name: without_password(str(value)) if _text(value) else value for name, value in sorted(held.items())}


def _text(value: object) -> bool:
    return value is not None and not isinstance(value, int | float)


def _installed(name: str) -> bool:
    from importlib.metadata import PackageNotFoundError

    try:
        return bool(version(name))
    except PackageNotFoundError:
        return False
