"""All settings. Each source overrides the sources before it: defaults, truthhypo.toml, environment variables, flags.

Every setting has one name. In the environment, the name is TRUTHHYPO_ followed by the setting's name in capitals.
`load` also returns where each value came from.
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

from groundwork.errors import InputError, fault_message
from groundwork.organisms import taxon_of

PREFIX = "TRUTHHYPO_"
FILE = "truthhypo.toml"


class Settings(BaseModel):
    """All settings, validated. Times are in seconds, except `serve_days`; probabilities are in [0, 1]."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    home: Path = Field(
        default_factory=lambda: user_data_path("truthhypo"), description="folder for everything that the program writes"
    )
    graph: str = Field("", description="address of the graph; empty: embedded:HOME/graph")
    literature: str = Field("", description="address of the literature; empty: embedded:HOME/literature")
    model: str = Field(
        "rules", description="language model: rules (no language model), or PROVIDER:NAME such as openai:NAME"
    )

    species: str = Field(
        "", description="organism whose genes symbols mean, such as mouse or 10090; empty: human, unless the text says"
    )

    graph_user: str = Field("neo4j", description="user name on the graph server")
    graph_password: SecretStr = Field(SecretStr(""), description="password of graph_user; empty: no authentication")
    graph_database: str = Field("neo4j", description="name of the database on the graph server")
    graph_timeout: float = Field(30.0, gt=0, description="time limit of one graph look-up, in seconds")
    graph_retry: float = Field(30.0, ge=0, description="how long loads and the service wait for a graph server, in s")
    neo4j_admin: str = Field(
        "", description="neo4j-admin command to run for --mode offline; empty: the command is only printed"
    )
    neo4j_home: str = Field("", description="folder of the Neo4j server into which --mode offline imports")
    literature_user: str = Field("elastic", description="user name on the literature server")
    literature_password: SecretStr = Field(
        SecretStr(""), description="password of literature_user; empty: no authentication"
    )
    literature_index: str = Field("truthhypo", description="name of the index (an alias) on the literature server")
    literature_timeout: float = Field(30.0, gt=0, description="time limit of one literature request, in seconds")
    literature_retry: float = Field(120.0, ge=0, description="how long loads wait for a literature server, in seconds")

    openai_base_url: str = Field(
        "", description="address of a server with the OpenAI protocol; OPENAI_BASE_URL sets it too"
    )
    openai_api_key: SecretStr = Field(SecretStr(""), description="API key of that server; OPENAI_API_KEY sets it too")
    model_address: str = Field("", description="address of another provider's server; empty: the provider's own")
    model_timeout: float = Field(120.0, gt=0, description="time limit of one model call with all retries, in seconds")
    model_tokens: int = Field(4096, gt=0, description="maximum number of tokens of one model reply")
    model_answers: Literal["auto", "schema", "prompt"] = Field(
        "auto", description="how a model is asked for JSON: schema (the provider's method), prompt (in words), or auto"
    )
    model_tries: int = Field(4, gt=0, description="number of attempts of a model call with a temporary failure")
    model_wait: float = Field(
        0.5, ge=0, description="delay before the first retry, in seconds; doubles each time; Retry-After has priority"
    )
    model_concurrency: int = Field(8, gt=0, le=256, description="maximum number of concurrent calls of a remote model")
    model_cache: bool = Field(True, description="cache usable model replies under HOME/cache")
    model_cache_bytes: int = Field(256 * 2**20, ge=2**20, description="maximum size of that cache, in bytes")
    model_price_prompt: float | None = Field(
        None, ge=0, allow_inf_nan=False, description="price of a million prompt tokens; empty: unknown, cost is null"
    )
    model_price_completion: float | None = Field(
        None, ge=0, allow_inf_nan=False, description="price of a million reply tokens; empty: unknown, cost is null"
    )
    model_budget_tokens: int | None = Field(
        None, gt=0, description="maximum number of tokens that one run may use; empty: no limit"
    )
    model_budget_cost: float | None = Field(
        None, gt=0, allow_inf_nan=False, description="maximum cost of one run, in the prices' currency; empty: no limit"
    )

    reader: str = Field(
        "", description="weights of the judge rules, made by bench train-reader; empty: the built-in weights"
    )
    reader_threshold: float | None = Field(
        None, gt=0, lt=1, description="minimum clearness of a sign for the judge rules; empty: that of the weights"
    )
    judge: str = Field(
        "", description="judge of claims: rules, nli:NAME, minicheck:NAME or medv1:NAME; empty: the language model"
    )
    judge_device: str = Field("auto", description="device of a local judge: auto, cpu, cuda, cuda:N or mps")
    judge_batch: int = Field(16, gt=0, description="number of evidence-claim pairs that a local judge reads at once")
    medv1_prompt: str = Field("", description="file with the system prompt of the judge medv1; empty: the built-in one")
    marks: bool = Field(True, description="whether verdicts obey the marks of persons (truthhypo mark)")
    evidence_tokens: int | None = Field(
        None, gt=0, description="maximum tokens of evidence per claim; empty: 6000 for a language model, else no limit"
    )

    syst: float = Field(0.05, ge=0, lt=1, description="systematic error in belief = 1 - (syst + rand^n)")
    rand: float = Field(0.3, ge=0, lt=1, description="random error in belief = 1 - (syst + rand^n)")
    k1: float = Field(1.2, gt=0, description="BM25 k1")
    b: float = Field(0.75, ge=0, le=1, description="BM25 b")
    row_limit: int = Field(1000, gt=0, description="maximum number of rows of a free graph query")
    query_memory: ByteSize = Field(
        ByteSize(2_000_000_000),
        ge=200_000_000,
        description="memory limit of a free query on an embedded graph, such as 2GB",
    )
    answer_bytes: ByteSize = Field(
        ByteSize(100_000_000), gt=0, description="maximum size of a free graph query's JSON answer, such as 100MB"
    )

    batch_rows: int = Field(50_000, gt=0, description="number of rows per batch of a load")
    memory_limit: str = Field("2GB", description="memory for normalising a release; the rest is written to HOME")
    spark_master: str = Field("", description="address of the Spark master for --engine spark; empty: this machine")
    threads: int = Field(2, gt=0, description="number of threads for normalising a release")

    pubtator_files: str = Field(
        "https://ftp.ncbi.nlm.nih.gov/pub/lu/PubTator3/", description="address of the folder of PubTator's bulk files"
    )
    pubmed_files: str = Field(
        "https://ftp.ncbi.nlm.nih.gov/pubmed/", description="folder that contains PubMed's baseline/ and updatefiles/"
    )
    download_timeout: float = Field(
        60.0, gt=0, description="seconds without data after which a download attempt is given up"
    )
    download_tries: int = Field(8, gt=0, description="maximum number of attempts in a row that bring no new data")
    download_wait: float = Field(
        1.0, ge=0, description="delay before the first retry, in seconds; doubles each time, up to 60 times the value"
    )
    download_pause: float = Field(0.5, ge=0, description="pause between two files, in seconds")

    serve_workers: int = Field(
        1, gt=0, le=64, description="number of processes of serve that judge; each judges one text at a time"
    )
    serve_queue: int = Field(
        16, ge=0, description="maximum number of judgements that wait for a process; further ones: 429"
    )
    serve_look_ups: int = Field(4, gt=0, le=256, description="number of concurrent look-ups of serve; others wait")
    serve_queries: int = Field(4, gt=0, le=256, description="number of concurrent free queries of serve; others wait")
    serve_timeout: float = Field(120.0, gt=0, description="time limit of a request to serve, in seconds; then 504")
    serve_receive: float = Field(
        60.0, gt=0, description="time limit for receiving a request to serve, in seconds; then its connection is closed"
    )
    serve_body: ByteSize = Field(
        ByteSize(8 * 2**20), gt=0, description="maximum size of a request, such as 8MiB; larger ones: 413"
    )
    serve_text: int = Field(100_000, gt=0, description="maximum characters of a text to judge; longer ones: 413")
    serve_claims: int = Field(500, gt=0, description="maximum number of claims of a text to judge; more claims: 422")
    serve_texts: int = Field(10_000, gt=0, description="maximum number of texts in a job; larger jobs: 413")
    serve_hops: int = Field(4, ge=1, le=4, description="maximum length of chains and paths that a request may ask for")
    serve_k: int = Field(1000, ge=1, le=10_000, description="maximum documents or chains that a request may ask for")
    serve_jobs: int = Field(100, gt=0, description="maximum number of jobs that wait or run; further jobs: 429")
    serve_days: float = Field(30.0, gt=0, description="number of days after which a finished job is deleted")
    serve_judges: str = Field(
        "rules", description="judges that a request to serve may choose, beside the service's own; separated by commas"
    )
    serve_hosts: str = Field(
        "", description="further host names that requests may use, beside the address; separated by commas"
    )
    serve_draw: bool = Field(
        False, description="let serve draw the database for Cypher queries on an embedded graph before the first query"
    )
    serve_log_texts: bool = Field(False, description="log the queries of requests, which may contain texts")

    @field_validator("species")
    @classmethod
    def _one_organism(cls, value: str) -> str:
        return taxon_of(value) if value else value

    @field_validator("neo4j_admin", mode="before")
    @classmethod
    def _one_command(cls, value: object) -> object:
        """Join a command that is given as a list of words (in TOML) into one text."""
        return shlex.join(map(str, value)) if isinstance(value, list) else value

    @model_validator(mode="after")
    def _belief_stays_above_zero(self) -> Self:
        if self.syst + self.rand > 1:
            raise InputError(
                f"syst + rand = {self.syst + self.rand:g}",
                "a sum of at most 1, so that beliefs are not negative",
                "lower syst or rand",
            )
        return self

    @property
    def graph_address(self) -> str:
        """Address of the graph: the setting, or the embedded store under HOME."""
        return self.graph or f"embedded:{self.home / 'graph'}"

    @property
    def literature_address(self) -> str:
        """Address of the literature: the setting, or the embedded store under HOME."""
        return self.literature or f"embedded:{self.home / 'literature'}"


