"""Convert documents and PubMed records into Arrow batches, which a load stores on the disk, and back.

A load of documents stores all of them before it changes anything. So the load can still be refused, and the last
document of each PMID can be found. A load of PubMed records stores the records of one file at a time.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import pyarrow as pa

from groundwork.records import Text
from groundwork.vocabulary import canonical
from ingest.documents.document import Annotation, Deletion, Document, PubmedRecord

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
