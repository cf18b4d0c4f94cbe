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
from collections.abc import Mapping
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from groundwork.errors import InputError, fault_message
from groundwork.options import with_options
from knowhd.options import GroundOptions
from truthhypo.hypotheses.options import HypothesizeOptions, Select, Setting

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


def read(place: str, paths: Mapping[str, str] | None = None) -> Suite:
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
    """Return one error about the mistakes in a suite.

    Unknown keys come first, because a missing key may be a misspelt one.
    """
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
