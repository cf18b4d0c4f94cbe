"""A suite: which models answer which datasets, with which knowledge, and who judges; read from TOML, checked whole.

models = ["openai:gpt-4o-mini", "rules", "baseline:dwpc"]     # or [[models]] with name and settings model_*
settings = ["parametric", "kg", "lit", "kg+lit"]
judges = ["model"]                      # the answering model; rules, nli:NAME, minicheck:NAME or a model's name
[datasets.NAME]
path = "sets/sound"                     # beside the suite: a folder of bench build, or the published edges_test.tsv
before = 36600000                       # only knowledge up to this PMID; default: where the set's seen part ends
species = "gene_info.gz"                # NCBI's, beside the suite: to probe a set without a card for leaks with species
limit = 12                              # so many instances, evenly over tasks and labels
[samples]                               # n, seed, temperature: sample 0 is greedy, the others are drawn
[context]                               # hops, k, exclude_retracted: what an answerer is given
[judging]                               # k, tau, hops, joint: what a judge is given
[limits]                                # budget_tokens, budget_cost, concurrency; a later run may change them
"""

import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from groundwork.errors import InputError
from truthhypo.hypotheses.context import Setting

Select = Literal["greedy", "majority", "groundedness"]
#: The judge of this name is the model that answered.
SELF = "model"

_NAME = r"^[\w.+ -]+$"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class DatasetAsked(_Part):
    """A set: where it lies, and what of it is asked."""

    path: str = Field(min_length=1, description="a folder of bench build, or a file with the published columns")
    before: int | None = Field(None, gt=0, description="PMID cut of all knowledge; empty: where the seen part ends")
    limit: int | None = Field(None, gt=0, description="instances to ask; empty: all")
    species: str | None = Field(
        None, min_length=1, description="NCBI's gene_info, for the leak probe of a set without a card"
    )


class ModelAsked(_Part):
    """A model by name, with settings of its own (`model_*`, `openai_base_url`); keys stay in the environment."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True)
    name: str = Field(min_length=1)

    @property
    def settings(self) -> dict[str, Any]:
        """Settings that go before the run's own."""
        return dict(self.model_extra or {})


class Samples(_Part):
    """How often each question is asked: sample 0 greedily, the others drawn with seeds seed + 1, seed + 2, ..."""

    n: int = Field(1, ge=1, le=1000)
    seed: int = Field(0, ge=0)
    temperature: float = Field(0.7, gt=0, le=2)


class ContextAsked(_Part):
    """What an answerer is given."""

    hops: int = Field(2, ge=1, le=4)
    k: int = Field(32, ge=1, le=10_000)
    exclude_retracted: bool = False


class Judging(_Part):
    """What a judge is given; as the options of `ground`."""

    k: int = Field(8, ge=1, le=10_000)
    tau: float | None = None
    hops: int = Field(1, ge=1, le=4)
    joint: int = Field(1, ge=1)
    exclude_retracted: bool = False


class Limits(_Part):
    """What a run may spend, over all its models, and how many calls at a time it may make."""

    budget_tokens: int | None = Field(None, gt=0)
    budget_cost: float | None = Field(None, gt=0, allow_inf_nan=False)
    concurrency: int | None = Field(None, gt=0, le=256)


class Suite(_Part):
    """All that a run is asked."""

    name: str = Field("", description="as the report prints it; empty: the file's name")
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
        """A model without settings may be given by its name alone."""
        if not isinstance(value, list | tuple):
            return value
        return tuple({"name": each} if isinstance(each, str) else each for each in value)

    @field_validator("settings", "judges", "select", mode="before")
    @classmethod
    def _fixed(cls, value: object) -> object:
        """TOML has lists, which a frozen record does not."""
        return tuple(value) if isinstance(value, list) else value

    @field_validator("settings", "judges", "select", "models", mode="after")
    @classmethod
    def _once(cls, value: tuple[Any, ...]) -> tuple[Any, ...]:
        """Nothing is asked twice."""
        names = [each.name if isinstance(each, ModelAsked) else each for each in value]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"{', '.join(twice)} stands twice")
        return value

    @field_validator("select", mode="after")
    @classmethod
    def _greedy_first(cls, value: tuple[Select, ...]) -> tuple[Select, ...]:
        """The greedy sample is always there, so it is always measured."""
        return value if "greedy" in value else ("greedy", *value)


