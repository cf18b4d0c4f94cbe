"""A suite in TOML: which models answer which datasets, with which knowledge, and who judges.

models = ["openai:gpt-4o-mini", "rules", "baseline:dwpc"]     # or [[models]] with name and settings model_*
settings = ["parametric", "kg", "lit", "kg+lit"]
judges = ["model"]                      # the model that answered; or the name of a judge (rules, nli:NAME) or model
[datasets.NAME]
path = "sets/sound"                     # relative to the suite: a folder of bench build, or edges_test.tsv as published
before = 36600000                       # only knowledge up to this PMID; default: the last PMID of the seen articles
species = "gene_info.gz"                # gene_info of NCBI, for the leak probe of a set without a card; its path is
                                        # relative to the suite
limit = 12                              # number of instances, spread evenly over tasks and labels
[samples]                               # n, seed, temperature: sample 0 is greedy, the others use the temperature
[context]                               # hops, k, exclude_retracted: the knowledge of an answerer
[judging]                               # k, tau, hops, joint, exclude_retracted: the evidence of a judge
[limits]                                # budget_tokens, budget_cost, concurrency; a later run may change them
"""

import tomllib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, get_args

from numpy.random import default_rng
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from groundwork.errors import InputError, fault_message
from groundwork.files import loads
from groundwork.manifest import FileEntry
from groundwork.options import with_options
from knowhd.options import GroundOptions
from truthhypo.hypotheses import dataset
from truthhypo.hypotheses.dataset import Case, Instance
from truthhypo.hypotheses.leaks import LIMIT
from truthhypo.hypotheses.options import HypothesizeOptions, Select, Setting
from truthhypo.hypotheses.release import Cuts, label_counts

#: A judge with this name stands for the model that answered.
SELF = "model"
_NAME = r"^[\w.+ -]+$"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class DatasetAsked(_Part):
    """A dataset: its path, and which of its instances to ask."""

    path: str = Field(min_length=1, description="a folder of bench build, or a file with the published columns")
    before: int | None = Field(
        None, gt=0, description="last PMID of the knowledge; empty: the last of the seen articles"
    )
    limit: int | None = Field(None, gt=0, description="number of instances to ask; empty: all")
    species: str | None = Field(
        None, min_length=1, description="NCBI's gene_info, for the leak probe of a set without a card"
    )


class ModelAsked(_Part):
    """A model by name, with its own settings (`model_*`, `openai_base_url`). API keys stay in the environment."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True)
    name: str = Field(min_length=1)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the model. They override the settings of the run."""
        return dict(self.model_extra or {})


class Samples(_Part):
    """How often each question is asked. Sample 0 is greedy; sample i has the random seed `seed` + i."""

    n: int = Field(1, ge=1, le=1000)
    seed: int = Field(0, ge=0)
    temperature: float = Field(0.7, gt=0, le=2)


@with_options(HypothesizeOptions, "hops", "k", "exclude_retracted")
class ContextAsked(_Part):
    """The knowledge that an answering model gets: the maximum length of chains, and the number of articles `k`."""


@with_options(GroundOptions, "k", "tau", "hops", "joint", "exclude_retracted")
class Judging(_Part):
    """The evidence of a judge, as in the options of `ground`."""


class Limits(_Part):
    """The budget of a run, which all its models share, and the maximum number of simultaneous calls."""

    budget_tokens: int | None = Field(None, gt=0)
    budget_cost: float | None = Field(None, gt=0, allow_inf_nan=False)
    concurrency: int | None = Field(None, gt=0, le=256)


class Suite(_Part):
    """The models, datasets, settings and judges of a run, and its options."""

    name: str = Field("", description="name in the report; empty: the name of the file")
    datasets: Mapping[Annotated[str, Field(pattern=_NAME)], DatasetAsked] = Field(min_length=1)
    models: tuple[ModelAsked, ...] = Field(min_length=1)
    settings: tuple[Setting, ...] = Field(get_args(Setting), min_length=1)
    judges: tuple[str, ...] = ()
    select: tuple[Select, ...] = Field(("greedy",), min_length=1)
    samples: Samples = Samples()
    context: ContextAsked = ContextAsked()
    judging: Judging = Judging()
    limits: Limits = Limits()

    @field_validator("models", mode="before")
    @classmethod
    def _named(cls, value: object) -> object:
        """Accept a plain name in place of a model without settings."""
        if not isinstance(value, list | tuple):
            return value
        return tuple({"name": each} if isinstance(each, str) else each for each in value)

    @field_validator("settings", "judges", "select", mode="before")
    @classmethod
    def _fixed(cls, value: object) -> object:
        """Convert the lists of TOML to tuples."""
        return tuple(value) if isinstance(value, list) else value

    @field_validator("settings", "judges", "select", "models", mode="after")
    @classmethod
    def _check_unique(cls, value: tuple[Any, ...]) -> tuple[Any, ...]:
        """Check that no setting, judge, way to select or model occurs twice."""
        names = [each.name if isinstance(each, ModelAsked) else each for each in value]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"each name once, but {', '.join(twice)} occurs twice")
        return value

    @field_validator("select", mode="after")
    @classmethod
    def _greedy_first(cls, value: tuple[Select, ...]) -> tuple[Select, ...]:
        """Add the greedy sample, which always exists and is always measured."""
        return value if "greedy" in value else ("greedy", *value)


