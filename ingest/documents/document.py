"""The records that the readers of documents and of PubMed produce, one per document."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import pyarrow as pa

from groundwork.records import Text, split_key
from groundwork.vocabulary import VARIANTS, canonical
from ingest import identifiers
from ingest.rejects import Reason, RowCount


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


#: Kinds of problems with annotations; they are counted separately from rows.
BEYOND_TEXT = "beyond_text"
UNKNOWN_TYPE = "unknown_type"
UNMATCHED_VARIANT = "unmatched_variant"
BAD_PMID = "bad_pmid"
MALFORMED = "malformed"


class End(NamedTuple):
    """The head or tail of a relation as written in the document: the id, and the type if the relation states it."""

    id: str
    type: str | None = None


class Draft:
    """Collects one document: first all its annotations, then its relations.

    Args:
        pmid: PMID of the document.
        rows: Receives the counts of the document's rows and annotations.
    """

    def __init__(self, pmid: int, rows: RowCount) -> None:
        self.pmid = pmid
        self._rows = rows
        self._annotated = AnnotatedDocument()
        self._spans: list[tuple[int, int]] = []
        self._relations: list[tuple[str, str, str]] = []

    def annotate(self, type_name: str, ident: str, mention: str, span: tuple[int, int], names: str = "") -> None:
        """Add an annotation and count it. An annotation that is left out is counted by the reason.

        Args:
            type_name: Entity type as written in the document.
            ident: Content of the id column.
            mention: The annotated words.
            span: Offset of the first character, and offset after the last one.
            names: BC5CDR's words for each id of a composite mention, joined by bars; empty if there are none.
        """
        self._spans.append(span)
        kind = identifiers.entity_type(type_name)
        if kind is None:
            self._rows.problems[UNKNOWN_TYPE] += 1
            return
        pairs = [(ident, mention)]
        if names and kind not in {identifiers.BY_ID, *VARIANTS} and names.count("|") == ident.count("|"):
            pairs = list(zip(ident.split("|"), names.split("|"), strict=True))
        refusals = {self._annotated.add(type_name, part, name) for part, name in pairs}
        self._rows.organisms |= identifiers.organisms(kind, ident)
        if Reason.LONG_KEY in refusals:
            self._rows.problems[Reason.LONG_KEY.value] += 1
        if None in refusals:
            self._rows.annotations += 1
        elif refusals == {Reason.EMPTY_ID}:
            self._rows.unnormalised += 1

    def refusal(self, text: Text) -> Reason | None:
        """Return the reason to reject a document without text and annotation, or None. Call it after all annotations.

        Such a document would replace the content that was loaded for its PMID by nothing.
        """
        return Reason.EMPTY_DOCUMENT if self._annotated.empty and not (text.title or text.abstract) else None

    def relate(self, name: str, head: End, tail: End) -> Reason | None:
        """Add a relation row and count it, or return the reason why it is rejected.

        A composite mention names several concepts. The row then gives one relation for each pair of a head and a tail.
        """
        if not identifiers.known_relation(name):
            return Reason.UNKNOWN_RELATION
        expected = identifiers.COLUMN_TYPES.get(name, (None, None))
        heads, tails = self._keys(head, expected[0]), self._keys(tail, expected[1])
        if isinstance(heads, Reason):
            return heads
        if isinstance(tails, Reason):
            return tails
        for a in heads:
            for b in tails:
                relation = identifiers.rewritten_relation(name, split_key(a)[0], split_key(b)[0])
                if relation is None:
                    return Reason.UNKNOWN_RELATION
                self._relations.append((a, relation, b))
        self._rows.kept += 1
        return None

    def _keys(self, end: End, expected: str | None) -> tuple[str, ...] | Reason:
        if end.type is None:
            return self._annotated.end(end.id, expected)
        if identifiers.entity_type(end.type) is None:
            return Reason.UNKNOWN_TYPE
        return self._annotated.relate(end.type, end.id)

    def done(self, text: Text, extent: int) -> Document:
        """Return the finished document, and count the problems with its annotations.

        Args:
            text: Title, abstract, year and journal of the document.
            extent: The largest offset that an annotation may have.
        """
        self._rows.documents += 1
        for kind, count in (
            (BEYOND_TEXT, sum(not 0 <= start <= end <= extent for start, end in self._spans)),
            (UNMATCHED_VARIANT, self._annotated.unmatched),
        ):
            if count:
                self._rows.problems[kind] += count
        return Document(
            self.pmid,
            text.title,
            text.abstract,
            text.year,
            text.journal,
            self._annotated.mentions(),
            tuple(self._relations),
        )


_NEVER_RELATED = frozenset({"Species", "CellLine"})


class AnnotatedDocument:
    """The annotations of one document."""

    def __init__(self) -> None:
        self._mentions: list[Annotation] = []
        self._types: dict[str, dict[str, None]] = {}
        self._related: dict[str, None] = {}
        self.unmatched = 0  # number of variants in relations that agree with no annotation of the document

    @property
    def empty(self) -> bool:
        """Whether no annotation was added."""
        return not self._mentions

    def add(self, type_name: str, ident: str, mention: str) -> Reason | None:
        """Add one annotation.

        Args:
            type_name: Entity type as written in the document, known to `identifiers.entity_type`.
            ident: Content of the id column, which may contain several ids.
            mention: The annotated words.

        Returns:
            None, or the reason why the annotation is left out.
        """
        keys = identifiers.keys(type_name, ident)
        if isinstance(keys, Reason):
            return keys
        for key in keys:
            kind, bare = split_key(key)
            self._types.setdefault(bare, {})[kind] = None
            self._mentions.append(Annotation(key, mention))
        return None

    def mentions(self) -> tuple[Annotation, ...]:
        """Return the annotations. If the relations use other keys for a variant, these replace the annotated key."""
        renamed = {
            annotation.key: self._relation_keys(annotation.key)
            for annotation in self._mentions
            if split_key(annotation.key)[0] in VARIANTS
        }
        return tuple(
            Annotation(key, annotation.mention)
            for annotation in self._mentions
            for key in renamed.get(annotation.key, (annotation.key,))
        )

    def end(self, text: str, expected: str | None = None) -> tuple[str, ...] | Reason:
        """Return the concepts that the head or tail of a relation names.

        Args:
            text: The id as written in the relation. An id of the form `Type|ID` need not be annotated.
            expected: The entity type that this end always has in relations of the same name; None if the type is not
                fixed.

        Returns:
            The keys of the concepts (several for a composite mention), or the reason why there are none.
        """
        prefix, bar, rest = text.strip().partition("|")
        if bar and identifiers.entity_type(prefix):
            return self.relate(prefix, rest)
        ident = identifiers.whole(text)
        parts = (ident,) if ident in self._types else identifiers.split(text)
        if not parts:
            return Reason.EMPTY_ID
        if not all(part in self._types for part in parts):
            return self._variant(text)
        ends = []
        for part in parts:
            kind = _only(self._types[part], expected)
            if not kind:
                return Reason.AMBIGUOUS_ID
            ends.append(f"{kind}|{part}")
        self._relate(ends)
        return tuple(ends)

    def relate(self, type_name: str, ident: str) -> tuple[str, ...] | Reason:
        """Return the concepts of a head or tail whose type the relation states. The concepts need not be annotated."""
        keys = identifiers.keys(type_name, ident)
        if isinstance(keys, Reason):
            return keys
        self._relate(keys)
        for key in keys:
            if split_key(key)[0] in VARIANTS and not self._agreeing(split_key(key)[1]):
                self.unmatched += 1
        return keys

    def _relate(self, keys: Iterable[str]) -> None:
        self._related.update((key, None) for key in keys if split_key(key)[0] in VARIANTS)

    def _variant(self, text: str) -> tuple[str, ...] | Reason:
        """Return the key of a variant that the annotations write in another form, or the reason why none is found."""
        ident = identifiers.whole(text)
        types = {kind for bare in self._agreeing(ident) for kind in self._types[bare]} & VARIANTS
        if not types:
            self.unmatched += identifiers.variant(ident) != identifiers.Variant()
            return Reason.UNMATCHED_ID
        if len(types) > 1:
            return Reason.AMBIGUOUS_ID
        keys = identifiers.keys(types.pop(), text)
        if not isinstance(keys, Reason):
            self._relate(keys)
        return keys

    def _agreeing(self, ident: str) -> list[str]:
        """Return the annotated variant ids that agree best with a relation's id; empty if none of them agrees."""
        variants = [bare for bare, types in self._types.items() if not VARIANTS.isdisjoint(types)]
        return _best(ident, variants)

    def _relation_keys(self, key: str) -> tuple[str, ...]:
        """Return the keys that the relations use for an annotated variant, or its own key if no relation names it."""
        if key in self._related:
            return (key,)
        best = set(_best(split_key(key)[1], [split_key(other)[1] for other in self._related]))
        return tuple(other for other in self._related if split_key(other)[1] in best) or (key,)


