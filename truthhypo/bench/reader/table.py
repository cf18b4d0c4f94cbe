"""The training table of the relation reader: rows from sets of labelled sentences, each with what its labels allow.

Annotators label different things: a relation in a sentence or in a whole document, one relation or all of them, denials
or none. A row therefore holds the classes that its annotation leaves open (`Row.signs`, `Row.manners`, `Row.acts`), and
the fit only pushes probability away from the others. Nothing is guessed about what an annotator did not look at.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from groundwork.linking import Mention, placed
from groundwork.ports import Silent
from groundwork.reading.encoder import ACTS, MANNERS, SIGNS, Spans
from groundwork.records import split_key
from groundwork.vocabulary import relation_sign
from ingest.documents import pubtator
from ingest.documents.document import Document
from ingest.rejects import Rejects, RowCount
from ingest.release import SourceFile

ANY_SIGN, ANY_MANNER, ANY_ACTS = frozenset(SIGNS), frozenset(MANNERS), frozenset(ACTS)
#: What a set labels: a pair of concepts in a sentence, or in a whole document.
SENTENCE, DOCUMENT = "sentence", "document"
#: Concept types that have no labelled relations.
BYSTANDERS = frozenset({"Species", "CellLine"})
_CLASSES = {1: "up", -1: "down", 0: "related"}
Pair = frozenset[str]


@dataclass(frozen=True, slots=True)
class Row:
    """A sentence with two marked ends and what its annotation says about them.

    Attributes:
        source: Name of the labelled set.
        pmid: PMID of the document; 0 if it is unknown.
        text: The sentence.
        first: Positions (start, end) of the end that occurs first in the sentence; all its mentions.
        second: Positions of the other end.
        types: The types of the two ends, such as Chemical.
        signs: The signs that the annotation leaves open, of `SIGNS`.
        manners: The manners that the annotation leaves open, of `MANNERS`: a result, a denied result, or not stated
            (an aim, a method, a question, a hypothesis, a case history or a notice).
        acts: Which end may be the one that acts, of `ACTS`.
        forbidden: (sign, acts) that the sentence states neither as a result nor as one that may hold; None if its
            annotation names no such.
        level: What the labels are about: `SENTENCE` or `DOCUMENT`.
        weight: Weight of the row in the fit, above 0.
        pair: Keys of the two concepts, where the set knows them.
    """

    source: str
    pmid: int
    text: str
    first: Spans
    second: Spans
    types: tuple[str, str]
    signs: frozenset[str] = ANY_SIGN
    manners: frozenset[str] = ANY_MANNER
    acts: frozenset[str] = ANY_ACTS
    forbidden: tuple[str, str] | None = None
    level: str = SENTENCE
    weight: float = 1.0
    pair: frozenset[str] = frozenset()


def only(*names: str) -> frozenset[str]:
    """Return the set of some classes."""
    return frozenset(names)


@dataclass(slots=True)
class End:
    """One of two concepts in a sentence: its type and the places that name it."""

    type: str
    spans: list[tuple[int, int]] = field(default_factory=list)


def row(source: str, pmid: int, text: str, actor: End, other: End, **said: Any) -> Row | None:
    """Return a row for two ends in any order; None if they overlap or one is missing.

    `said` holds fields of `Row`. In `acts` and `forbidden`, "first" means `actor` and "second" means `other`; they are
    exchanged if `other` occurs first in the sentence.
    """
    one, two = sorted(set(actor.spans)), sorted(set(other.spans))
    one = [a for a in one if not any(a != b and b[0] <= a[0] and a[1] <= b[1] for b in one)]
    two = [a for a in two if not any(a != b and b[0] <= a[0] and a[1] <= b[1] for b in two)]
    if not one or not two or any(a[0] < b[1] and b[0] < a[1] for a in one for b in two):
        return None
    types = (actor.type, other.type)
    if two[0] < one[0]:
        one, two, types = two, one, (types[1], types[0])
        turn = {"first": "second", "second": "first"}
        if "acts" in said:
            said["acts"] = frozenset(turn.get(each, each) for each in said["acts"])
        if said.get("forbidden"):
            sign, acts = said["forbidden"]
            said["forbidden"] = (sign, turn.get(acts, acts))
    return Row(source, pmid, text, tuple(one), tuple(two), types, **said)


def places(text: str, name: str) -> list[tuple[int, int]]:
    """Return where a text contains a name as a whole word, ignoring case."""
    return [(m.start(), m.end()) for m in re.finditer(r"(?<!\w)" + re.escape(name) + r"(?!\w)", text, re.I)]


def named(text: str, names: Mapping[str, str]) -> list[End]:
    """Return the known names in a text, longest first where they overlap, each as an end."""
    found: dict[str, End] = {}
    tokens = [(m.start(), m.end()) for m in re.finditer(r"[\w]+(?:[-'][\w]+)*", text)]
    at = 0
    while at < len(tokens):
        for size in range(min(5, len(tokens) - at), 0, -1):
            start, end = tokens[at][0], tokens[at + size - 1][1]
            kind = names.get(text[start:end].lower())
            if kind:
                found.setdefault(text[start:end].lower(), End(kind)).spans.append((start, end))
                at += size - 1
                break
        at += 1
    return list(found.values())


def folded(text: str) -> str:
    """Return a text in lower case without blanks and punctuation, to compare sentences of different sets."""
    return re.sub(r"[\W_]+", "", text.lower())


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Documents that must not be fitted on, in whatever set they stand.

    Attributes:
        pmids: PMIDs of the documents.
        sentences: Folded sentences (`folded`) of these documents, for sets without PMIDs.
    """

    pmids: frozenset[int]
    sentences: frozenset[str] = frozenset()

    @classmethod
    def read(cls, paths: Iterable[Path]) -> "HeldOut":
        """Read files whose lines begin with a PMID."""
        lines = (line for path in paths for line in path.read_text("utf-8").splitlines())
        return cls(frozenset(int(line.split("\t")[0]) for line in lines if line.split("\t")[0].strip().isdigit()))

    def holds(self, each: Row) -> bool:
        """Return whether a row belongs to a document that is set aside: by its PMID, its last digit or its sentence."""
        return each.pmid in self.pmids or each.pmid % 10 in (2, 3) or folded(each.text) in self.sentences

    def with_sentences(self, rows: Iterable[Row]) -> "HeldOut":
        """Return the same documents, with the sentences of those rows that belong to them."""
        return HeldOut(self.pmids, self.sentences | {folded(each.text) for each in rows if self.holds(each)})


def sampled(rows: Collection[Row], most: int, draw: Random) -> list[Row]:
    """Return at most `most` rows, drawn without replacement."""
    listed = list(rows)
    return listed if len(listed) <= most else draw.sample(listed, most)


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
