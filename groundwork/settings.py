"""Configuration in one place: defaults < truthhypo.toml < environment < flags.

Every setting has one name; in the environment it is TRUTHHYPO_ and the name in capitals. `origins` tells where each
value came from.
"""

import shlex
import tomllib
from collections.abc import Mapping
from os import environ
from pathlib import Path
from typing import Any, Literal, Self

from platformdirs import user_data_path
from pydantic import (
    BaseModel,
    ByteSize,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)

from groundwork.errors import InputError

PREFIX = "TRUTHHYPO_"
FILE = "truthhypo.toml"


class Settings(BaseModel):
    """All settings, checked. Times are seconds; probabilities lie in [0, 1]."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    home: Path = Field(default_factory=lambda: user_data_path("truthhypo"), description="all that the program writes")
    graph: str = Field("", description="graph address; empty: embedded:HOME/graph")
    literature: str = Field("", description="literature address; empty: embedded:HOME/literature")
    model: str = Field("rules", description="language model: rules, openai:NAME, ...")

    graph_user: str = Field("neo4j", description="user of a graph server")
    graph_password: SecretStr = Field(SecretStr(""), description="its password; empty: no authentication")
    graph_database: str = Field("neo4j", description="database on a graph server")
    graph_timeout: float = Field(30.0, gt=0, description="time limit of one graph look-up, s")
    graph_retry: float = Field(30.0, ge=0, description="how long a load waits for a graph server, or a service, s")
    neo4j_admin: str = Field("", description="command of neo4j-admin, run for --mode offline; empty: it is shown")
    neo4j_home: str = Field("", description="folder of the Neo4j server that --mode offline imports into")
    literature_user: str = Field("elastic", description="user of a literature server")
    literature_password: SecretStr = Field(SecretStr(""), description="its password; empty: no authentication")
    literature_index: str = Field("truthhypo", description="name of the index (an alias) on a literature server")
    literature_timeout: float = Field(30.0, gt=0, description="time limit of one literature request, s")
    literature_retry: float = Field(120.0, ge=0, description="how long a load waits for a literature server, s")

    openai_base_url: str = Field("", description="address of an OpenAI-protocol server (also OPENAI_BASE_URL)")
    openai_api_key: SecretStr = Field(SecretStr(""), description="its key (also OPENAI_API_KEY)")
    model_address: str = Field("", description="address of another provider's server; empty: the provider's own")
    model_timeout: float = Field(120.0, gt=0, description="time limit of one model call with all its tries, s")
    model_tokens: int = Field(4096, gt=0, description="tokens a model may use for one reply")
    model_answers: Literal["auto", "schema", "prompt"] = Field(
        "auto", description="how shape is asked for: schema (the provider's way), prompt (in words), auto: as it can"
    )
    model_tries: int = Field(4, gt=0, description="tries of a model call that meets passing trouble")
    model_wait: float = Field(0.5, ge=0, description="first wait between two tries, s; doubles; Retry-After wins")
    model_concurrency: int = Field(8, gt=0, le=256, description="calls of a remote model at a time, at most")
    model_cache: bool = Field(True, description="keep usable replies under HOME/cache and use them again")
    model_cache_bytes: int = Field(256 * 2**20, ge=2**20, description="size of that cache, bytes")
    model_price_prompt: float | None = Field(
        None, ge=0, allow_inf_nan=False, description="price of a million prompt tokens; empty: unknown, cost is null"
    )
    model_price_completion: float | None = Field(
        None, ge=0, allow_inf_nan=False, description="price of a million tokens of replies; empty: unknown"
    )
    model_budget_tokens: int | None = Field(None, gt=0, description="tokens one run may spend; empty: no limit")
    model_budget_cost: float | None = Field(
        None, gt=0, allow_inf_nan=False, description="cost of one run, in the prices' currency; empty: no limit"
    )

    reader: str = Field(
        "", description="weights of the reader of relations, made by bench train-reader; empty: the program's own"
    )
    reader_threshold: float | None = Field(
        None, gt=0, lt=1, description="probability from which the judge rules decides; empty: as the weights say"
    )
    judge: str = Field("", description="judge of claims: rules, nli:NAME or minicheck:NAME; empty: the model")
    judge_device: str = Field("auto", description="where such a judge runs: auto, cpu, cuda, cuda:N or mps")
    judge_batch: int = Field(16, gt=0, description="pairs of evidence and claim that such a judge reads at once")
    neighbours: bool = Field(
        False, description="risk names what is near in meaning to a phrase that nothing links, by vectors under HOME"
    )
    evidence_tokens: int | None = Field(
        None, gt=0, description="tokens of evidence on one claim; empty: 6000 for a language model, else no limit"
    )

    syst: float = Field(0.05, ge=0, lt=1, description="systematic error in belief = 1 - (syst + rand^n)")
    rand: float = Field(0.3, ge=0, lt=1, description="random error in belief")
    k1: float = Field(1.2, gt=0, description="BM25 k1")
    b: float = Field(0.75, ge=0, le=1, description="BM25 b")
    row_limit: int = Field(1000, gt=0, description="rows a free graph query may return")
    query_memory: ByteSize = Field(
        ByteSize(2_000_000_000), ge=200_000_000, description="memory of a free query on an embedded graph, such as 2GB"
    )
    answer_bytes: ByteSize = Field(
        ByteSize(100_000_000), gt=0, description="size of the answer to a free graph query as JSON, such as 100MB"
    )

    verify_every_edge: bool = Field(
        False, description="after --mode offline compare all edges by their digest, not a sample alone"
    )
    batch_rows: int = Field(50_000, gt=0, description="rows in one batch of a load")
    memory_limit: str = Field("2GB", description="memory for normalising a release; more is spilled to HOME")
    spark_master: str = Field("", description="Spark's master for --engine spark; empty: this machine")
    threads: int = Field(2, gt=0, description="threads for normalising a release")

    pubtator_files: str = Field(
        "https://ftp.ncbi.nlm.nih.gov/pub/lu/PubTator3/", description="folder that PubTator releases are fetched from"
    )
    pubmed_files: str = Field(
        "https://ftp.ncbi.nlm.nih.gov/pubmed/", description="folder above PubMed's baseline/ and updatefiles/"
    )
    download_timeout: float = Field(60.0, gt=0, description="silence of a server after which a download breaks, s")
    download_tries: int = Field(8, gt=0, description="tries of a download in a row that bring nothing new")
    download_wait: float = Field(
        1.0, ge=0, description="first wait between two tries, s; doubles up to 60 times itself"
    )
    download_pause: float = Field(0.5, ge=0, description="pause between two files, s")

    serve_workers: int = Field(1, gt=0, le=64, description="processes of `serve` that judge, one text at a time each")
    serve_queue: int = Field(16, ge=0, description="judgements that may wait for a process; beyond it: 429")
    serve_look_ups: int = Field(4, gt=0, le=256, description="look-ups of `serve` at a time; others wait")
    serve_queries: int = Field(4, gt=0, le=256, description="free queries of `serve` at a time; others wait")
    serve_timeout: float = Field(120.0, gt=0, description="time limit of one request to `serve`, s; beyond it: 504")
    serve_body: ByteSize = Field(ByteSize(8 * 2**20), gt=0, description="size of a request, such as 8MiB; beyond: 413")
    serve_text: int = Field(100_000, gt=0, description="characters of a text to judge; beyond it: 413")
    serve_claims: int = Field(500, gt=0, description="claims of a text to judge; beyond it: 422")
    serve_texts: int = Field(10_000, gt=0, description="texts of one job; beyond it: 413")
    serve_hops: int = Field(4, ge=1, le=4, description="longest chain or path that a request may ask for")
    serve_k: int = Field(1000, ge=1, le=10_000, description="documents or chains that a request may ask for")
    serve_jobs: int = Field(100, gt=0, description="jobs that may wait or run; beyond it: 429")
    serve_days: float = Field(30.0, gt=0, description="days after which a finished job is removed")
    serve_judges: str = Field(
        "rules", description="judges that a request to `serve` may choose, beside the service's own; a list by commas"
    )
    serve_hosts: str = Field("", description="host names that requests may name, beside the address; a list by commas")
    serve_log_texts: bool = Field(False, description="log the queries of requests, which may hold texts")

    @field_validator("neo4j_admin", mode="before")
    @classmethod
    def _one_command(cls, value: object) -> object:
        """A list of words, as TOML can write it, is one command."""
        return shlex.join(map(str, value)) if isinstance(value, list) else value

    @model_validator(mode="after")
    def _belief_stays_above_zero(self) -> Self:
        if self.syst + self.rand > 1:
            raise ValueError(f"syst + rand = {self.syst + self.rand:g} makes beliefs negative; at most 1")
        return self

    @property
    def graph_address(self) -> str:
        """Where the graph is: the setting, or the embedded store under HOME."""
        return self.graph or f"embedded:{self.home / 'graph'}"

    @property
    def literature_address(self) -> str:
        """Where the literature is: the setting, or the embedded store under HOME."""
        return self.literature or f"embedded:{self.home / 'literature'}"


#: Environment names that other programs already use for the same thing.
_ALIASES = {"openai_base_url": "OPENAI_BASE_URL", "openai_api_key": "OPENAI_API_KEY"}


def load(
    flags: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
    file: Path | None = None,
) -> tuple[Settings, dict[str, str]]:
    """Read the settings.

    Args:
        flags: What the caller asked for; None values are not asked for.
        environment: Stands in for os.environ.
        file: The TOML file; default `truthhypo.toml` in the current folder, if there is one.

    Returns:
        The settings, and for each name where its value came from: `default`, the file, the variable, or `flag`.

    Raises:
        InputError: An unknown name or a value out of range, saying where it was set.
    """
    environment = environ if environment is None else environment
    values: dict[str, Any] = {}
    origins = dict.fromkeys(Settings.model_fields, "default")
    for name, value, origin in _sources(flags or {}, environment, file or Path(FILE)):
        if name not in Settings.model_fields:
            raise InputError(
                f"unknown setting {name!r} from {origin}",
                f"one of {', '.join(sorted(Settings.model_fields))}",
                "correct the name or remove it",
            )
        values[name], origins[name] = value, origin
    try:
        return Settings(**values), origins
    except ValidationError as error:
        raise _explained(error, origins) from None


def _sources(flags: Mapping[str, Any], environment: Mapping[str, str], file: Path) -> list[tuple[str, Any, str]]:
    """(name, value, origin) from the weakest source to the strongest."""
    found: list[tuple[str, Any, str]] = []
    if file.is_file():
        try:
            table = tomllib.loads(file.read_text("utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise InputError(f"{file} is not TOML: {error}", "name = value lines", f"correct {file}") from None
        found += [(name, value, str(file)) for name, value in table.items()]
    found += [(name, environment[alias], alias) for name, alias in _ALIASES.items() if environment.get(alias)]
    found += [
        (variable.removeprefix(PREFIX).lower(), value, variable)
        for variable, value in environment.items()
        if variable.startswith(PREFIX) and variable.removeprefix(PREFIX).lower() in Settings.model_fields
    ]
    found += [(name, value, "flag") for name, value in flags.items() if value is not None]
    return found


def _explained(error: ValidationError, origins: Mapping[str, str]) -> InputError:
    """One message for the first bad value; a secret's value is not repeated."""
    first = error.errors()[0]
    if not first["loc"]:
        return InputError("settings that do not go together", first["msg"], "change one of them")
    name = str(first["loc"][0])
    return InputError(
        f"setting {name} from {origins[name]} is not usable",
        f"{Settings.model_fields[name].description} ({first['msg']})",
        f"correct {name} where it was set",
    )