#: Environment variables that other programs already use for the same purpose.
_ALIASES = {"openai_base_url": "OPENAI_BASE_URL", "openai_api_key": "OPENAI_API_KEY"}


def load(
    flags: Mapping[str, Any] | None = None, environment: Mapping[str, str] | None = None, file: Path | None = None
) -> tuple[Settings, dict[str, str]]:
    """Read the settings.

    Args:
        flags: Values given by the caller; None values are ignored.
        environment: Replaces os.environ.
        file: The TOML file; by default `truthhypo.toml` in the current folder, if it exists.

    Returns:
        The settings, and for each name the origin of its value: `default`, the file, the variable, or `flag`.

    Raises:
        InputError: If the file is not TOML, a name is unknown or a value is not valid. A message about one name or one
            value says where it was set.
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
    """Return (name, value, origin) from the weakest source to the strongest."""
    found: list[tuple[str, Any, str]] = []
    if file.is_file():
        try:
            table = tomllib.loads(file.read_text("utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise InputError(f"{file} is not TOML: {error}", "lines such as name = value", f"correct {file}") from None
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
    """Return one message for the first wrong value; the value of a secret is not repeated."""
    first = error.errors()[0]
    name = str(first["loc"][0])
    return InputError(
        f"the setting {name} from {origins[name]} is not valid",
        f"{Settings.model_fields[name].description} ({fault_message(first)})",
        f"correct {name} where it was set",
    )
