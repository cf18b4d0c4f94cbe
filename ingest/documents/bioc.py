"""Reader of BioC-JSON from PubTator3's API, BioRED and BC5CDR, one document at a time.

A file contains one document, documents as JSON lines, an array of documents, or an object with such an array under
`documents` (a BioC collection) or `PubTator3` (the API's export), or an array of such objects. A document has its text
in passages, or in the sentences of passages. Annotations and relations may be at each of these levels. Each relation
object counts as one row of the load. It names its two concepts in its infons, or refers by its nodes to the IDs of two
annotations.
"""

import json
from codecs import getincrementaldecoder
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from groundwork.errors import InputError
from groundwork.ports import Progress
from groundwork.records import Text
from ingest import identifiers
from ingest.documents.document import MALFORMED, Document, Draft, End
from ingest.rejects import Reason, Rejects, RowCount, unstorable
from ingest.release import SourceFile

#: Maximum number of characters of one value; documents are far shorter.
VALUE_LIMIT = 1 << 28

_SPACE = " \t\n\r\ufeff"
_NUMBER = "0123456789.eE+-"  # a number may continue in the next piece: `1`, then `.5`
_NEAR_END = 16  # an error within this many characters of the end may only mean that more text must be read


class JsonStream:
    """A cursor over JSON text.

    Args:
        path: Path of the file, for error messages.
        chunks: The bytes, in pieces of any size. Bytes that are not UTF-8 become lone surrogates.
    """

    def __init__(self, path: str, chunks: Iterable[bytes]) -> None:
        self._path = path
        self._chunks = iter(chunks)
        self._decode = getincrementaldecoder("utf-8")("surrogateescape").decode
        self._parse = json.JSONDecoder().raw_decode
        self._text = ""
        self._at = 0
        self._line = 1
        self._counted = 0  # position up to which line ends are counted

    @property
    def line(self) -> int:
        """Line number of the cursor, from 1."""
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line

    def next(self) -> str:
        """Return the next character that is not a blank, without consuming it; an empty text at the end of the file."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in _SPACE:
                self._at += 1
            if self._at < len(self._text) or not self._more(1):
                return self._text[self._at : self._at + 1]

    def skip(self, wanted: str) -> None:
        """Consume the next character that is not a blank, which must be `wanted`.

        Raises:
            InputError: If it is another character.
        """
        if self.next() != wanted:
            raise self.broken(f"expected {wanted!r}")
        self._at += 1

    def value(self) -> Any:
        """Return the next value and consume it.

        Raises:
            InputError: If the value is invalid, incomplete at the end of the file, or longer than `VALUE_LIMIT`.
        """
        self.next()
        wanted = 1 << 16
        while True:
            try:
                found, end = self._parse(self._text, self._at)
            except json.JSONDecodeError as error:
                beyond = error.pos >= len(self._text) - _NEAR_END or error.msg.startswith("Unterminated string")
                if beyond and self._more(wanted):
                    wanted *= 2
                    continue
                self._at = min(error.pos, len(self._text))
                raise self.broken(f"{error.msg}; the file ends soon after" if beyond else error.msg) from None
            except (ValueError, RecursionError) as error:
                raise self.broken(f"{error}") from None
            may_go_on = isinstance(found, int | float) and not self._text[end:].lstrip(_NUMBER)
            if not (may_go_on and self._more(wanted)):
                self._at = end
                return found

    def members(self) -> Iterator[str]:
        """Yield the name of each member of the object that begins with the next character that is not a blank.

        The caller must consume the value of a member before it requests the next name.
        """
        self.skip("{")
        if self.next() != "}":
            while True:
                name = self.value()
                if not isinstance(name, str):
                    raise self.broken("expected a name in quotes")
                self.skip(":")
                yield name
                if self.next() != ",":
                    break
                self.skip(",")
        self.skip("}")

    def elements(self) -> Iterator[int]:
        """Yield the line number of each element of the array that begins with the next character that is not a blank.

        The caller must consume an element before it requests the next one.
        """
        self.skip("[")
        if self.next() != "]":
            while True:
                self.next()
                yield self.line
                if self.next() != ",":
                    break
                self.skip(",")
        self.skip("]")

    def broken(self, what: str) -> InputError:
        """Return the error for invalid JSON at the cursor; `what` says what is wrong, unless the file ends there."""
        ended = not self.next()
        return InputError(
            f"{self._path}, line {self.line}: invalid JSON: {'the file ends too early' if ended else what}",
            "BioC-JSON documents: one document, a collection, an array, or one document per line",
            "download the complete file again",
        )

    def _more(self, characters: int) -> bool:
        """Drop the consumed text, and read at least this many more characters, or all characters that are left.

        Return whether anything was read.
        """
        if len(self._text) - self._at > VALUE_LIMIT:
            raise InputError(
                f"{self._path}, line {self.line}: a JSON value of more than {VALUE_LIMIT} characters",
                "separate documents",
                "split the file, or download the documents again",
            )
        line = self.line
        pieces = [self._text[self._at :]]
        read = 0
        for chunk in self._chunks:
            pieces.append(self._decode(chunk))
            read += len(pieces[-1])
            if read >= characters:
                break
        else:
            pieces.append(self._decode(b"", True))
            read += len(pieces[-1])
        self._text, self._at, self._line, self._counted = "".join(pieces), 0, line, 0
        return read > 0


_Object = Mapping[str, Any]

_HOLDERS = ("documents", "PubTator3")
_TITLES = frozenset({"title", "front"})

#: Names of infons that give the PMID of the document, and of infons and fields that give its number in PMC.
_PMID_NAMES = ("article-id_pmid", "pmid")
_PMC_NAMES = ("article-id_pmc", "pmcid")
_PMC = "PMC"

#: The field names of both concepts of a relation: in PubTator3's API, in BioRED, and in BC5CDR.
_ENDS = (("role1", "role2"), ("entity1", "entity2"), ("Chemical", "Disease"))


class _Unfit(Exception):
    """Raised for a part of a document that cannot be kept; `reason` says why."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


