"""Read one PubMed article from XML: its text, what tells the kind of study, and whether it was retracted."""

import re
from collections import defaultdict
from collections.abc import Iterable
from html import unescape
from html.entities import html5

from lxml.etree import _Element

from groundwork.records import Text
from ingest import identifiers
from ingest.documents.document import PubmedRecord

_MATH = "{http://www.w3.org/1998/Math/MathML}"

#: The mark between a number and a number above or below it.
_SCRIPTS = {"sup": "^", "sub": "_"}

#: The mark before each child of an element of MathML.
_MATH_MARKS = {"msup": ("", "^"), "msub": ("", "_"), "msubsup": ("", "_", "^"), "mfrac": ("", "/")}

#: Elements of HTML and JATS that may begin or end within a word.
_INLINE = frozenset(
    {"a", "b", "bold", "em", "ext-link", "font", "i", "inline-formula", "italic", "monospace", "named-content"}
    | {"overline", "roman", "sc", "small", "span", "strike", "strong", "styled-content", "tt", "u", "underline", "xref"}
)
_BLOCK = " "
_NUMBER = re.compile(r"\s*[-+\u2212\u2013]?\d")  # a sign may be a minus (U+2212) or a dash (U+2013)

#: An entity with its closing semicolon, without which it may be a word: "R&D".
_ENTITY = re.compile(r"&(#\d+;|#[xX][\da-fA-F]+;|[A-Za-z]\w*;)")
_ATTRIBUTE = r"\s+[\w:.-]+\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*')"
_TAG = re.compile(rf"<(?P<end>/?)(?P<name>[a-z][\w:.-]*)(?:{_ATTRIBUTE})*\s*(?P<empty>/?)>", re.IGNORECASE)


def element_text(element: _Element) -> str:
    """Return all text within an element without its markup. Blanks in MathML are layout and are removed."""
    if len(element):
        words = _Words()
        _walk(element, words)
        found = words.text
    else:
        found = element.text or ""
    return plain_text(found)


def plain_text(text: str) -> str:
    """Return a text without the entities and the markup that are written in it."""
    while "&" in text and (shown := _ENTITY.sub(_character, text)) != text:
        text = shown
    return _without_tags(text) if "<" in text else text


def _character(entity: re.Match[str]) -> str:
    """Return the character of an entity; the entity itself if its name is unknown."""
    return unescape(entity[0]) if entity[1].startswith("#") else html5.get(entity[1], entity[0])