def _best(ident: str, others: Iterable[str]) -> list[str]:
    """Return those of the other ids that agree best with a variant's id; empty if none of them agrees.

    Equal ids agree, even if they cannot be parsed.
    """
    wanted = identifiers.variant(ident)
    scores = Counter({other: 4 if other == ident else wanted.agreement(identifiers.variant(other)) for other in others})
    best = max(scores.values(), default=0)
    return [other for other, score in scores.items() if score == best] if best else []


def _only(types: Iterable[str], expected: str | None) -> str:
    """Return the one type that an annotated id can have in a relation; empty if there are several."""
    known = list(types)
    if expected is not None and expected in known:
        return expected
    related = [kind for kind in known if kind not in _NEVER_RELATED] or known
    return related[0] if len(related) == 1 else ""


_MENTION = pa.struct([pa.field("key", pa.string()), pa.field("mention", pa.string())])
_TRIPLE = pa.struct([pa.field("head", pa.string()), pa.field("relation", pa.string()), pa.field("tail", pa.string())])

#: Documents; `position` increases in the order in which they were read.
DOCUMENTS = pa.schema(
    [
        pa.field("position", pa.int64(), nullable=False),
        pa.field("pmid", pa.int64(), nullable=False),
        pa.field("title", pa.string(), nullable=False),
        pa.field("abstract", pa.string(), nullable=False),
        pa.field("year", pa.int64()),
        pa.field("journal", pa.string()),
        pa.field("annotations", pa.list_(_MENTION), nullable=False),
        pa.field("relations", pa.list_(_TRIPLE), nullable=False),
    ]
)

