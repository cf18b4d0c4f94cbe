"""Records of the literature: texts, abstracts and search hits."""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from groundwork.records.base import Record, frame
from groundwork.records.shortened import listed

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, slots=True)
class Text(Record):
    """A document's text as one source gives it."""

    title: str
    abstract: str
    year: int | None = None
    journal: str | None = None
    retracted: bool = False


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
    """A document found by search: its rank (from 1), BM25 score (as in Lucene), title, and whether it was retracted.

    Example:
        >>> world.literature.search("aspirin infarction").hits[0].rank
        1
    """

    pmid: int
    rank: int
    score: float
    title: str
    retracted: bool


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
