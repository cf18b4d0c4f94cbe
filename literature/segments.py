"""Writing tantivy segments so that its collection statistics stay exact and replacing a document costs a bounded part.

tantivy counts a deleted document in N, n and avgdl until its segment is merged, and Python can neither ask for a merge
nor keep one from making a segment of millions. So no tantivy writer ever works in the index itself. A segment is built
in a folder of its own, from at most `LARGEST` documents, never changed, and moved into the index; the index's list of
segments, `meta.json` as tantivy itself writes it, is replaced in one step. A segment that loses a document is left out
of the list, and its other documents are written anew: as many as a segment holds, not as many as there are.
"""

import os
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from heapq import merge
from itertools import islice
from json import dumps, loads
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import tantivy

from groundwork import manifest
from groundwork.errors import DamagedStore
from groundwork.manifest import Fault, FileEntry, Files
from literature import analysis, stored
from literature.manifest import META, REMEDY, Manifest, segment_of
from literature.spool import Spool
from literature.view import View

#: Documents in a segment, at most: replacing one document writes so many.
LARGEST = 20_000

#: So many segments of about one size (a power of `_STEP` documents) are written anew as one.
_STEP = 8

#: Bytes of memory for the writer of a segment; it is enough for `LARGEST` abstracts.
_HEAP = 128_000_000

#: A file of tantivy's own that readers need, beside those of the segments.
_MANAGED = ".managed.json"

Fields = dict[str, Any]
Change = tuple[int, Fields | None]


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


def version(folder: Path) -> int | None:
    """The version of the index in a folder, which each load raises; None if there is no index.

    Raises:
        DamagedStore: Its list of segments is missing beside segments, or cannot be read.
    """
    try:
        stamp: int = loads((folder / META).read_text("utf-8"))["opstamp"]
        return stamp
    except (FileNotFoundError, NotADirectoryError) as error:
        if not any(folder.glob("*.store")):
            return None
        raise _damaged(folder, "is missing beside segments") from error
    except (ValueError, KeyError, TypeError) as error:
        raise _damaged(folder, f"cannot be read: {error!r}") from error


def _damaged(folder: Path, seen: str) -> DamagedStore:
    fault = Fault(folder / META, seen, "the index's list of segments")
    return manifest.damaged(f"the literature store {folder.parent}", [fault], REMEDY)


def create(folder: Path) -> int:
    """Make an index without documents, if there is none; the version it has now."""
    folder.mkdir(parents=True, exist_ok=True)
    tantivy.Index(schema(), str(folder))
    return version(folder) or 0


def opened(folder: Path) -> View:
    """What a reader sees of the index in a folder.

    tantivy opens a lock file for writing. Where that is not allowed, the index is opened through links to its files.
    """
    lock = folder / ".tantivy-meta.lock"
    if os.access(lock if lock.exists() else folder, os.W_OK):
        return View(tantivy.Index.open(str(folder)))
    with TemporaryDirectory(prefix="truthhypo-") as links:
        shutil.copyfile(folder / META, Path(links) / META)
        for file in _files(folder, loads((folder / META).read_text("utf-8"))["segments"]):
            (Path(links) / file.name).symlink_to(file.absolute())
        return View(tantivy.Index.open(links))


@contextmanager
def changing(
    folder: Path, spool: Spool, before: Manifest, *, fresh: bool = False
) -> Iterator[tuple[dict[int, Fields], Files]]:
    """Commit the changes of a load to an index, in one step, when the block is left without an error.

    Args:
        folder: The index's.
        spool: What changes.
        before: What is known of the index before the load; documents without any token are kept there.
        fresh: Leave out all documents that there were.

    Yields:
        The documents without any token after the load, and the files of the index then.

    Raises:
        DamagedStore: A segment that is to be written anew was changed from outside.
    """
    meta = loads((folder / META).read_text("utf-8"))
    _sweep(folder, meta)
    view = opened(folder)
    old = meta["segments"]
    gone = set(range(len(old))) if fresh else _rewritten(view, spool, old)
    _check(folder, before.files, {_name(old[number]) for number in gone})
    spoken = set(spool.pmids())
    held = iter(()) if fresh else _documents(view, sorted(gone), old)
    survivors = [(pmid, address) for pmid, address in sorted(held) if pmid not in spoken]
    kept = {} if fresh else {pmid: fields for pmid, fields in before.wordless.items() if pmid not in spoken}
    changes = merge(
        ((pmid, view.fields(address)) for pmid, address in survivors), spool.changes(), key=lambda change: change[0]
    )
    new = _written(folder, _worded(changes, kept), len(survivors) + len(spoken))
    meta["segments"] = [segment for number, segment in enumerate(old) if number not in gone] + new
    meta["opstamp"] += 1
    listed = _listed(folder, meta, before.files)
    text = dumps(meta)
    yield kept, {**listed, META: FileEntry(len(text.encode()), sha256(text.encode()).hexdigest())}
    manifest.replace(folder / META, text)