def read_suite(place: str, paths: Mapping[str, str] | None = None) -> Suite:
    """Read a suite from a file, or a suite that ships with this package.

    Args:
        place: A path, or the name of a suite of this package.
        paths: Paths of datasets by name, relative to the current folder. They override the paths in the suite.

    Raises:
        InputError: The suite does not exist or is not TOML, a key or value is unknown, or `paths` names an unknown
            dataset.
    """
    path = Path(place)
    text, beside = _text(path)
    try:
        shape = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{place} is not TOML: {error}", "a suite in TOML format", f"correct {place}") from None
    datasets = shape.get("datasets")
    if isinstance(datasets, dict):
        for given in datasets.values():
            for key in ("path", "species"):
                if isinstance(given, dict) and isinstance(given.get(key), str) and given[key]:
                    given[key] = str(beside / given[key])
        _set_paths(datasets, paths or {}, place)
    try:
        return Suite(**{"name": path.stem, **shape})
    except ValidationError as error:
        raise _explained(place, error) from None
    except TypeError as error:
        raise InputError(f"{place}: {error}", "keys that are identifiers", f"correct {place}") from None


def shipped() -> tuple[str, ...]:
    """Return the names of the suites in this package."""
    return tuple(sorted(each.name.removesuffix(".toml") for each in _folder().iterdir() if each.name.endswith(".toml")))


def _set_paths(datasets: dict[str, Any], paths: Mapping[str, str], place: str) -> None:
    """Set the paths of datasets, and check that no path is left empty. The path in a shipped suite is empty."""
    for name, where in paths.items():
        if not isinstance(datasets.get(name), dict):
            raise InputError(f"--data {name}=...: {place} has no such dataset", ", ".join(datasets), "correct the name")
        datasets[name]["path"] = where
    for name, given in datasets.items():
        if isinstance(given, dict) and given.get("path") == "":
            raise InputError(f"{place} has no path for {name}", "its path", f"give --data {name}=PATH")


def _text(path: Path) -> tuple[str, Path]:
    try:
        if str(path) in shipped() and not path.is_file():  # the folder of a run may have the name of a suite
            return _folder().joinpath(f"{path.name}.toml").read_text("utf-8"), Path()
        return path.read_text("utf-8"), path.parent
    except (OSError, UnicodeDecodeError) as error:
        known = f"a TOML file in UTF-8, or one of: {', '.join(shipped())}"
        raise InputError(f"the suite {path} cannot be read: {error}", known, "correct the path") from None


def _folder() -> Any:
    return files("truthhypo.bench").joinpath("suites")


def _explained(place: str, error: ValidationError) -> InputError:
    """Return one error about the mistakes in a suite."""
    wrong = error.errors()
    if unknown := [each["loc"] for each in wrong if each["type"] == "extra_forbidden"]:
        told = ", ".join(_misspelt(loc) for loc in unknown)
        seen = f"{place}: unknown key{'s' if len(unknown) > 1 else ''} {told}"
        return InputError(seen[:300], f"one of: {', '.join(_known(unknown[0][:-1]))}", "correct or remove it")
    first = wrong[0]
    where = ".".join(str(part) for part in first["loc"])
    if first["type"] == "missing":
        return InputError(f"{place} lacks {where}", fault_message(first), "add it")
    return InputError(f"{place}: {where} = {first['input']!r}"[:300], fault_message(first), "correct it")


def _misspelt(loc: tuple[str | int, ...]) -> str:
    """Return an unknown key as text, with the most similar known key if there is one."""
    near = get_close_matches(str(loc[-1]), _known(loc[:-1]), 1)
    return ".".join(map(str, loc)) + (f" (is it {near[0]}?)" if near else "")


