"""The typed requests and their limits. The fields of a request have the names of the command-line options."""

from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
)

from fuzzygraph.options import RiskOptions
from groundwork.errors import InputError, TooLarge, TooManyClaims, UnfitText, refusal
from groundwork.files import written_value
from groundwork.options import StudyOptions, with_options
from groundwork.organisms import taxon_of
from groundwork.ports import Silent
from groundwork.readable import broken
from groundwork.records import Rank
from groundwork.settings import Settings
from knowhd.options import CiteOptions, GroundOptions
from knowhd.pieces import Said
from truthhypo.hypotheses.options import HypothesizeOptions
from truthhypo.service.watching import Statement

Key = Annotated[str, Field(min_length=1, description="Key (such as Gene|7157), unambiguous id or name of a concept.")]
Hops = Annotated[int, Field(ge=1, le=4, description="Maximum number of edges in a chain or path, 1 to 4.")]


class Request(BaseModel):
    """The base of all requests. Fields outside the schema, NaN and infinities are refused.

    Models often write a number as text ("4") or with a point (4.0). A value is read in this way if it does not fit the
    schema as it is, and fits then.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="wrap")
    @classmethod
    def read(cls, given: Any, fitting: ModelWrapValidatorHandler[Self]) -> Self:
        """Return the request. Fields that do not fit are read once more by `groundwork.files.written_value`."""
        try:
            return fitting(given)
        except ValidationError as unfit:
            wrong = {fault["loc"][0] for fault in unfit.errors() if fault["loc"]}
            if not isinstance(given, dict) or not wrong & given.keys():
                raise
        return fitting({name: written_value(each) if name in wrong else each for name, each in given.items()})


def _taxon(given: object) -> object:
    """Return the taxon id of the organism that a request names. Numbers are ids."""
    try:
        return taxon_of(str(given)) if isinstance(given, str | int) else given
    except InputError as error:
        raise refusal(error) from None


Species = Annotated[
    str | None,
    BeforeValidator(_taxon),
    Field(description="Organism whose genes a symbol means, such as mouse or 10090; null: as the service is set."),
]


class OfSpecies(Request):
    """A request with names of concepts, optionally with the organism whose genes the symbols mean."""

    species: Species = None


class Dated(Request):
    """A request for evidence, optionally only up to a PMID."""

    before: int | None = Field(None, ge=1, description="Use only evidence with a PMID up to this one; null: use all.")


class Posted(Request):
    """A request that comes as JSON. Its types are checked strictly: for example, 0 is not accepted as a boolean."""

    model_config = ConfigDict(strict=True)


class FindRequest(OfSpecies):
    """Find concepts by key or name."""

    q: str = Field(min_length=1, description="A key, a name, or part of a name.")
    type: str | None = Field(None, description="Find only concepts of this type: Chemical, Disease, Gene, Species ...")
    limit: int = Field(10, ge=1, le=1000, description="Maximum number of concepts.")


class ConceptRequest(OfSpecies):
    """Describe a concept."""

    key: Key


class EdgesRequest(OfSpecies, Dated):
    """Look up the relation edges among some concepts."""

    key: list[Key] = Field(min_length=2, max_length=300, description="Keys or names of at least two concepts.")
    pmids: int = Field(20, ge=0, le=1000, description="Number of PMIDs to list per edge, newest first.")


class ChainsRequest(OfSpecies, Dated):
    """Look up the chains of relations between two concepts."""

    head: Key
    tail: Key
    hops: Hops = 2
    limit: int = Field(32, ge=0, le=10_000, description="Maximum number of chains, best first.")
    rank: Rank = Field(
        "evidence",
        description="Order of the chains: evidence (belief), dwpc (degree-weighted path count) or hops (length).",
    )
    pmids: int = Field(20, ge=0, le=1000, description="Number of PMIDs to list per edge, newest first.")
    similar: bool = Field(False, description="Also follow similarity edges.")
    alpha: float = Field(0.9, ge=0, le=1, description="Weight of a similarity edge, in [0, 1].")


@with_options(StudyOptions)
class SearchRequest(Dated):
    """Search the abstracts by BM25."""

    q: str = Field(min_length=1, description="Plain text; it is not read as a query language.")
    k: int = Field(32, ge=1, le=10_000, description="Maximum number of hits.")
    min_score: float | None = Field(None, description="Leave out hits below this BM25 score.")
    exclude_retracted: bool = Field(False, description="Leave retracted articles out.")


class ArticleRequest(Request):
    """Show an article."""

    pmid: int = Field(ge=1, description="Its PMID.")


class QueryRequest(Posted):
    """Run one Cypher query that only reads."""

    query: str = Field(min_length=1, description="MATCH, OPTIONAL MATCH, WHERE, WITH, UNWIND, RETURN, ORDER BY ...")
    params: dict[str, Any] = Field(default_factory=dict, description="Values of its parameters.")
    limit: int | None = Field(None, ge=1, description="Maximum number of rows; null: the setting row_limit.")


class StatsRequest(Request):
    """Count concepts and edges. It takes no options."""


class ReleasesRequest(Request):
    """List the releases that the stores know of. It takes no options."""


class Judged(OfSpecies, Posted):
    """A request for verdicts, by a judge that the client may choose."""

    judge: str | None = Field(None, description="Judge of the claims; null: the service's default.")


@with_options(GroundOptions)
class GroundRequest(Judged):
    """Judge each claim of a text against graph and literature."""

    text: str = Field(description="A hypothesis, with or without its rationale.")


@with_options(CiteOptions)
class CiteRequest(Judged):
    """Say whether cited articles state a claim."""

    claim: str = Field(description="A statement.")
    pmids: list[Annotated[int, Field(ge=1)]] = Field(
        default_factory=list, max_length=100, description="PMIDs of the cited articles."
    )
    evidence: str | None = Field(None, description="A text that is judged like an article; null: none.")


class MarkRequest(Judged):
    """Say that the stance of a piece of evidence is right or wrong."""

    claim: str = Field(description="The claim, as a judgement shows it.")
    piece: str = Field(min_length=1, description="Id of the piece, such as pmid:12345#s4 or edge:...")
    said: Said = Field(description="right; wrong (the piece takes no side); other (it takes the opposite side).")
    note: str = Field("", description="Why.")
    by: str = Field("", description="Name of the person.")


@with_options(GroundOptions, "k", "exclude_retracted", "design", "organism", "concepts")
class TimelineRequest(Judged):
    """Trace the evidence on the claims of a text over the years. `k` limits the articles per claim and year."""

    text: str = Field(description="One or more statements.")


class RejudgeRequest(Posted):
    """Judge a watched statement again (`rejudging.rejudge`). Only the service itself makes this request."""

    statement: Statement


@with_options(RiskOptions)
class RiskRequest(OfSpecies, Posted):
    """Measure the hallucination risk of a text."""

    text: str = Field(description="One or more statements.")


#: The options of `ground` and `risk` that a judgement by both offers. The page makes its form of them.
JUDGED = ("before", "exclude_retracted", "design", "organism", "concepts")


@with_options(GroundOptions, *JUDGED)
class JudgeRequest(Judged):
    """Ground a text and measure its risk. All other options have their defaults."""

    text: str = Field(description="One or more statements.")


@with_options(HypothesizeOptions)
class HypothesizeRequest(OfSpecies, Posted):
    """Hypothesise the relation of two concepts."""

    head: Key
    tail: Key


@with_options(GroundOptions)
class GroundJob(Judged):
    """Ground many texts."""

    kind: Literal["ground"]
    texts: list[str] = Field(min_length=1, description="The texts, in the order of the results.")


@with_options(RiskOptions)
class RiskJob(OfSpecies, Posted):
    """Measure the risk of many texts."""

    kind: Literal["risk"]
    texts: list[str] = Field(min_length=1, description="The texts, in the order of the results.")


@with_options(GroundOptions, *JUDGED)
class JudgeJob(Judged):
    """Ground many texts and measure their risk."""

    kind: Literal["judge"]
    texts: list[str] = Field(min_length=1, description="The texts, in the order of the results.")


class CitedRow(Posted):
    """A claim and the articles that it cites. A row with other values gets an error of its own in the results."""

    claim: Any = Field(None, description="A statement.")
    pmids: Any = Field(None, description="PMIDs of the cited articles: a list of numbers, or a text with commas.")


@with_options(CiteOptions)
class CiteJob(Judged):
    """Say for many claims whether their cited articles state them."""

    kind: Literal["cite"]
    rows: list[CitedRow] = Field(min_length=1, description="The claims with their PMIDs, in the order of the results.")


JobRequest = Annotated[GroundJob | RiskJob | JudgeJob | CiteJob, Field(discriminator="kind")]


_REMEDY = "write the character in UTF-8, or remove its escape"


class ClaimLimit(Silent):
    """A progress listener that stops a judgement before the first claim if there are too many claims.

    Args:
        most: The largest number of claims that a text may have.
    """

    def __init__(self, most: int) -> None:
        self._most = most

    def begin(self, stage: str, total: int | None, unit: str) -> None:  # noqa: ARG002 - all stages have this limit
        """Check the number of claims to judge.

        Raises:
            TooManyClaims: There are too many claims.
        """
        if unit == "claims" and total is not None and total > self._most:
            raise TooManyClaims(total, self._most)


def check_request(request: Request, settings: Settings) -> None:
    """Check that a request is within the limits that the settings define.

    Raises:
        TooLarge: A text, a name or the words of a search have more than `serve_text` characters.
        UnfitText: A text is empty or contains an unpaired surrogate. Texts of a job may be empty.
        InputError: The request asks for longer chains than `serve_hops`, for more than `serve_k` documents, chains,
            paths or concepts, or for more than `row_limit` rows.
    """
    for field, name in {"text": "text", "claim": "claim", "evidence": "text"}.items():
        if (text := getattr(request, field, None)) is not None:
            check_text(text, settings, name)
    for number, text in enumerate(getattr(request, "texts", ()), 1):
        if broken(text):
            raise UnfitText(
                f"text {number} contains an unpaired surrogate (half of a UTF-16 pair)",
                "texts in valid Unicode",
                _REMEDY,
            )
    for name in ("q", "head", "tail", "key"):
        given = getattr(request, name, "")
        for each in [given] if isinstance(given, str) else given:
            if len(each) > settings.serve_text:
                seen = f"{name} of {len(each):,} characters"
                raise TooLarge(seen, f"{settings.serve_text:,} characters", "serve_text")
    rows = "row_limit" if isinstance(request, QueryRequest) else "serve_k"
    for name, setting in {"hops": "serve_hops", "k": "serve_k", "limit": rows, "paths": "serve_k"}.items():
        value, most = getattr(request, name, None), getattr(settings, setting)
        if isinstance(value, int) and value > most:  # the `k` of a risk request is a steepness, a float
            raise InputError(
                f"{name} = {value}",
                f"at most {most}",
                f"ask for less, or ask the operator to raise the setting {setting}",
            )


def offered_judges(settings: Settings) -> tuple[str, ...]:
    """Return the names of the judges that a request may choose, the service's default judge first."""
    return tuple(dict.fromkeys(filter(None, (settings.judge, *map(str.strip, settings.serve_judges.split(","))))))


def check_judge(name: str, settings: Settings) -> None:
    """Check that a request may choose a judge. A judge may be a model, and only the settings can allow models.

    Raises:
        InputError: The service does not offer this judge.
    """
    offered = offered_judges(settings)
    if name not in offered:
        raise InputError(
            f"the judge {name!r}",
            f"one of {', '.join(offered)}",
            "choose one, or ask the operator to add it to serve_judges",
        )


def check_text(text: str, settings: Settings, name: str = "text") -> None:
    """Check that a text can be judged. `name` says what the text is, for error messages.

    Raises:
        TooLarge: The text has more than `serve_text` characters.
        UnfitText: The text is empty or contains an unpaired surrogate.
    """
    if len(text) > settings.serve_text:
        raise TooLarge(f"a {name} of {len(text):,} characters", f"{settings.serve_text:,} characters", "serve_text")
    if not text.strip():
        raise UnfitText(f"the {name} is empty", "one or more sentences to judge", "write at least one sentence")
    if broken(text):
        raise UnfitText(
            "a text that contains an unpaired surrogate (half of a UTF-16 pair)", "a text in valid Unicode", _REMEDY
        )
