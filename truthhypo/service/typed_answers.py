"""The typed answers of look-ups and judgements: their records, each with the live releases behind it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Self

from fuzzygraph.risk_report import RiskReport
from groundwork.records import Chains, Design, Found, Hits, Hop, IndexInfo, Record, Release, Stats, Table
from knowhd.citations import CitationReport
from knowhd.ground_report import GroundReport
from knowhd.marks import Mark
from knowhd.stances import Highlights
from truthhypo.hypotheses.hypothesis import Hypothesis
from truthhypo.service.timeline import Timeline
from truthhypo.service.watching import Rejudgement


@dataclass(frozen=True, kw_only=True)
class Sourced(Record):
    """An answer with the releases from which it was made.

    Attributes:
        release: What the stores hold: the live releases, each as `SOURCE:ID`, sorted.
        loading: True if a load is unfinished, so that the answer may mix data from before and after it; else absent.
    """

    release: tuple[str, ...]
    loading: bool = False

    @classmethod
    def of_record(cls, record: Record, release: tuple[str, ...], loading: bool) -> Self:
        """Return the answer with the fields of a record, the live releases, and whether a load is unfinished."""
        held = {each.name: getattr(record, each.name) for each in fields(record)}  # type: ignore[arg-type]
        return cls(**{**held, "release": release, "loading": loading})

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON values of the record, then `release`, then `loading` if it is true."""
        shape = super().to_dict()
        release, loading = shape.pop("release"), shape.pop("loading")
        return {**shape, "release": release, **({"loading": True} if loading else {})}


@dataclass(frozen=True)
class FoundAnswer(Found, Sourced):
    """Concepts found by text, best first; `ambiguous` is true if several concepts share the best score."""


@dataclass(frozen=True)
class ChainsAnswer(Chains, Sourced):
    """Chains between two concepts, best first; `total` counts all chains, `truncated` is true if some are left out."""


@dataclass(frozen=True)
class HitsAnswer(Hits, Sourced):
    """Documents found by BM25, best first."""


@dataclass(frozen=True)
class StatsAnswer(Stats, Sourced):
    """Concepts by type, relation edges by relation, releases, and the digest of the edges."""


@dataclass(frozen=True)
class TableAnswer(Table, Sourced):
    """Columns and rows of a Cypher query; `truncated` is true if the row limit left out rows."""


@dataclass(frozen=True)
class GroundAnswer(GroundReport, Sourced):
    """Claims of a text with evidence and verdicts; groundedness in [0, 1] per source, null if no claim was judged."""


@dataclass(frozen=True)
class CitationAnswer(CitationReport, Sourced):
    """Whether each cited article states a claim, and the sentence that decides."""


@dataclass(frozen=True, kw_only=True)
class MarkShape(Record):
    """A person's word on a piece of evidence (`Mark`), with the id by which it is removed.

    Attributes:
        id: The id of claim and piece: a later mark on them has the same id.
        mark: The mark.
    """

    id: str
    mark: Mark

    @classmethod
    def of(cls, mark: Mark) -> Self:
        """Return a mark with its id."""
        return cls(id=mark.id, mark=mark)


@dataclass(frozen=True)
class MarkAnswer(MarkShape, Sourced):
    """A person's word on a piece of evidence, as it was kept."""


@dataclass(frozen=True)
class KeptMarks(Record):
    """All marks, in the order of their times."""

    marks: tuple[MarkShape, ...]


@dataclass(frozen=True)
class TimelineAnswer(Timeline, Sourced):
    """The claims of a text with the articles for and against them by year, and the verdict at the end of each year."""


@dataclass(frozen=True)
class RejudgementAnswer(Rejudgement, Sourced):
    """A watched statement, judged again if its evidence has changed."""


@dataclass(frozen=True)
class RiskAnswer(RiskReport, Sourced):
    """The risk of a text: its claims with paths; hrs (in [0, 1]) and strength are null unless all are measured."""


@dataclass(frozen=True, slots=True)
class ArticleNote(Record):
    """The details by which readers recognise an article."""

    title: str
    year: int | None
    journal: str | None
    retracted: bool


