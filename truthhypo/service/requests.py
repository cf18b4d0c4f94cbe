"""The typed requests. Their fields have the names of the command-line options."""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from groundwork.records import Rank
from truthhypo.service.watchlist import Statement

Key = Annotated[str, Field(min_length=1, description="Key (Gene|7157), unambiguous id or name of a concept.")]
Hops = Annotated[int, Field(ge=1, le=4, description="Edges of the longest chain or path, 1 to 4.")]


Concepts = Annotated[
    dict[str, str],
    Field(max_length=100, description="What names of the text mean: concepts (key, or unambiguous id) by name."),
]


class Request(BaseModel):
    """What all requests share: fields outside the schema, NaN and infinities are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Dated(Request):
    """A request for evidence, which may be cut at a date."""

    before: int | None = Field(None, ge=1, description="Only evidence with PMID <= this counts; null for all.")


class Posted(Request):
    """A request that comes as JSON. Its types are checked strictly: for example, 0 is not accepted as a boolean."""

    model_config = ConfigDict(strict=True)


class FindRequest(Request):
    """Find concepts by key or name."""

    q: str = Field(min_length=1, description="A key, a name, or something like one.")
    type: str | None = Field(None, description="Only this type: Chemical, Disease, Gene, Species ...")
    limit: int = Field(10, ge=1, le=1000, description="Concepts at most.")


class ConceptRequest(Request):
    """Describe a concept."""

    key: Key


class EdgesRequest(Dated):
    """Look up the relation edges among some concepts."""

    key: list[Key] = Field(min_length=2, max_length=300, description="Keys or names of two concepts or more.")
    pmids: int = Field(20, ge=0, le=1000, description="PMIDs to list on an edge, newest first.")


class ChainsRequest(Dated):
    """Look up the chains of relations between two concepts."""

    head: Key
    tail: Key
    hops: Hops = 2
    limit: int = Field(32, ge=0, le=10_000, description="Chains at most, best first.")
    rank: Rank = Field("evidence", description="Score: evidence, dwpc or hops.")
    pmids: int = Field(20, ge=0, le=1000, description="PMIDs to list on a hop, newest first.")
    similar: bool = Field(False, description="Walk similarity edges too.")
    alpha: float = Field(0.9, ge=0, le=1, description="Weight of a similarity edge, in [0, 1].")


class SearchRequest(Dated):
    """Search the abstracts by BM25."""

    q: str = Field(min_length=1, description="Free text; no query syntax is read in it.")
    k: int = Field(32, ge=1, le=10_000, description="Hits at most.")
    min_score: float | None = Field(None, description="Leave out hits below this BM25 score.")
    exclude_retracted: bool = Field(False, description="Leave retracted articles out.")


class ArticleRequest(Request):
    """Show an article."""

    pmid: int = Field(ge=1, description="Its PMID.")


class QueryRequest(Posted):
    """Run one free Cypher query that only reads."""

    query: str = Field(min_length=1, description="MATCH, OPTIONAL MATCH, WHERE, WITH, UNWIND, RETURN, ORDER BY ...")
    params: dict[str, Any] = Field(default_factory=dict, description="Values of its parameters.")
    limit: int | None = Field(None, ge=1, description="Rows at most; null for the setting row_limit.")


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

    k: int = Field(8, ge=1, le=10_000, description="Documents per claim at most.")
    tau: float | None = Field(None, description="BM25 score that a document must reach.")
    exclude_retracted: bool = Field(False, description="Leave retracted articles out.")
    hops: Hops = 1
    joint: int = Field(1, ge=1, description="Claims that a language model judges in one prompt.")
    each_source: bool = Field(False, description="Send one prompt per evidence source instead of a single one.")
    judge: str | None = Field(None, description="Judge of the claims, one that the service offers; null: its own.")
    concepts: Concepts = Field(default_factory=dict)


class RiskOptions(Posted, Dated):
    """How the risk is measured."""

    form: Literal["scaled", "paper", "linear"] = Field("scaled", description="How a cosine becomes a membership mu.")
    alpha: float = Field(0.9, gt=0, le=1, description="Weight of a similarity edge, in (0, 1].")
    tau_min: float = Field(0.2, ge=0, le=1, description="Ignore edges with a belief or mu below this, in [0, 1].")
    hops: Hops = 3
    aggregate: Literal["noisy_or", "max", "sum"] = Field("noisy_or", description="How paths are combined.")
    contradiction: Literal["signed", "inverted"] = Field("signed", description="How evidence against is found.")
    paths: int = Field(20, ge=0, le=10_000, description="Paths to show.")
    k: float | None = Field(None, gt=0, description="Steepness of `scaled`; needs s0. Null: as in the graph.")
    s0: float | None = Field(None, ge=-1, le=1, description="Cosine where `scaled` is 0.5; needs k.")
    words: bool = Field(True, description="Compare words with the closest sentence of the literature.")
    exclude_retracted: bool = Field(False, description="Leave retracted articles out.")
    concepts: Concepts = Field(default_factory=dict)

    @model_validator(mode="after")
    def _slope_is_whole(self) -> Self:
        """Check that the curve of `scaled` is given by both of its numbers or by none."""
        if (self.k, self.s0) != (None, None) and (None in (self.k, self.s0) or self.form != "scaled"):
            raise ValueError("give both k and s0 with the form scaled, or neither")
        return self


class GroundRequest(GroundOptions):
    """Judge each claim of a text against graph and literature."""

    text: str = Field(description="A hypothesis, with or without its rationale.")


class TimelineRequest(Posted):
    """Trace the evidence on the claims of a text over the years."""

    text: str = Field(description="One or more statements.")
    k: int = Field(8, ge=1, le=10_000, description="Documents per claim and year at most.")
    exclude_retracted: bool = Field(False, description="Leave retracted articles out.")
    judge: str | None = Field(None, description="Judge of the claims, one that the service offers; null: its own.")
    concepts: Concepts = Field(default_factory=dict)


class RejudgeRequest(Posted):
    """Judge a watched statement again (`rejudging.rejudge`). It is asked within the service only."""

    statement: Statement


class RiskRequest(RiskOptions):
    """Measure the hallucination risk of a text."""

    text: str = Field(description="One or more statements.")


class JudgeOptions(Posted, Dated):
    """How a text is judged by both methods; all else is as by default."""

    exclude_retracted: bool = Field(False, description="Leave retracted articles out.")
    judge: str | None = Field(None, description="Judge of the claims, one that the service offers; null: its own.")
    concepts: Concepts = Field(default_factory=dict)


class JudgeRequest(JudgeOptions):
    """Ground a text and measure its risk."""

    text: str = Field(description="One or more statements.")


class HypothesizeRequest(Posted, Dated):
    """Hypothesise the relation of two concepts."""

    head: Key
    tail: Key
    setting: Literal["parametric", "kg", "lit", "kg+lit"] = Field("kg+lit", description="Knowledge that is used.")
    hops: Hops = 2
    k: int = Field(32, ge=1, le=10_000, description="Documents at most.")
    n: int = Field(1, ge=1, le=100, description="Candidates to generate.")
    select: Literal["greedy", "majority", "groundedness"] = Field("greedy", description="How one is chosen.")
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
