"""Reader of PubMed's articles: baseline and update files in XML, and JSON lines as in the MedRAG corpus.

A row is a PubmedArticle (or PubmedBookArticle, a chapter of a book), a PMID in a DeleteCitation, or a JSON line. Rows
are yielded in the order of the files; `articles.put_records` says which row of a PMID stands.
"""

from collections.abc import Iterator, Sequence
from typing import cast

from lxml import etree

from groundwork.errors import InputError
from groundwork.files import loads
from groundwork.ports import Progress
from groundwork.records import Text
from ingest import identifiers
from ingest.documents.document import Deletion, PubmedRecord
from ingest.pubmed import citation
from ingest.rejects import Reason, Rejects, RowCount, decoded, unstorable
from ingest.release import SourceFile

#: Errors of libxml2 where a second document begins: behind the end of the first, and at an XML declaration.
_SECOND = (etree.ErrorTypes.ERR_DOCUMENT_END, etree.ErrorTypes.ERR_RESERVED_XML_NAME)

_BOM = b"\xef\xbb\xbf"
_DELETIONS = "DeleteCitation"
_ARTICLES = ("PubmedArticle", "PubmedBookArticle")
#: Elements that are rows. A MedlineCitation is one if it is not inside an article, as in NLM's older files.
_ROWS = (*_ARTICLES, _DELETIONS, "MedlineCitation")


def read(
    files: Sequence[SourceFile], rejects: Rejects, rows: RowCount, progress: Progress
) -> Iterator[PubmedRecord | Deletion]:
    """Yield the articles and deletions of some files, as a stream with one document in memory at a time.

    The first character of each file determines its format: `<` means XML, `{` JSON lines.

    Args:
        files: The files, each read once, in order.
        rejects: Receives the rejected rows.
        rows: Receives the number of rows kept.
        progress: Receives the number of bytes read.

    Raises:
        InputError: If a file cannot be read to its end, is neither XML nor JSON lines, or is not well-formed XML.
    """
    for file in files:
        first = file.peek(progress).removeprefix(_BOM).lstrip()[:1]
        if first not in (b"<", b"{", b""):
            raise InputError(
                f"{file.path} begins with {first.decode('latin-1')!r}",
                "PubMed XML (<PubmedArticleSet>...) or JSON lines (one {...} per line)",
                "check that this is the right file; load PubTator documents with `ingest documents`",
            )
        for item in (_from_xml if first == b"<" else _from_lines)(file, rejects, progress):
            rows.kept += 1
            rows.documents += isinstance(item, PubmedRecord)
            yield item


def _from_xml(file: SourceFile, rejects: Rejects, progress: Progress) -> Iterator[PubmedRecord | Deletion]:
    for element in elements(file, _ROWS, progress):
        deletion = element.tag == _DELETIONS
        for row in element.findall("PMID") if deletion else [element]:
            pmid = _pmid(row, deletion)
            if isinstance(pmid, Reason):
                line = cast("int", row.sourceline)  # the stubs declare no type for `sourceline`
                rejects.add(file.path, line, pmid, etree.tostring(row, encoding="unicode"))
            else:
                yield Deletion(pmid, citation.version(row)) if deletion else citation.record(pmid, row)


def _pmid(row: etree._Element, deletion: bool) -> int | Reason:
    """Return the PMID of a row, or the reason why the row is rejected."""
    if next(row.iter(etree.Entity), None) is not None:
        return Reason.UNRESOLVED_ENTITY
    pmid = identifiers.pmid((row.text or "").strip()) if deletion else citation.pmid(row)
    return Reason.BAD_PMID if pmid is None else pmid


def elements(file: SourceFile, tags: Sequence[str], progress: Progress) -> Iterator[etree._Element]:
    """Yield the elements of an XML file with some tags, as a stream. An element inside another one is not yielded.

    Each element is cleared when the next one is requested.

    The parser reads nothing outside the file: no DTD, no external entity, no network. Entities stay unresolved in the
    tree, and the limits against entity expansion stay on. Do not set `collect_ids=False`, because libxml2 then loads
    the external DTD.

    Raises:
        InputError: If the XML is not well-formed, for example because a second document begins in the same file.
    """
    parser = etree.XMLPullParser(
        events=("end",),
        tag=tags,
        huge_tree=False,
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        remove_comments=True,
        remove_pis=True,
    )
    begun = False  # whether an element with rows has ended
    try:
        for chunk in file.chunks(progress):
            parser.feed(chunk)
            for element in _finished(parser, tags):
                begun = True
                yield element
        parser.close()
        yield from _finished(parser, tags)
    except etree.XMLSyntaxError as error:
        causes = parser.feed_error_log.filter_from_fatals()  # the exception itself may name only a later error
        line, what = (causes[0].line, causes[0].message) if causes else (error.lineno, error.msg or "")
        if causes and causes[0].type in _SECOND and (begun or next(parser.read_events(), None)):
            raise InputError(
                f"{file.path}: a second XML document begins at line {line}, or other text behind the end of the first",
                "one XML document per file; answers of efetch that are written one behind the other are several",
                f"split the file before line {line}, and before each further XML document, and load all the parts",
            ) from None
        raise InputError(
            f"{file.path}, line {line}: not well-formed XML: {what.split(', line ')[0]}",
            "complete XML",
            "download the file again and compare it with its .md5",
        ) from None


def _finished(parser: etree.XMLPullParser, tags: Sequence[str]) -> Iterator[etree._Element]:
    for _, element in parser.read_events():
        if not isinstance(element, etree._Element):
            continue  # this only satisfies the type checker: "end" events contain elements
        parent = element.getparent()
        if parent is not None and parent.tag in tags:
            continue
        yield element
        element.clear()
        while parent is not None and element.getprevious() is not None:
            del parent[0]


def _from_lines(file: SourceFile, rejects: Rejects, progress: Progress) -> Iterator[PubmedRecord]:
    for number, raw in file.lines(progress):
        if not raw.strip():
            continue
        line = decoded(raw)
        record = line if isinstance(line, Reason) else _from_json(line)
        if isinstance(record, Reason):
            rejects.add(file.path, number, record, raw)
        else:
            yield record


def _from_json(line: str) -> PubmedRecord | Reason:
    """Return the record of a JSON line with `title`, `content` and `PMID`, or the reason why it is rejected.

    The title or the content may be missing, but not both.
    """
    try:
        found = loads(line)
    except (ValueError, RecursionError):
        return Reason.MALFORMED_RECORD
    if not isinstance(found, dict):
        return Reason.MALFORMED_RECORD
    title, content, named = found.get("title"), found.get("content"), found.get("PMID")
    if {type(title), type(content)} not in ({str}, {str, type(None)}):
        return Reason.MALFORMED_RECORD
    pmid = identifiers.pmid(str(named)) if isinstance(named, int | str) else None
    if pmid is None:
        return Reason.BAD_PMID
    text = Text(citation.plain_text(title or ""), citation.told(citation.plain_text(content or "")))
    return unstorable(text.title + text.abstract) or PubmedRecord(pmid, text)