@dataclass(frozen=True, kw_only=True)
class JudgementAnswer(Sourced):
    """A text judged by both methods (groundedness and risk), with all that a reader needs to check the verdicts.

    Attributes:
        text: The text.
        ground: The groundedness report: the claims with evidence and verdicts.
        risk: The risk report: the claims with paths.
        names: The preferred name of each concept in the answer, by key.
        links: Addresses of the pages about each concept, by the key of the concept and the name of the database.
        articles: The articles behind the evidence, by PMID, as far as the literature holds them.
        highlights: For each claim of `ground`, the places that matter in the sentences of its evidence, by the id of
            the sentence.
        queries: For each claim of `risk`, a Cypher query for Neo4j that shows its paths; null if the subject or the
            object of the claim is unknown.
    """

    text: str
    ground: GroundReport
    risk: RiskReport
    names: Mapping[str, str]
    links: Mapping[str, Mapping[str, str]]
    articles: Mapping[str, ArticleNote]
    highlights: tuple[Mapping[str, Highlights], ...]
    queries: tuple[str | None, ...]


@dataclass(frozen=True, kw_only=True)
class KeptResult(JudgementAnswer):
    """A judgement that is kept under HOME.

    Attributes:
        id: Id of the judgement, which cannot be guessed.
        created: Time when it was made, in UTC.
        expires: Time when it is deleted, in UTC.
        options: The options of the judgement.
    """

    id: str
    created: datetime
    expires: datetime
    options: Mapping[str, Any]


@dataclass(frozen=True)
class HypothesisAnswer(Hypothesis, Sourced):
    """The relation chosen for two concepts, the reason, and all candidates."""


@dataclass(frozen=True)
class EdgesAnswer(Sourced):
    """The relation edges among some concepts, highest belief first."""

    edges: tuple[Hop, ...]


@dataclass(frozen=True)
class ReleasesAnswer(Sourced):
    """The releases that graph and literature know of."""

    releases: tuple[Release, ...]


@dataclass(frozen=True)
class DescriptionAnswer(Sourced):
    """What the stores hold.

    Attributes:
        concepts: Number of concepts by type.
        edges: Number of relation edges by relation.
        index: How the literature is searched, and how many documents it holds.
        releases: The live releases.
    """

    concepts: Mapping[str, int]
    edges: Mapping[str, int]
    index: IndexInfo
    releases: tuple[Release, ...]


@dataclass(frozen=True)
class ConceptAnswer(Sourced):
    """A concept.

    Attributes:
        key: `Type|ID`.
        name: Its preferred name: the symbol of a gene if it is known, else the most frequent name.
        type: Its type.
        organism: For a gene, the name of its organism; empty if it is not known.
        description: For a gene, what its symbol stands for; empty if it is not known.
        synonyms: All known names, most frequent first.
        links: Addresses of the pages about the concept, by the name of the database.
        edges: Number of relation edges to other concepts, by relation.
        articles_by_year: Number of articles behind these edges by year of publication, as far as the literature holds
            them with a year.
    """

    key: str
    name: str
    type: str
    organism: str
    description: str
    synonyms: tuple[str, ...]
    links: Mapping[str, str]
    edges: Mapping[str, int]
    articles_by_year: Mapping[str, int]


@dataclass(frozen=True)
class ArticleAnswer(Sourced):
    """An article.

    Attributes:
        pmid: Its PMID.
        title: Its title.
        abstract: Its abstract.
        year: Year of publication.
        journal: Name of the journal.
        retracted: Whether it was retracted.
        doi: Its DOI in lower case; empty if it is not known.
        design: Design of the study, from publication types and MeSH headings; null if it is not known.
        organism: Name of the organism studied; null if it is not known.
        participants: Number of participants as the abstract states it; null if it states none.
        types: Publication types.
        mesh: MeSH headings as in MEDLINE ("Aspirin/*adverse effects").
        languages: Languages, as codes of three letters.
        concepts: Keys of the concepts that the article is about.
    """

    pmid: int
    title: str
    abstract: str
    year: int | None
    journal: str | None
    retracted: bool
    doi: str
    design: Design | None
    organism: str | None
    participants: int | None
    types: tuple[str, ...]
    mesh: tuple[str, ...]
    languages: tuple[str, ...]
    concepts: tuple[str, ...] = field(default=())