def read(place: str, paths: Mapping[str, str] | None = None) -> Suite:
    """The suite in a file, or one that is shipped.

    Args:
        place: A path, or a shipped suite's name.
        paths: Paths of datasets by name, from the current folder; they go before those in the suite.

    Raises:
        InputError: No such suite, not TOML, an unknown key or value, or a dataset that it does not name.
    """
    path = Path(place)
    text, beside = _text(path)
    try:
        shape = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{place} is not TOML: {error}", "a suite", f"correct {place}") from None
    datasets = shape.get("datasets")
    if isinstance(datasets, dict):
        for given in datasets.values():
            for key in ("path", "species"):
                if isinstance(given, dict) and isinstance(given.get(key), str) and given[key]:
                    given[key] = str(beside / given[key])
        _lay(datasets, paths or {}, place)
    try:
        return Suite(**{"name": path.stem, **shape})
    except ValidationError as error:
        raise _explained(place, error) from None
    except TypeError as error:
        raise InputError(f"{place}: {error}", "keys that are names", f"correct {place}") from None


def shipped() -> tuple[str, ...]:
    """Names of the suites that come with the program."""
    return tuple(sorted(each.name.removesuffix(".toml") for each in _folder().iterdir() if each.name.endswith(".toml")))


def _lay(datasets: dict[str, Any], paths: Mapping[str, str], place: str) -> None:
    """Give datasets their paths; one set of a shipped suite needs one."""
    for name, where in paths.items():
        if not isinstance(datasets.get(name), dict):
            raise InputError(f"--data {name}=...: {place} has no such dataset", ", ".join(datasets), "correct the name")
        datasets[name]["path"] = where
    for name, given in datasets.items():
        if isinstance(given, dict) and given.get("path") == "":
            raise InputError(f"{place} leaves open where {name} lies", "its path", f"give --data {name}=PATH")


def _text(path: Path) -> tuple[str, Path]:
    try:
        if str(path) in shipped() and not path.is_file():  # a run's folder may have a shipped suite's name
            return _folder().joinpath(f"{path.name}.toml").read_text("utf-8"), Path()
        return path.read_text("utf-8"), path.parent
    except (OSError, UnicodeDecodeError) as error:
        known = f"a TOML file in UTF-8, or one of: {', '.join(shipped())}"
        raise InputError(f"no suite can be read at {path}: {error}", known, "correct the path") from None


def _folder() -> Any:
    return files("truthhypo.bench").joinpath("suites")


def _explained(place: str, error: ValidationError) -> InputError:
    """One message: for the unknown keys, since what is missing may be misspelt, else for the first that is wrong."""
    wrong = error.errors()
    if unknown := [each["loc"] for each in wrong if each["type"] == "extra_forbidden"]:
        told = ", ".join(_misspelt(loc) for loc in unknown)
        seen = f"{place}: unknown key{'s' if len(unknown) > 1 else ''} {told}"
        return InputError(seen[:300], f"one of: {', '.join(_known(unknown[0][:-1]))}", "correct or remove it")
    first = wrong[0]
    where = ".".join(str(part) for part in first["loc"])
    if first["type"] == "missing":
        return InputError(f"{place} lacks {where}", first["msg"], "add it")
    return InputError(f"{place}: {where} = {first['input']!r}"[:300], first["msg"], "correct it")


def _misspelt(loc: tuple[str | int, ...]) -> str:
    """An unknown key, with the known one that is nearest."""
    near = get_close_matches(str(loc[-1]), _known(loc[:-1]), 1)
    return ".".join(map(str, loc)) + (f" (is it {near[0]}?)" if near else "")


def _known(loc: tuple[str | int, ...]) -> tuple[str, ...]:
    """The keys that a place of a suite may have."""
    parts: dict[str | int, type[_Part]] = {
        "datasets": DatasetAsked,
        "samples": Samples,
        "context": ContextAsked,
        "judging": Judging,
        "limits": Limits,
    }
    return tuple((parts[loc[0]] if loc else Suite).model_fields)
