"""Records of the literature: texts, abstracts and search hits."""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Literal

from groundwork.records.base import Record, frame, listed

if TYPE_CHECKING:
    from pandas import DataFrame


#: How a study was made; `groundwork.study` derives it.
Design = Literal[
    "meta-analysis",
    "systematic review",
    "randomised trial",
    "clinical trial",
    "cohort",
    "case-control",
    "cross-sectional",
    "case report",
    "review",
    "in vitro",
    "animal",
    "preprint",
    "notice",
]


@dataclass(frozen=True, slots=True)
class Text(Record):
    """A document's text as one source gives it.

    Attributes:
        title: The title; may be empty.
        abstract: The abstract; may be empty.
        year: Year of publication.
        journal: Name of the journal.
        retracted: Whether the article was retracted.
        notice: Whether the publication types make the document a notice (see `groundwork.study`), for example an
            erratum; None if they do not tell, or if the source gives none.
        types: Publication types, in the order of the source.
        mesh: MeSH headings as in MEDLINE, in the order of the source: the descriptor and its qualifiers with slashes,
            major topics with an asterisk ("Aspirin/*adverse effects/therapeutic use").
        languages: Languages of the article as codes of three letters, such as `eng`.
        doi: DOI of the article in lower case; empty if the source gives none.
    """

    title: str
    abstract: str
    year: int | None = None
    journal: str | None = None
    retracted: bool = False
    notice: bool | None = None
    types: tuple[str, ...] = ()
    mesh: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    doi: str = ""


@dataclass(frozen=True, slots=True)
class Abstract(Record):
    """A document of the literature index. The text of a PubMed record has priority over a PubTator document's.

    Attributes:
        pmid: PMID of the article.
        record: The text in PubMed; None if no PubMed record is loaded.
        document: The text in the PubTator document; None if no such document is loaded.
        annotated: Keys of the concepts annotated in the PubTator document, sorted.
        release: The load that last changed this document.
        entities: Keys of the concepts that PubTator's entity files give for the PubMed record, sorted.
        spoken: Distinct pairs (words, key) from the annotations in the PubTator document, sorted: words of the text and
            the key of the concept that they name.
        version: Version of the PubMed record; 1 if no PubMed record is loaded.

    Example:
        >>> world.literature.get(990000005)[990000005].pmid
        990000005
    """

    pmid: int
    record: Text | None
    document: Text | None
    annotated: tuple[str, ...] = ()
    release: str = ""
    entities: tuple[str, ...] = ()
    spoken: tuple[tuple[str, str], ...] = ()
    version: int = 1

    @property
    def concepts(self) -> tuple[str, ...]:
        """The distinct keys of the concepts that the document names, from all sources, sorted."""
        return tuple(sorted({*self.annotated, *self.entities})) if self.entities else self.annotated

    @property
    def text(self) -> Text:
        """The text from PubMed if there is one, else the text of the PubTator document."""
        text = self.record or self.document
        if text is None:
            raise ValueError(f"abstract {self.pmid} has no text from any source")
        return text


@dataclass(frozen=True, slots=True)
class Hit(Record):
    """A document found by search.

    Attributes:
        pmid: PMID of the article.
        rank: Its rank, from 1.
        score: Its BM25 score, as in Lucene.
        title: Its title.
        retracted: Whether it was retracted.
        design: The design of the study; None if it is not known.
        organism: Name of the organism studied, such as `mouse`; None if it is not known.

    Example:
        >>> world.literature.search("aspirin infarction").hits[0].rank
        1
    """

    pmid: int
    rank: int
    score: float
    title: str
    retracted: bool
    design: Design | None = None
    organism: str | None = None


@dataclass(frozen=True, slots=True)
class IndexInfo(Record):
    """What the scores of a literature index depend on: number of documents, analyser, and BM25 constants k1 and b."""

    documents: int
    analyzer: str
    k1: float
    b: float


@dataclass(frozen=True, slots=True)
class Hits(Record):
    """The result of a literature search, best first; ties by ascending PMID.

    Example:
        >>> world.literature.search("aspirin infarction", k=2).to_frame()["rank"].tolist()
        [1, 2]
    """

    hits: tuple[Hit, ...]
    index: IndexInfo

    def to_frame(self) -> "DataFrame":
        """Return the hits as a pandas DataFrame."""
        return frame(self.hits, (each.name for each in fields(Hit)))

    def __repr__(self) -> str:
        lines = (f"{hit.score:7.3f}  PMID {hit.pmid}  {hit.title}" for hit in self.hits)
        return listed(f"Hits: {len(self.hits):,} of {self.index.documents:,} documents", lines)


@dataclass(frozen=True, slots=True)
class Naming(Record):
    """The documents that name each of several things (usually concepts).

    Attributes:
        total: Their number, counted exactly.
        among: Those of the PMIDs asked about that are among them.
        hits: The best others, best first; ties by ascending PMID.
    """

    total: int
    among: frozenset[int]
    hits: tuple[Hit, ...]