def read(file: SourceFile, rejects: Rejects, rows: RowCount, progress: Progress) -> Iterator[Document]:
    """Yield the documents of one file, as a stream.

    Args:
        file: The file, which is read once.
        rejects: Receives rejected relations, and objects that cannot be read as documents.
        rows: Receives the number of rows kept, and the numbers of problems with annotations.
        progress: Receives the number of bytes read.

    Raises:
        InputError: If the file cannot be read to its end, or is invalid JSON.
    """
    stream = JsonStream(file.path, file.chunks(progress))
    while stream.next():
        for line, found, source in _found(stream):
            reading = _Reading(found, source, file.path, line, rejects, rows)
            document = reading.document()
            if document is not None:
                yield document


def _found(stream: JsonStream) -> Iterator[tuple[int, Any, object]]:
    """Yield (line number, value, source of its collection) for each document in the next JSON value.

    The documents are not checked. The source is None if there is no collection, or if it names no source before its
    documents.
    """
    match stream.next():
        case "[":
            for line in stream.elements():
                if stream.next() == "{":
                    yield from _in_object(stream)
                else:
                    yield line, stream.value(), None
        case "{":
            yield from _in_object(stream)
        case _:
            raise stream.broken("an object or array of documents was expected")


def _in_object(stream: JsonStream) -> Iterator[tuple[int, Any, object]]:
    """Yield the documents of an object, which is a collection or itself a document, as `_found` does."""
    start, own, holder = stream.line, dict[str, Any](), False
    for name in stream.members():
        if name in _HOLDERS and stream.next() == "[":
            holder = True
            for line in stream.elements():
                yield line, stream.value(), own.get("source")
        else:
            own[name] = stream.value()
    if not holder:
        yield start, own, None


