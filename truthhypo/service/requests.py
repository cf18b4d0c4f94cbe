"""The typed requests. Their fields have the names of the command-line options."""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from groundwork.records import Rank
from truthhypo.service.watchlist import Statement

Key = Annotated[str, Field(min_length=1, description="Key (such as Gene|7157), unambiguous id or name of a concept.")]
Hops = Annotated[int, Field(ge=1, le=4, description="Maximum number of edges in a chain or path, 1 to 4.")]


Concepts = Annotated[
    dict[str, str],
    Field(
        max_length=100, description="For each ambiguous name in the text, the key or id of the concept that it means."
    ),
]


class Request(BaseModel):
    """The base of all requests. Fields outside the schema, NaN and infinities are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Dated(Request):
    """A request for evidence, optionally only up to a PMID."""

    before: int | None = Field(None, ge=1, description="Use only evidence with a PMID up to this one; null: use all.")


class Posted(Request):
    """A request that comes as JSON. Its types are checked strictly: for example, 0 is not accepted as a boolean."""

    model_config = ConfigDict(strict=True)


class FindRequest(Request):
    """Find concepts by key or name."""

    q: str = Field(min_length=1, description="A key, a name, or part of a name.")
    type: str | None = Field(None, description="Find only concepts of this type: Chemical, Disease, Gene, Species ...")
    limit: int = Field(10, ge=1, le=1000, description="Maximum number of concepts.")


class ConceptRequest(Request):
    """Describe a concept."""

    key: Key


class EdgesRequest(Dated):
    """Look up the relation edges among some concepts."""

    key: list[Key] = Field(min_length=2, max_length=300, description="Keys or names of at least two concepts.")
    pmids: int = Field(20, ge=0, le=1000, description="Number of PMIDs to list per edge, newest first.")


class ChainsRequest(Dated):
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


class AuditRequest(Request):
    """Audit a release of relations."""

    release: str | None = Field(None, description="ID or SOURCE:ID; null for the live release.")
    against: str | None = Field(None, description="Release to compare with; null for the one that was live before.")


class GroundOptions(Posted, Dated):
    """How claims are judged."""

    k: int = Field(8, ge=1, le=10_000, description="Maximum number of articles per claim.")
    tau: float | None = Field(None, description="Ignore articles with a BM25 score below this value.")
    exclude_retracted: bool = Field(False, description="Leave retracted articles out.")
    hops: Hops = 1
    joint: int = Field(1, ge=1, description="Number of claims that the model judges in one prompt.")
    each_source: bool = Field(False, description="Send one prompt per evidence source instead of a single one.")
    judge: str | None = Field(None, description="Judge of the claims; null: the service's default.")
    concepts: Concepts = Field(default_factory=dict)


class RiskOptions(Posted, Dated):
    """How the risk is measured."""

    form: Literal["scaled", "paper", "linear"] = Field(
        "scaled", description="How the similarity mu is computed from the cosine."
    )
    alpha: float = Field(0.9, gt=0, le=1, description="Weight of a similarity edge, in (0, 1].")
    tau_min: float = Field(0.2, ge=0, le=1, description="Minimum belief or mu of an edge, in [0, 1].")
    hops: Hops = 3
    aggregate: Literal["noisy_or", "max", "sum"] = Field("noisy_or", description="How paths are combined.")
    contradiction: Literal["signed", "inverted"] = Field("signed", description="How contradiction is computed.")
    paths: int = Field(20, ge=0, le=10_000, description="Maximum number of paths to show.")
    k: float | None = Field(None, gt=0, description="Steepness of `scaled`; needs s0. Null: the graph's value.")
    s0: float | None = Field(None, ge=-1, le=1, description="Cosine at which `scaled` gives 0.5; needs k.")
    words: bool = Field(True, description="Compare the wording with the closest sentence.")
    exclude_retracted: bool = Field(False, description="Leave retracted articles out.")
    concepts: Concepts = Field(default_factory=dict)

    @model_validator(mode="after")
    def _check_k_and_s0(self) -> Self:
        """Check that `k` and `s0` are both given, with the form `scaled`, or both omitted."""
        if (self.k, self.s0) != (None, None) and (None in (self.k, self.s0) or self.form != "scaled"):
            raise ValueError("give both k and s0 with the form scaled, or neither")
        return self


class GroundRequest(GroundOptions):
    """Judge each claim of a text against graph and literature."""

    text: str = Field(description="A hypothesis, with or without its rationale.")


class TimelineRequest(Posted):
    """Trace the evidence on the claims of a text over the years."""

    text: str = Field(description="One or more statements.")
    k: int = Field(8, ge=1, le=10_000, description="Maximum number of articles per claim and year.")
    exclude_retracted: bool = Field(False, description="Leave retracted articles out.")
    judge: str | None = Field(None, description="Judge of the claims; null: the service's default.")
    concepts: Concepts = Field(default_factory=dict)


class RejudgeRequest(Posted):
    """Judge a watched statement again (`rejudging.rejudge`). Only the service itself makes this request."""

    statement: Statement


class RiskRequest(RiskOptions):
    """Measure the hallucination risk of a text."""

    text: str = Field(description="One or more statements.")


class JudgeOptions(Posted, Dated):
    """The options of a judgement by both methods (groundedness and risk). All other options have their defaults."""

    exclude_retracted: bool = Field(False, description="Leave retracted articles out.")
    judge: str | None = Field(None, description="Judge of the claims; null: the service's default.")
    concepts: Concepts = Field(default_factory=dict)


class JudgeRequest(JudgeOptions):
    """Ground a text and measure its risk."""

    text: str = Field(description="One or more statements.")


class HypothesizeRequest(Posted, Dated):
    """Hypothesise the relation of two concepts."""

    head: Key
    tail: Key
    setting: Literal["parametric", "kg", "lit", "kg+lit"] = Field(
        "kg+lit",
        description="Knowledge to use: parametric (only what the model knows), kg (graph), lit (literature) or kg+lit.",
    )
    hops: Hops = 2
    k: int = Field(32, ge=1, le=10_000, description="Maximum number of articles.")
    n: int = Field(1, ge=1, le=100, description="Number of candidates to generate.")
    select: Literal["greedy", "majority", "groundedness"] = Field(
        "greedy",
        description="How to choose a candidate: greedy (the first), majority (the most frequent relation) or "
        "groundedness (the one with the best supported rationale).",
    )
    exclude_retracted: bool = Field(False, description="Leave retracted articles out.")
    concepts: Concepts = Field(default_factory=dict)


class GroundJob(GroundOptions):
    """Ground many texts."""

    kind: Literal["ground"]
    texts: list[str] = Field(min_length=1, description="The texts, in the order of the results.")


class RiskJob(RiskOptions):
    """Measure the risk of many texts."""

    kind: Literal["risk"]
    texts: list[str] = Field(min_length=1, description="The texts, in the order of the results.")


class JudgeJob(JudgeOptions):
    """Ground many texts and measure their risk."""

    kind: Literal["judge"]
    texts: list[str] = Field(min_length=1, description="The texts, in the order of the results.")


JobRequest = Annotated[GroundJob | RiskJob | JudgeJob, Field(discriminator="kind")]
