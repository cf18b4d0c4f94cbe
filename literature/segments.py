"""Writing tantivy segments so that its collection statistics stay exact.

tantivy counts a deleted document in N, n and avgdl until its segment is merged, and Python cannot ask for a merge. So a
segment that loses a document is rewritten in the same commit: all its documents are deleted (a segment without any is
dropped) and the surviving ones are added again. Replacing a document costs the writing of its segment.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from heapq import merge
from itertools import islice
from json import dumps, loads
from pathlib import Path
from typing import Any

import tantivy
from tantivy import Query

from literature import analysis, stored
from literature.spool import Spool
from literature.view import CHUNK, View

#: Bytes of memory for a writer; a segment is written when it is full (some 200,000 abstracts).
HEAP = 128_000_000

Fields = dict[str, Any]


def schema() -> tantivy.Schema:
    """The fields of the index.

    `tokens` holds what our own analysis gave, joined by blanks; `source` is the JSON of `stored.fields`; `title` stands
    beside it since hits show nothing else.
    """
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("pmid", indexed=True, fast=True)
    builder.add_boolean_field("retracted", indexed=True, fast=True)
    builder.add_text_field("tokens", tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field("title", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_bytes_field("source", stored=True)
    return builder.build()


def version(folder: Path) -> int:
    """The version of the index in a folder: tantivy's stamp, which each load raises and no merge changes."""
    stamp: int = loads((folder / "meta.json").read_text("utf-8"))["opstamp"]
    return stamp


@contextmanager
def changing(index: tantivy.Index, spool: Spool, wordless: Mapping[int, Fields]) -> Iterator[dict[int, Fields]]:
    """Commit the changes of a load to an index, in one step, when the block is left without an error.

    Args:
        index: An index without dead documents.
        spool: What changes.
        wordless: The documents without any token, which are kept outside of the index, before the load.

    Yields:
        The documents without any token after the load.
    """
    writer = index.writer(HEAP, 1)
    try:
        yield _change(writer, index, spool, wordless)
        writer.commit()
    except BaseException:
        writer.rollback()
        raise
    finally:
        writer.wait_merging_threads()


def _change(
    writer: tantivy.IndexWriter, index: tantivy.Index, spool: Spool, wordless: Mapping[int, Fields]
) -> dict[int, Fields]:
    """Hand a load's changes to a writer; the documents without any token after it."""
    view = View(index)
    changed = set(spool.pmids())
    rewritten = _rewritten(view, changed)
    survivors = ((pmid, view.fields(address)) for pmid, address in rewritten if pmid not in changed)
    kept = {pmid: fields for pmid, fields in wordless.items() if pmid not in changed}
    writer.delete_documents_by_query(Query.empty_query())  # a commit of no operation would not raise the version
    _delete(writer, index.schema, (pmid for pmid, _ in rewritten))
    for pmid, fields in merge(survivors, spool.changes(), key=lambda change: change[0]):
        if fields and (tokens := analysis.tokens(stored.searched(fields))):
            writer.add_document(_document(fields, tokens))
        elif fields:
            kept[pmid] = fields
    return kept


def _rewritten(view: View, changed: set[int]) -> list[tuple[int, tantivy.DocAddress]]:
    """All documents of the segments that lose one, ascending by PMID."""
    touched = {address.segment_ord for address in view.addresses(changed)}
    if not touched:
        return []
    return [(pmid, address) for page in view.pages() for pmid, address in page if address.segment_ord in touched]


def _delete(writer: tantivy.IndexWriter, schema: tantivy.Schema, pmids: Iterator[int]) -> None:
    """Delete by query: deleting by term silently finds nothing in an unsigned field (tantivy 0.27)."""
    while chunk := list(islice(pmids, CHUNK)):
        writer.delete_documents_by_query(Query.term_set_query(schema, "pmid", chunk))


def _document(fields: Fields, tokens: Iterable[str]) -> tantivy.Document:
    document = tantivy.Document()
    document.add_unsigned("pmid", fields["pmid"])
    document.add_boolean("retracted", fields["retracted"])
    document.add_text("tokens", " ".join(tokens))
    document.add_text("title", fields["title"])
    document.add_bytes("source", dumps(fields, separators=(",", ":")).encode())
    return document