class _Reading:
    """One document in the process of reading."""

    def __init__(self, found: object, source: object, path: str, line: int, rejects: Rejects, rows: RowCount) -> None:
        self._written = found
        self._found: _Object = found if isinstance(found, Mapping) else {}
        self._source = source
        self._passages = _objects(self._found.get("passages"))
        sentences = [sentence for passage in self._passages for sentence in _objects(passage.get("sentences"))]
        self._parts = [self._found, *self._passages, *sentences]
        self._annotations = [each for part in self._parts for each in _objects(part.get("annotations"))]
        self._by_id = defaultdict[str, list[_Object]](list)
        for each in self._annotations:
            self._by_id[_string(each.get("id"))].append(_infons(each))
        self._relations = [relation for part in self._parts for relation in _items(part.get("relations"))]
        self._path = path
        self._line = line
        self._rejects = rejects
        self._rows = rows

    def document(self) -> Document | None:
        """Return the document. If the document cannot be kept, reject all of its relations and return None."""
        try:
            return self._drafted()
        except _Unfit as unfit:
            # Each relation is a row; a document without relations is rejected as one row, so that it is counted.
            for rejected in self._relations or [self._written]:
                self._rejects.add(self._path, self._line, unfit.reason, json.dumps(rejected))
            return None

    def _drafted(self) -> Document:
        if not self._passages and not self._annotations:
            raise _Unfit(Reason.MALFORMED_RECORD)
        draft = Draft(self._pmid(), self._rows)
        text = self._text()
        for annotation in self._annotations:
            self._annotate(draft, annotation)
        refusal = draft.refusal(text)
        if refusal is not None:
            raise _Unfit(refusal)
        for relation in self._relations:
            reason = self._relate(draft, relation)
            if reason is not None:
                self._rejects.add(self._path, self._line, reason, json.dumps(relation))
        extent = max(_number(part.get("offset")) + len(_string(part.get("text"))) for part in self._parts)
        return draft.done(text, extent)

    def _pmid(self) -> int:
        # Passages of references describe other articles.
        own = [passage for passage in map(_infons, self._passages) if passage.get("section_type") != "REF"]
        infons = [_infons(self._found), *own]
        named = [self._found.get("pmid"), *(infon.get(name) for name in _PMID_NAMES for infon in infons)]
        pmc = {_in_pmc(part.get(name)) for name in _PMC_NAMES for part in (self._found, *infons)}
        ident = _string(self._found.get("id")).strip()
        if not (self._source == _PMC or ident.upper().startswith(_PMC) or ident in pmc):
            named.append(ident)
        texts = [text for text in (_string(name).strip() for name in named) if text not in {"", "None"}]
        pmid = next((pmid for text in texts if (pmid := identifiers.pmid(text)) is not None), None)
        if pmid is None:
            raise _Unfit(Reason.BAD_PMID if texts else Reason.NO_PMID)
        return pmid

    def _text(self) -> Text:
        """Return title, abstract, year and journal.

        Passages other than title and abstract are left out, because PubMed does not contain them.
        """
        title, abstract, year, journal = [], [], None, _fit(self._found.get("journal"))
        for passage in self._passages:
            infons, words = _infons(passage), _words(passage)
            kind = str(infons.get("type", "abstract" if passage.get("offset") else "title"))
            if kind in _TITLES:
                title.append(words)
            elif kind == "abstract":
                abstract.append(words)
            year = year or _year(infons.get("year"))
            journal = journal or _fit(infons.get("journal"))
        year = year or _year(str(self._found.get("date", ""))[:4])
        return Text(" ".join(title), " ".join(abstract), year, journal or None)

    def _annotate(self, draft: Draft, annotation: _Object) -> None:
        infons = _infons(annotation)
        places = _objects(annotation.get("locations"))
        starts = [_number(place.get("offset")) for place in places]
        ends = [start + _number(place.get("length")) for start, place in zip(starts, places, strict=True)]
        span = (min(starts, default=0), max(ends, default=0))
        try:
            draft.annotate(_type(infons), _fit(infons.get("identifier")), _fit(annotation.get("text")), span)
        except _Unfit:
            self._rows.problems[MALFORMED] += 1

    def _relate(self, draft: Draft, relation: object) -> Reason | None:
        if not isinstance(relation, Mapping):
            return Reason.MALFORMED_RECORD
        infons = _infons(relation)
        named = next(((infons[a], infons[b]) for a, b in _ENDS if a in infons and b in infons), None)
        try:
            ends = tuple(map(_end, named)) if named else tuple(map(self._referred, _objects(relation.get("nodes"))))
            if len(ends) != 2:
                return Reason.MALFORMED_RECORD if ends else Reason.EMPTY_ID
            return draft.relate(_fit(infons.get("type") or infons.get("relation")), *ends)
        except _Unfit as unfit:
            return unfit.reason

    def _referred(self, node: _Object) -> End:
        """Return the end of a relation whose annotation a node refers to by its ID."""
        held = self._by_id[_string(node.get("refid"))]
        ends = {End(_fit(infons.get("identifier")), _type(infons)) for infons in held}
        if len(ends) != 1:
            raise _Unfit(Reason.AMBIGUOUS_ID if ends else Reason.UNMATCHED_ID)
        return ends.pop()


def _end(role: object) -> End:
    """Return the head or tail of a relation, which is given as an id or as an object that also states the type."""
    if isinstance(role, Mapping):
        return End(_fit(role.get("identifier")), _type(role))
    return End(_fit(role))


def _type(infons: _Object) -> str:
    """Return the entity type. For a `Variant`, PubTator3's API states the kind of variant in `subtype`."""
    subtype = _string(infons.get("subtype"))
    kind = _string(infons.get("type"))
    return subtype if kind == identifiers.BY_ID and identifiers.entity_type(subtype) else kind


def _words(passage: _Object) -> str:
    """Return the text of a passage. If the passage has none, its sentences are joined."""
    sentences = (_fit(sentence.get("text")).strip() for sentence in _objects(passage.get("sentences")))
    return _fit(passage.get("text")).strip() or " ".join(filter(None, sentences))


def _in_pmc(value: object) -> str:
    """Return the digits of a number in PMC, which may be written with or without the letters PMC."""
    return _string(value).strip().upper().removeprefix(_PMC)


def _infons(part: _Object) -> _Object:
    infons = part.get("infons")
    return infons if isinstance(infons, Mapping) else {}


def _items(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _objects(value: object) -> list[_Object]:
    return [item for item in _items(value) if isinstance(item, Mapping)]


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _year(value: object) -> int | None:
    text = str(value)
    return int(text) if len(text) == 4 and text.isascii() and text.isdigit() else None


def _string(value: object) -> str:
    """Return a text unchanged, and a whole number (such as an id) as text; any other value gives an empty text."""
    return str(value) if isinstance(value, str | int) else ""


def _fit(value: object) -> str:
    """Return the result of `_string`, after checking that a store can contain this text.

    Raises:
        _Unfit: If the text contains a NUL or an unpaired surrogate (for example from a byte that is not UTF-8).
    """
    text = _string(value)
    reason = unstorable(text)
    if reason is not None:
        raise _Unfit(reason)
    return text
