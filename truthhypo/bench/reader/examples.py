"""Turn labelled documents into examples: two mentions in a sentence, and the relation that the document gives them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

from groundwork.cutting import cut
from groundwork.language import sentences
from groundwork.linking import Mention
from groundwork.polarity import relation_sign
from groundwork.ports import Silent
from groundwork.reading.features import PairView, features
from groundwork.reading.placing import placed, within
from groundwork.reading.reader import reaches
from groundwork.reading.scope import denying, scopes
from groundwork.reading.tree import Tree, parse_all
from groundwork.records import split_key
from ingest.documents import pubtator
from ingest.documents.document import Document
from ingest.rejects import Rejects, RowCount
from ingest.release import SourceFile

#: Concept types that have no labelled relations.
BYSTANDERS = frozenset({"Species", "CellLine"})
_CLASSES = {1: "up", -1: "down", 0: "related"}
Pair = frozenset[str]


@dataclass(frozen=True, slots=True)
class Example:
    """Two mentions of different concepts in a sentence, with the features that the reader learns from.

    Attributes:
        pmid: PMID of the document.
        pair: Keys of the two concepts.
        label: Class of the relation between the two concepts, as the document is labelled.
        names: Names of the features.
        negated: Whether a negation covers what the sentence says about the two concepts.
    """

    pmid: int
    pair: Pair
    label: str
    names: frozenset[str]
    negated: bool


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


def telling_sentences(documents: Iterable[Document]) -> Iterator[tuple[Document, str, tuple[Mention, ...]]]:
    """Yield each sentence that names two or more concepts, as its document, its text and its mentions."""
    for document in documents:
        text, mentions = mentions_of(document)
        for sentence in (part for whole in sentences(text) for part in cut(whole)):
            inside = within(mentions, sentence)
            if len({mention.key for mention in inside}) > 1:
                yield document, sentence.text, inside


def examples(documents: Iterable[Document]) -> Iterator[Example]:
    """Yield an example for each pair of mentions of different concepts in a sentence."""
    listed = list(documents)
    parts = list(telling_sentences(listed))
    known = {document.pmid: labels(document) for document in listed}
    trees = parse_all((text, inside) for _, text, inside in parts)
    for (document, _, _), tree in zip(parts, trees, strict=True):
        yield from _of_sentence(document.pmid, tree, known[document.pmid])


def _of_sentence(pmid: int, tree: Tree, known: Mapping[Pair, str]) -> Iterator[Example]:
    found = scopes(tree)
    hidden = denying(found)
    for first, second in combinations(range(len(tree.mentions)), 2):
        pair = frozenset(key for each in (first, second) if (key := tree.mentions[each].key))
        if len(pair) == 2:
            view = PairView(tree, first, second, hidden)
            negated = any(scope.category == "negation" and reaches(scope, view) for scope in found)
            names = frozenset(name for name, _ in features(view))
            yield Example(pmid, pair, known.get(pair, "none"), names, negated)
