"""Reader of documents in the PubTator formats: NCBI's text format, also used by BioRED and BC5CDR, and BioC-JSON.

In the text format, a document is

    PMID|t|title
    PMID|a|abstract
    PMID  start  end  mention  type  id  [names]        an annotation; BC5CDR adds the names of a composite mention
    PMID  relation  id  id  [novelty]                   a relation; BioRED adds Novel or No

with tabs between the columns and a blank line after the document. Each relation line counts as one row of the load. A
line in none of these four forms is a rejected row.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from groundwork.errors import InputError
from groundwork.ports import Progress
from groundwork.records import Text
from ingest import identifiers
from ingest.documents import bioc
from ingest.documents.document import BAD_PMID, Document, Draft, End
from ingest.rejects import Reason, Rejects, RowCount, decoded
from ingest.release import SourceFile

_TEXT = re.compile(r"([^|\t]*)\|([ta])\|(.*)", re.DOTALL)
_OFFSET = re.compile(r"-?[0-9]{1,18}")
_BOM = b"\xef\xbb\xbf"


def read(files: Sequence[SourceFile], rejects: Rejects, rows: RowCount, progress: Progress) -> Iterator[Document]:
    """Yield the documents of some files, as a stream with one document in memory at a time.

    The first character of each file determines its format: `{` or `[` means BioC-JSON.

    Args:
        files: The files, each read once, in order.
        rejects: Receives the rejected rows.
        rows: Receives the number of rows kept, and the numbers of problems with annotations.
        progress: Receives the number of bytes read.

    Raises:
        InputError: If a file cannot be read to its end, is XML, or is invalid JSON.
    """
    for file in files:
        first = file.peek(progress).removeprefix(_BOM).lstrip()[:1]
        if first in (b"{", b"["):
            yield from bioc.read(file, rejects, rows, progress)
        elif first == b"<":
            raise InputError(
                f"{file.path} is XML",
                "documents in the PubTator or BioC-JSON format",
                "download them as pubtator or biocjson; load PubMed's XML with `ingest pubmed`",
            )
        else:
            yield from _documents(file, rejects, rows, progress)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a known form.

    Attributes:
        pmid: The PMID as written in the line; it is not checked yet.
        kind: t (title), a (abstract), mention or relation.
        columns: The text of a title or abstract. For a mention or relation, the columns after the PMID (without the
            novelty).
    """

    pmid: str
    kind: str
    columns: tuple[str, ...]


@dataclass(slots=True)
class _Block:
    """The lines of one document. Relations are read after all annotations, wherever they are in the document.

    Attributes:
        draft: The document so far.
        first: Number and bytes of its first line.
        title: Its title; None if it has no line for it.
        abstract: The parts of its abstract.
        relations: Number, bytes and columns of each of its relations.
    """

    draft: Draft
    first: tuple[int, bytes]
    title: str | None = None
    abstract: list[str] = field(default_factory=list)
    relations: list[tuple[int, bytes, tuple[str, ...]]] = field(default_factory=list)

    def take(self, line: _Line, number: int, raw: bytes) -> None:
        match line.kind:
            case "t":
                self.title = line.columns[0]
            case "a":
                self.abstract.append(line.columns[0])
            case "mention":
                start, end, mention, kind, ident, names = line.columns
                self.draft.annotate(kind, ident, mention, (int(start), int(end)), names)
            case _:
                self.relations.append((number, raw, line.columns))

    def document(self, file: SourceFile, rejects: Rejects) -> Iterator[Document]:
        """Yield the document. If it is empty, reject its relations instead, or its first line if it has no relation."""
        text = Text((self.title or "").strip(), " ".join(self.abstract).strip())
        refusal = self.draft.refusal(text)
        if refusal is not None:
            for number, raw in [relation[:2] for relation in self.relations] or [self.first]:
                rejects.add(file.path, number, refusal, raw)
            return
        for number, raw, (name, head, tail) in self.relations:
            reason = self.draft.relate(name, End(head), End(tail))
            if reason is not None:
                rejects.add(file.path, number, reason, raw)
        # One character separates title and abstract, and the parts of an abstract.
        extent = len(self.title or "") + sum(1 + len(part) for part in self.abstract)
        yield self.draft.done(text, extent)


def _documents(file: SourceFile, rejects: Rejects, rows: RowCount, progress: Progress) -> Iterator[Document]:
    """Yield the documents of a file; a new PMID or a second title begins a new one. Blank lines are ignored."""
    block: _Block | None = None
    for number, raw in file.lines(progress):
        if not raw.strip():
            continue
        line = decoded(raw)
        shaped = line if isinstance(line, Reason) else _shaped(line)
        if isinstance(shaped, Reason):
            rejects.add(file.path, number, shaped, raw)
            continue
        pmid = identifiers.pmid(shaped.pmid)
        if pmid is None:
            if shaped.kind == "mention":
                rows.problems[BAD_PMID] += 1
            else:
                rejects.add(file.path, number, Reason.BAD_PMID, raw)
            continue
        if block is None or block.draft.pmid != pmid or (shaped.kind == "t" and block.title is not None):
            if block is not None:
                yield from block.document(file, rejects)
            block = _Block(Draft(pmid, rows), (number, raw))
        block.take(shaped, number, raw)
    if block is not None:
        yield from block.document(file, rejects)


def _shaped(line: str) -> _Line | Reason:
    """Return the parts of a line, or a reason to reject it. An annotation is recognised by its two offsets."""
    text = _TEXT.fullmatch(line)
    if text:
        return _Line(text[1], text[2], (text[3],))
    pmid, *columns = line.split("\t")
    offsets = len(columns) >= 2 and all(_OFFSET.fullmatch(column) for column in columns[:2])
    if offsets and 4 <= len(columns) <= 6:
        return _Line(pmid, "mention", (*columns, "", "")[:6])
    if not offsets and 3 <= len(columns) <= 4:
        return _Line(pmid, "relation", tuple(columns[:3]))
    return Reason.WRONG_COLUMN_COUNT