class _Words:
    """Collects the text of an element part by part.

    A part begins and ends with a mark: "" for inline markup, `_BLOCK` for a part that is set apart by blanks, `/` for
    a denominator, and `^` or `_` for a superscript or subscript.
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._starts: list[int] = []
        self._ended = False  # whether the last piece ended a superscript, subscript or fraction

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def add(self, piece: str) -> None:
        if not piece:
            return
        if self._ended and piece[0].isdecimal() and self._pieces and self._pieces[-1][-1].isdecimal():
            piece = _BLOCK + piece
        self._pieces.append(piece)
        self._ended = False

    def begin(self, mark: str) -> None:
        if mark == _BLOCK:
            self.add(mark)
        elif mark:
            self._starts.append(len(self._pieces))

    def end(self, mark: str) -> None:
        if mark == _BLOCK:
            self.add(mark)
        elif mark:
            start = self._starts.pop()
            inner = "".join(self._pieces[start:])
            behind_digit = start > 0 and self._pieces[start - 1][-1].isdecimal()
            if mark == "/" or (behind_digit and _NUMBER.match(inner)):
                self._pieces[start:] = [mark + inner.lstrip()]
            self._ended = True


def _walk(element: _Element, words: _Words) -> None:
    math = str(element.tag).startswith(_MATH)
    words.add(_piece(element.text, math))
    marks = _MATH_MARKS.get(str(element.tag).removeprefix(_MATH), ()) if math else ()
    for place, child in enumerate(element):
        mark = marks[place] if place < len(marks) else _mark(str(child.tag))
        words.begin(mark)
        _walk(child, words)
        words.end(mark)
        words.add(_piece(child.tail, math))


def _piece(text: str | None, math: bool) -> str:
    return (text.strip() if math else text) if text else ""


def _mark(tag: str) -> str:
    if tag in _INLINE or tag.startswith(_MATH):
        return ""
    return _SCRIPTS.get(tag, _BLOCK)


def _without_tags(text: str) -> str:
    """Return a text without the markup that is written in it. A tag that is not one of a pair, or empty, stays."""
    tags = list(_TAG.finditer(text))
    opened, paired = defaultdict[str, list[int]](list), set[int]()
    for number, tag in enumerate(tags):
        waiting = opened[tag["name"].lower()]
        if not tag["end"]:
            waiting.append(number)
        elif waiting:
            paired |= {waiting.pop(), number}
    words, done = _Words(), 0
    for number, tag in enumerate(tags):
        name = tag["name"].lower()
        empty = bool(tag["empty"]) or name == "br"
        if number in paired or empty:
            words.add(text[done : tag.start()])
            done = tag.end()
            (words.end if tag["end"] else words.begin)(_BLOCK if empty else _mark(name))
    words.add(text[done:])
    return words.text


_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")

#: What PubMed writes in place of a title that is not translated, or of an abstract that is missing: "-No text-".
_NONE = re.compile(r"\W*(?:(?:abstract )?not available|no (?:title|abstract|text)(?: available)?)\W*", re.IGNORECASE)

#: Labels that mean that there is no label.
_NO_LABEL = frozenset({"", "UNLABELLED", "UNASSIGNED"})

#: Values of RefType that say that the article was retracted, or retracted and republished under another PMID.
_RETRACTED = frozenset({"RetractionIn", "RetractedandRepublishedIn"})

#: Publication types of notices. NLM has renamed "Retraction of Publication" to "Retraction Notice".
_NOTICES = frozenset(
    {"Comment", "Expression of Concern", "Published Erratum", "Retraction Notice", "Retraction of Publication"}
)

#: The publication type of a whole article that is published again. Its title may begin with "Erratum:".
_REPUBLISHED = "Corrected and Republished Article"


def pmid(article: _Element) -> int | None:
    """Return the article's own PMID (not one that it cites), or None if it has none.

    Args:
        article: A PubmedArticle, PubmedBookArticle or MedlineCitation.
    """
    named = _core(article).find("PMID")
    return None if named is None else identifiers.pmid((named.text or "").strip())


def version(named: _Element | None) -> int | None:
    """Return the version that an element PMID states, or None if it states no positive integer."""
    return None if named is None else identifiers.pmid(named.get("Version", ""))


def record(pmid: int, article: _Element) -> PubmedRecord:
    """Return the record of an article with this PMID. A record that states no version is version 1."""
    return PubmedRecord(pmid, text(article), version=version(_core(article).find("PMID")) or 1)


def text(article: _Element) -> Text:
    """Return the article's text, with what PubMed says about it: year, journal, publication types, MeSH headings ...

    Markup and MathML are reduced to their text (`element_text`), and a run of blanks becomes one blank. The vernacular
    title is used only if there is no other, or if the other is "[Not Available].". Parts of an abstract are joined by a
    blank, each after its label ("METHODS: ...").
    An OtherAbstract is another text about the article (for patients, or in another language): it is used only if there
    is no abstract (or a text like "-No text-"), and an English one is preferred. The journal of a book chapter is the
    title of the book.
    """
    core = _core(article)
    inner = core if core.tag == "BookDocument" else core.find("Article")
    inner = core if inner is None else inner
    book = _words(inner.find("Book/BookTitle"))
    types = inner.findall("PublicationTypeList/PublicationType") + inner.findall("PublicationType")
    kinds = tuple(dict.fromkeys(filter(None, map(_words, types))))
    return Text(
        title=_title(inner) or book,
        abstract=_abstract(inner.find("Abstract")) or _other_abstract(core),
        year=_year(inner),
        journal=_first(inner, "Journal/Title", "Journal/ISOAbbreviation") or book or None,
        retracted=_retracted(core, kinds),
        notice=False if _REPUBLISHED in kinds else not _NOTICES.isdisjoint(kinds) or None,
        types=kinds,
        mesh=tuple(heading for each in core.findall("MeshHeadingList/MeshHeading") if (heading := _heading(each))),
        languages=tuple(filter(None, map(_words, inner.findall("Language")))),
        doi=_doi(article, inner),
    )


def _doi(article: _Element, inner: _Element) -> str:
    """Return the DOI of an article in lower case. The lists of its references have DOIs of other articles."""
    paths = (
        "PubmedData/ArticleIdList/ArticleId[@IdType='doi']",
        "PubmedBookData/ArticleIdList/ArticleId[@IdType='doi']",
    )
    places = [*(article.find(path) for path in paths), *inner.findall("ELocationID[@EIdType='doi']")]
    valid = (place for place in places if place is not None and place.get("ValidYN") != "N")
    return next((words for place in valid if (words := _words(place))), "").lower()


def _core(article: _Element) -> _Element:
    """Return the element that contains PMID and text."""
    for name in ("MedlineCitation", "BookDocument"):
        found = article.find(name)
        if found is not None:
            return found
    return article


def _words(element: _Element | None) -> str:
    return "" if element is None else " ".join(element_text(element).split())


def _title(inner: _Element) -> str:
    own = _words(inner.find("ArticleTitle"))
    return own if own and not _NONE.fullmatch(own) else _words(inner.find("VernacularTitle")) or own


def told(abstract: str) -> str:
    """Return an abstract; an empty text if it only says that there is none."""
    return "" if _NONE.fullmatch(abstract) else abstract


def _first(element: _Element, *paths: str) -> str:
    return next((words for path in paths if (words := _words(element.find(path)))), "")


def _abstract(abstract: _Element | None) -> str:
    if abstract is None:
        return ""
    return " ".join(part for text in abstract.findall("AbstractText") if (part := _labelled(text)))


def _labelled(part: _Element) -> str:
    words = told(_words(part))
    label = (part.get("Label") or "").strip()
    return words if label in _NO_LABEL or not words else f"{label}: {words}"


def _other_abstract(core: _Element) -> str:
    others = sorted(core.findall("OtherAbstract"), key=lambda other: other.get("Language", "eng") != "eng")
    return next((words for other in others if (words := _abstract(other))), "")


def _year(inner: _Element) -> int | None:
    """Return the year of the journal issue; if there is none, the year of the article, else of the book.

    Of a MedlineDate such as `1998 Dec-1999 Jan`, the first year is returned.
    """
    paths = (
        "Journal/JournalIssue/PubDate/Year",
        "Journal/JournalIssue/PubDate/MedlineDate",
        "ArticleDate/Year",
        "Book/PubDate/Year",
        "Book/PubDate/MedlineDate",
    )
    found = (_YEAR.search(_words(inner.find(path))) for path in paths)
    return next((int(year[0]) for year in found if year), None)


def _heading(heading: _Element) -> str:
    """Return a MeSH heading as MEDLINE writes it: `Aspirin/*adverse effects/therapeutic use`."""
    names = [name for name in (*heading.findall("DescriptorName"), *heading.findall("QualifierName")) if _words(name)]
    return "/".join(f"{'*' if name.get('MajorTopicYN') == 'Y' else ''}{_words(name)}" for name in names)


def _retracted(core: _Element, kinds: Iterable[str]) -> bool:
    if "Retracted Publication" in kinds:
        return True
    notes = core.findall("CommentsCorrectionsList/CommentsCorrections")
    return any(note.get("RefType") in _RETRACTED for note in notes)
