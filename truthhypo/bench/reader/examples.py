"""Read labelled documents: the relation that a document gives two concepts, and where it names them."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from groundwork.linking import Mention, placed
from groundwork.ports import Silent
from groundwork.records import split_key
from groundwork.vocabulary import relation_sign
from ingest.documents import pubtator
from ingest.documents.document import Document
from ingest.rejects import Rejects, RowCount
from ingest.release import SourceFile

#: Concept types that have no labelled relations.
BYSTANDERS = frozenset({"Species", "CellLine"})
_CLASSES = {1: "up", -1: "down", 0: "related"}
Pair = frozenset[str]


def read_documents(paths: Iterable[Path]) -> list[Document]:
    """Read documents in PubTator or BioC-JSON format. If a document is repeated, the last one is used.

    Raises:
        InputError: A file cannot be read completely.
    """
    found: dict[int, Document] = {}
    with TemporaryDirectory() as scratch, Rejects(Path(scratch) / "rejects.tsv") as rejects:
        for document in pubtator.read([SourceFile(path) for path in paths], rejects, RowCount(), Silent()):
            found[document.pmid] = document
    return list(found.values())


def labels(document: Document) -> Mapping[Pair, str]:
    """Return the class of each related pair of a document. A pair labelled both "up" and "down" is "related"."""
    found: dict[Pair, str] = {}
    for head, relation, tail in document.relations:
        pair, said = frozenset((head, tail)), _CLASSES[relation_sign(relation)]
        known = found.setdefault(pair, said)
        if known != said:
            found[pair] = "related" if {known, said} == {"up", "down"} else max(known, said, key="related up down".find)
    return found


def keys_of(document: Document) -> frozenset[str]:
    """Return the keys of the concepts that are annotated in a document, except those of the types in BYSTANDERS."""
    return frozenset(a.key for a in document.annotations if split_key(a.key)[0] not in BYSTANDERS)


def mentions_of(document: Document) -> tuple[str, tuple[Mention, ...]]:
    """Return a document's text and its annotations as mentions with positions in the text.

    Annotations of the types in BYSTANDERS are left out.
    """
    text = f"{document.title} {document.abstract}".strip()
    annotations = ((a.mention, a.key) for a in document.annotations if split_key(a.key)[0] not in BYSTANDERS)
    return text, placed(text, annotations)