def _known(loc: tuple[str | int, ...]) -> tuple[str, ...]:
    """Return the keys that are allowed at a place of a suite, such as `("samples",)`, or `()` for the top level."""
    parts: dict[str | int, type[_Part]] = {
        "datasets": DatasetAsked,
        "samples": Samples,
        "context": ContextAsked,
        "judging": Judging,
        "limits": Limits,
    }
    return tuple((parts[loc[0]] if loc else Suite).model_fields)


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset that a run uses.

    Attributes:
        name: Name in the suite.
        cases: The questions, in the set's order.
        before: The last PMID that the knowledge may come from.
        gold_path: File with the gold labels.
        described: The entry of the dataset in manifest.json.
        warnings: Warnings from its data card.
    """

    name: str
    cases: tuple[Case, ...]
    before: int
    gold_path: Path
    described: Mapping[str, Any]
    warnings: tuple[str, ...]

    def gold(self) -> dict[str, Instance]:
        """Return the instances with their gold labels, by id, for scoring and for baselines that learn."""
        wanted = {case.id for case in self.cases}
        return {each.id: each for each in dataset.read(self.gold_path) if each.id in wanted}


def load_dataset(name: str, asked: DatasetAsked, seed: int) -> Dataset:
    """Read a dataset, and choose the instances to ask.

    Args:
        name: Name in the suite.
        asked: Path, PMID limit and number of instances.
        seed: Random seed of the choice, if the number is limited.

    Raises:
        InputError: Files are missing, do not belong together or do not match the card; a pair occurs twice; or a label
            of a task has no instance, so that no measure can be computed.
    """
    path = Path(asked.path)
    table, cases_path = (path / "instances.tsv", path / "cases.jsonl") if path.is_dir() else (path, None)
    card = _card(path / "card.json") if path.is_dir() else {}
    _check_hashes(path, card)
    instances = dataset.read(table)
    cases = _cases(cases_path, instances) if cases_path else tuple(each.case() for each in instances)
    if twice := [key for key, count in Counter(case.id for case in cases).items() if count > 1]:
        raise InputError(f"{table}: {twice[0]} occurs twice", "each pair once", "build the set again")
    chosen = _chosen(instances, asked.limit, seed)
    tasks = label_counts(instances[place] for place in chosen)
    counts = {task: labels for task, labels in tasks.items() if any(labels.values())}
    for task, labels in counts.items():
        if empty := [label for label, count in labels.items() if not count]:
            seen = f"dataset {name}: no instance of {', '.join(empty)} in {task}"
            seen += f" among {asked.limit}" if asked.limit else ""
            remedy = "raise its limit" if asked.limit else "build the set from a release that has them"
            raise InputError(seen, "an instance of each label", remedy)
    before = int(asked.before or card.get("seen_to", Cuts().seen_to))
    probes = card.get("probe", ())
    described = {
        "path": str(path.resolve()),
        "before": before,
        "instances": len(chosen),
        "tasks": counts,
        "cases_sha256": FileEntry.of(cases_path or table).sha256,
        "gold_sha256": FileEntry.of(table).sha256,
        "mode": card.get("mode"),
        "leaks": [each["task"] for each in probes if any(held["low"] > LIMIT for held in each["auroc"].values())],
        # a probe without a verdict, from an older card, counts as one that had enough instances
        "probed": [each["task"] for each in probes if each["auroc"] and each.get("verdict") != "too small"],
        **{name: card[name] for name in ("probe", "rules") if name in card},
    }
    kept = tuple(cases[place] for place in chosen)
    return Dataset(name, kept, before, table, described, tuple(card.get("warnings", ())))


def _cases(path: Path, instances: Sequence[Instance]) -> tuple[Case, ...]:
    """Read the cases from cases.jsonl. They must be the same instances as in the file of gold labels."""
    try:
        found = tuple(Case(**loads(line)) for line in path.read_text("utf-8").splitlines() if line)
    except (OSError, ValueError, TypeError) as error:
        raise InputError(f"{path}: {error}", "the cases that bench build wrote", "build the set again") from None
    if found != tuple(each.case() for each in instances):
        raise InputError(f"{path} and instances.tsv beside it differ", "one set", "build the set again")
    return found


def _card(path: Path) -> Mapping[str, Any]:
    """Return the card of a dataset, or {} if there is none. `load` then uses the published PMID limit by default."""
    try:
        held: Mapping[str, Any] = loads(path.read_text("utf-8")) if path.exists() else {}
        return held
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: {error}", "the card that bench build wrote", "build the set again") from None


def _check_hashes(folder: Path, card: Mapping[str, Any]) -> None:
    """Check that the files have the hashes on the card. If the card has no hashes, nothing is checked."""
    for name in ("instances.tsv", "cases.jsonl"):
        built = card.get("files", {}).get(name.partition(".")[0], {}).get("sha256")
        path = folder / name
        try:
            found = FileEntry.of(path).sha256 if built else None
        except OSError as error:
            raise InputError(
                f"{path}: {error.strerror}", "the file that card.json names", "build the set again"
            ) from None
        if found != built:
            raise InputError(
                f"{path} has SHA-256 {found}: it was changed since the set was built",
                f"SHA-256 {built}, as in card.json",
                "restore the file, or build the set again",
            )


def _chosen(instances: Sequence[Instance], limit: int | None, seed: int) -> list[int]:
    """Return the positions of the instances to ask. With a limit, they are spread evenly over tasks and labels."""
    if limit is None or limit >= len(instances):
        return list(range(len(instances)))
    rng = default_rng([seed, len(instances)])
    held = defaultdict(list)
    for place in rng.permutation(len(instances)):
        held[instances[place].rel_type, instances[place].relation].append(int(place))
    turns = sorted((turn, cell, place) for cell, places in held.items() for turn, place in enumerate(places))
    return sorted(place for _, _, place in turns[:limit])
