"""What the readers of documents and of PubMed hand on, one record a document."""

from dataclasses import dataclass

from groundwork.records import Text


@dataclass(frozen=True, slots=True)
class Annotation:
    """One mention of a concept in a document.

    Attributes:
        key: The concept, `Type|ID`. A mention of several ids gives one annotation an id.
        mention: The words, as they stand in the text; empty if the file does not say them.
    """

    key: str
    mention: str


@dataclass(frozen=True, slots=True)
class Document:
    """A document in one of the PubTator formats, its ids and relations in PubTator3's bulk terms.

    Attributes:
        pmid: Its id, positive.
        title: Its title, maybe empty.
        abstract: Its abstract, maybe empty.
        year: Year of publication, None if the file does not say it.
        journal: Journal, None if the file does not say it.
        annotations: Every normalised mention, in the file's order, repeats included.
        relations: (head, relation, tail) as kept rows, in the file's order, repeats included; any order of the ends.
    """

    pmid: int
    title: str
    abstract: str
    year: int | None = None
    journal: str | None = None
    annotations: tuple[Annotation, ...] = ()
    relations: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class PubmedRecord:
    """A PubMed article; a later record of the same PMID replaces it.

    Attributes:
        pmid: Its id, positive.
        text: What PubMed says of it.
        entities: Keys that the entity files name for it, sorted; None where they were not asked.
    """

    pmid: int
    text: Text
    entities: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Deletion:
    """A PMID that PubMed took back (DeleteCitation)."""

    pmid: int
