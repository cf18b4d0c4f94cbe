"""Records of the literature: texts, abstracts, hits."""

from dataclasses import dataclass
from typing import Any

from groundwork.records.base import Record, frame


@dataclass(frozen=True, slots=True)
class Text(Record):
    """A document's own words, as one source gives them."""

    title: str
    abstract: str
    year: int | None = None
    journal: str | None = None
    retracted: bool = False


@dataclass(frozen=True, slots=True)
class Abstract(Record):
    """A document of the literature index. A PubMed record's text wins over a PubTator document's.

    Attributes:
        pmid: Its id.
        record: The text as PubMed gives it, None if no PubMed record is loaded.
        document: The text as a PubTator document gives it, None if no such document is loaded.
        annotated: Keys annotated in the PubTator document, sorted.
        release: The load that last changed it.
        entities: Keys that PubTator's entity files name for the PubMed record, sorted.
        spoken: (words, key) of what is annotated in the PubTator document, sorted, each once.
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
        """The keys of the concepts it is about, whoever named them; sorted, each once."""
        return tuple(sorted({*self.annotated, *self.entities})) if self.entities else self.annotated

    @property
    def text(self) -> Text:
        """The text that stands: PubMed's, else the document's own."""
        text = self.record or self.document
        if text is None:
            raise ValueError(f"abstract {self.pmid} has no text from any source")
        return text


@dataclass(frozen=True, slots=True)
class Hit(Record):
    """A document found by search: rank from 1, Lucene's BM25 score, title, and whether it was retracted."""

    pmid: int
    rank: int
    score: float
    title: str
    retracted: bool


@dataclass(frozen=True, slots=True)
class IndexInfo(Record):
    """How a literature index scores: document count, analyser name, k1 and b."""

    documents: int
    analyzer: str
    k1: float
    b: float


@dataclass(frozen=True, slots=True)
class Hits(Record):
    """Answer of a literature search, best first, ties by ascending PMID."""

    hits: tuple[Hit, ...]
    index: IndexInfo

    def to_frame(self) -> Any:
        """The hits as a pandas DataFrame."""
        return frame(self.hits)
