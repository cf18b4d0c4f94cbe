"""Reader of BioC-JSON from PubTator3's API, BioRED and BC5CDR, one document at a time.

A file contains one document, documents as JSON lines, an array of documents, or an object with such an array under
`documents` (a BioC collection) or `PubTator3` (the API's export). Each relation object counts as one row of the load.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from groundwork.ports import Progress
from groundwork.records import Text
from ingest import identifiers, predicates
from ingest.documents.document import Document
from ingest.documents.draft import MALFORMED, Draft, End
from ingest.documents.json_stream import JsonStream
from ingest.rejects import Reason, Rejects, RowCount, unstorable
from ingest.release import SourceFile

_Object = Mapping[str, Any]

_HOLDERS = ("documents", "PubTator3")
_TITLES = frozenset({"title", "front"})

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
        for line, found in _found(stream):
            reading = _Reading(found, file.path, line, rejects, rows)
            document = reading.document()
            if document is not None:
                yield document


def _found(stream: JsonStream) -> Iterator[tuple[int, Any]]:
    """Yield (line number, value) for each document in the next JSON value. The documents are not checked."""
    match stream.next():
        case "[":
            for line in stream.elements():
                yield line, stream.value()
        case "{":
            start, own, holder = stream.line, {}, False
            for name in stream.members():
                if name in _HOLDERS and stream.next() == "[":
                    holder = True
                    for line in stream.elements():
                        yield line, stream.value()
                else:
                    own[name] = stream.value()
            if not holder:
                yield start, own
        case _:
            raise stream.broken("an object or array of documents was expected")


class _Reading:
    """One document in the process of reading."""

    def __init__(self, found: object, path: str, line: int, rejects: Rejects, rows: RowCount) -> None:
        self._written = found
        self._found: _Object = found if isinstance(found, Mapping) else {}
        self._passages = _objects(self._found.get("passages"))
        self._relations = [
            relation for part in (self._found, *self._passages) for relation in _items(part.get("relations"))
        ]
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
        if not self._passages:
            raise _Unfit(Reason.MALFORMED_RECORD)
        draft = Draft(self._pmid(), self._rows)
        text = self._text()
        for passage in self._passages:
            for annotation in _objects(passage.get("annotations")):
                self._annotate(draft, annotation)
        for relation in self._relations:
            reason = _relate(draft, relation)
            if reason is not None:
                self._rejects.add(self._path, self._line, reason, json.dumps(relation))
        extent = max(_number(passage.get("offset")) + len(_string(passage.get("text"))) for passage in self._passages)
        return draft.done(text, extent)

    def _pmid(self) -> int:
        infons = [_infons(passage).get("article-id_pmid") for passage in self._passages]
        named = [self._found.get("pmid"), *infons, self._found.get("id")]  # the id may be the number in PMC
        found = (identifiers.pmid(str(name)) for name in named if isinstance(name, int | str))
        pmid = next((pmid for pmid in found if pmid is not None), None)
        if pmid is None:
            raise _Unfit(Reason.BAD_PMID)
        return pmid

    def _text(self) -> Text:
        """Return title, abstract, year and journal.

        Passages other than title and abstract are left out, because PubMed does not contain them.
        """
        title, abstract, year, journal = [], [], None, _fit(self._found.get("journal"))
        for passage in self._passages:
            infons, words = _infons(passage), _fit(passage.get("text")).strip()
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


def _relate(draft: Draft, relation: object) -> Reason | None:
    if not isinstance(relation, Mapping):
        return Reason.MALFORMED_RECORD
    infons = _infons(relation)
    ends = next(((infons[a], infons[b]) for a, b in _ENDS if a in infons and b in infons), None)
    if ends is None:
        return Reason.EMPTY_ID
    try:
        return draft.relate(_fit(infons.get("type") or infons.get("relation")), _end(ends[0]), _end(ends[1]))
    except _Unfit as unfit:
        return unfit.reason


def _end(role: object) -> End:
    """Return the head or tail of a relation, which is given as an id or as an object that also states the type."""
    if isinstance(role, Mapping):
        return End(_fit(role.get("identifier")), _type(role))
    return End(_fit(role))


def _type(infons: _Object) -> str:
    """Return the entity type. For a `Variant`, PubTator3's API states the kind of variant in `subtype`."""
    subtype = _string(infons.get("subtype"))
    kind = _string(infons.get("type"))
    return subtype if kind == predicates.BY_ID and predicates.entity_type(subtype) else kind


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
