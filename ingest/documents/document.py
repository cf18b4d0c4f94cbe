"""The records that the readers of documents and of PubMed produce, one per document."""

from dataclasses import dataclass

from groundwork.records import Text


@dataclass(frozen=True, slots=True)
class Annotation:
    """One mention of a concept in a document.

    Attributes:
        key: The concept, `Type|ID`. A mention with several ids gives one annotation per id.
        mention: The words in the text; empty if the file does not contain them.
    """

    key: str
    mention: str


@dataclass(frozen=True, slots=True)
class Document:
    """A document in one of the PubTator formats, with ids and relations as in PubTator3's bulk files.

    Attributes:
        pmid: PMID of the document, positive.
        title: Its title; may be empty.
        abstract: Its abstract; may be empty.
        year: Year of publication; None if the file does not contain it.
        journal: Journal; None if the file does not contain it.
        annotations: Every mention with an id, in the file's order, including repeats.
        relations: (head, relation, tail) of the rows kept, in the file's order, including repeats. Head and tail are
            not always in canonical order.
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
    """A PubMed article; a later record of the same PMID replaces it, unless it has a lower version.

    Attributes:
        pmid: PMID of the article, positive.
        text: Its text in PubMed.
        entities: Keys of the concepts that the entity files give for the article, sorted; None if no entity files were
            given.
        version: Version of the record, positive. Nearly all records have the version 1.
    """

    pmid: int
    text: Text
    entities: tuple[str, ...] | None = None
    version: int = 1


@dataclass(frozen=True, slots=True)
class Deletion:
    """A PMID that PubMed deleted (DeleteCitation).

    Attributes:
        pmid: The PMID.
        version: The version of the record that is deleted; None to delete any version.
    """

    pmid: int
    version: int | None = None