def _rewritten(view: View, spool: Spool, segments: list[Fields]) -> set[int]:
    """The numbers of the segments that lose a document, and of small ones that have become too many."""
    touched = {address.segment_ord for address in view.addresses(spool.pmids())}
    size = {number: _size(segment["max_doc"]) for number, segment in enumerate(segments) if number not in touched}
    many = {size for size, count in Counter(size.values()).items() if count >= _STEP and _STEP**size < LARGEST}
    return touched | {number for number, size in size.items() if size in many}


def _size(documents: int) -> int:
    """The power of `_STEP` next above a number of documents."""
    size = 0
    while _STEP**size < documents:
        size += 1
    return size


def _documents(view: View, numbers: Iterable[int], segments: list[Fields]) -> Iterator[tuple[int, tantivy.DocAddress]]:
    """(PMID, address) of all documents of some segments; none of them has a dead document."""
    for number in numbers:
        addresses = [tantivy.DocAddress(number, document) for document in range(segments[number]["max_doc"])]
        yield from zip(view.pmids(addresses), addresses, strict=True)


def _worded(changes: Iterable[Change], wordless: dict[int, Fields]) -> Iterator[tantivy.Document]:
    """The documents that hold a token; the others are added to `wordless`."""
    for pmid, fields in changes:
        if fields and (tokens := analysis.tokens(stored.searched(fields))):
            yield _document(fields, tokens)
        elif fields:
            wordless[pmid] = fields


def _written(folder: Path, documents: Iterator[tantivy.Document], at_most: int) -> list[Fields]:
    """Write documents into new segments of about equal size; what `meta.json` says of them."""
    share = -(-at_most // max(1, -(-at_most // LARGEST)))
    found: list[Fields] = []
    while chunk := list(islice(documents, 1)):
        found += _segment(folder, chunk, islice(documents, share - 1))
    return found


def _segment(folder: Path, first: list[tantivy.Document], rest: Iterable[tantivy.Document]) -> list[Fields]:
    """Build one segment beside the index and move its files into it (several, should it not fit the memory)."""
    building = folder / "building"
    shutil.rmtree(building, ignore_errors=True)
    building.mkdir()
    writer = tantivy.Index(schema(), str(building)).writer(_HEAP, 1)
    for documents in (first, rest):
        for document in documents:
            writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    found: list[Fields] = loads((building / META).read_text("utf-8"))["segments"]
    for file in _files(building, found):
        file.replace(folder / file.name)
    shutil.rmtree(building)
    return found


def _files(folder: Path, segments: Iterable[Fields]) -> Iterator[Path]:
    """The files of segments in a folder."""
    names = {_name(segment) for segment in segments}
    yield from (file for file in folder.iterdir() if segment_of(file.name) in names)


def _name(segment: Fields) -> str:
    """What the names of a segment's files begin with."""
    name: str = segment["segment_id"].replace("-", "")
    return name


def _listed(folder: Path, meta: Fields, known: Files) -> dict[str, FileEntry]:
    """Size and SHA-256 of the files of an index; those that are known are not read, since they never change."""
    files = [*_files(folder, meta["segments"]), folder / _MANAGED]
    return {file.name: known.get(file.name) or FileEntry.of(file) for file in files}


def _check(folder: Path, files: Files, segments: set[str]) -> None:
    """Refuse to read documents from segments whose files were changed from outside."""
    read = {name: entry for name, entry in files.items() if segment_of(name) in segments}
    if found := list(manifest.faults(folder, read, thorough=True)):
        raise manifest.damaged(f"the literature store {folder.parent}", found, REMEDY)


def _sweep(folder: Path, meta: Fields) -> None:
    """Remove what is not listed: the segments of loads that came to no end, and those replaced by the load before.

    What a load replaces stays until the next one, for readers that have read the list and not yet opened the files.
    """
    shutil.rmtree(folder / "building", ignore_errors=True)
    listed = set(_files(folder, meta["segments"]))
    for file in folder.iterdir():
        if file.suffix not in {".json", ".lock"} and file not in listed:
            file.unlink()


def _document(fields: Fields, tokens: Iterable[str]) -> tantivy.Document:
    document = tantivy.Document()
    document.add_unsigned("pmid", fields["pmid"])
    document.add_boolean("retracted", fields["retracted"])
    document.add_text("tokens", " ".join(tokens))
    document.add_text("title", fields["title"])
    document.add_bytes("source", dumps(fields, separators=(",", ":")).encode())
    return document