#: PubMed records and deletions; `position` increases in the order of reading, and a deletion has no title. `version` is
#: null for a deletion of any version.
RECORDS = pa.schema(
    [
        pa.field("position", pa.int64(), nullable=False),
        pa.field("pmid", pa.int64(), nullable=False),
        pa.field("title", pa.string()),
        pa.field("abstract", pa.string()),
        pa.field("year", pa.int64()),
        pa.field("journal", pa.string()),
        pa.field("retracted", pa.bool_()),
        pa.field("notice", pa.bool_()),
        pa.field("types", pa.list_(pa.string())),
        pa.field("mesh", pa.list_(pa.string())),
        pa.field("languages", pa.list_(pa.string())),
        pa.field("doi", pa.string()),
        pa.field("version", pa.int64()),
    ]
)

_BATCH = 500  # number of records in memory at a time


def from_documents(documents: Iterable[Document]) -> Iterator[pa.RecordBatch]:
    """Yield documents as batches of `DOCUMENTS`, with head and tail of each relation in canonical order."""
    numbered = enumerate(documents)
    while chunk := [_document_row(position, document) for position, document in islice(numbered, _BATCH)]:
        yield pa.RecordBatch.from_pylist(chunk, schema=DOCUMENTS)


def to_documents(batches: Iterable[pa.RecordBatch]) -> Iterator[Document]:
    """Yield documents from batches of `DOCUMENTS`."""
    for batch in batches:
        for row in batch.to_pylist():
            yield Document(
                row["pmid"],
                row["title"],
                row["abstract"],
                row["year"],
                row["journal"],
                tuple(Annotation(**mention) for mention in row["annotations"]),
                tuple((triple["head"], triple["relation"], triple["tail"]) for triple in row["relations"]),
            )


def from_records(records: Iterable[PubmedRecord | Deletion]) -> Iterator[pa.RecordBatch]:
    """Yield PubMed records and deletions as batches of `RECORDS`."""
    numbered = enumerate(records)
    while chunk := [_record_row(position, record) for position, record in islice(numbered, _BATCH)]:
        yield pa.RecordBatch.from_pylist(chunk, schema=RECORDS)


def to_records(batches: Iterable[pa.RecordBatch]) -> Iterator[PubmedRecord | Deletion]:
    """Yield PubMed records and deletions from batches of `RECORDS`.

    If entity files were given, the batches have an additional column `entities`: the keys that the entity files give
    for each record, or null if they give none.
    """
    for batch in batches:
        asked = "entities" in batch.schema.names
        for row in batch.to_pylist():
            if row["title"] is None:
                yield Deletion(row["pmid"], row["version"])
                continue
            lists: dict[str, Any] = {name: tuple(row[name]) for name in ("types", "mesh", "languages")}
            plain = {name: row[name] for name in ("title", "abstract", "year", "journal", "retracted", "notice", "doi")}
            text = Text(**plain, **lists)
            yield PubmedRecord(row["pmid"], text, tuple(row["entities"] or ()) if asked else None, row["version"])


def _document_row(position: int, document: Document) -> dict[str, Any]:
    return {
        "position": position,
        "pmid": document.pmid,
        "title": document.title,
        "abstract": document.abstract,
        "year": document.year,
        "journal": document.journal,
        "annotations": [{"key": a.key, "mention": a.mention} for a in document.annotations],
        "relations": [_triple(*relation) for relation in document.relations],
    }


def _triple(a: str, relation: str, b: str) -> dict[str, str]:
    head, tail = canonical(a, b)
    return {"head": head, "relation": relation, "tail": tail}


def _record_row(position: int, record: PubmedRecord | Deletion) -> dict[str, Any]:
    if isinstance(record, Deletion):
        return {"position": position, "pmid": record.pmid, "version": record.version}
    text = record.text
    return {
        "position": position,
        "pmid": record.pmid,
        "title": text.title,
        "abstract": text.abstract,
        "year": text.year,
        "journal": text.journal,
        "retracted": text.retracted,
        "notice": text.notice,
        "types": text.types,
        "mesh": text.mesh,
        "languages": text.languages,
        "doi": text.doi,
        "version": record.version,
    }
