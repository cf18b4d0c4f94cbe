"""Read one PubMed article from XML: its text, year and journal, and whether it was retracted."""

import re
from collections.abc import Iterator

from lxml.etree import _Element

from groundwork.records import Text
from ingest import identifiers

_MATH = "{http://www.w3.org/1998/Math/MathML}"
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")

#: Labels that mean that there is no label.
_NO_LABEL = frozenset({"", "UNLABELLED", "UNASSIGNED"})

#: Values of RefType that say that the article was retracted, or retracted and republished under another PMID.
_RETRACTED = frozenset({"RetractionIn", "RetractedandRepublishedIn"})


def pmid(article: _Element) -> int | None:
    """Return the article's own PMID (not one that it cites), or None if it has none.

    Args:
        article: A PubmedArticle, PubmedBookArticle or MedlineCitation.
    """
    named = _core(article).find("PMID")
    return None if named is None else identifiers.pmid((named.text or "").strip())


def text(article: _Element) -> Text:
    """Return the article's title, abstract, year, journal and retraction.

    Inline markup and MathML are reduced to their text, and a run of blanks becomes one blank. The vernacular title is
    used only if there is no other. Parts of an abstract are joined by a blank, each after its label ("METHODS: ...").
    An OtherAbstract is another text about the article (for patients, or in another language): it is used only if there
    is no abstract, and an English one is preferred. The journal of a book chapter is the title of the book.
    """
    core = _core(article)
    inner = core if core.tag == "BookDocument" else core.find("Article")
    inner = core if inner is None else inner
    book = _words(inner.find("Book/BookTitle"))
    return Text(
        title=_first(inner, "ArticleTitle", "VernacularTitle") or book,
        abstract=_abstract(inner.find("Abstract")) or _other_abstract(core),
        year=_year(inner),
        journal=_first(inner, "Journal/Title", "Journal/ISOAbbreviation") or book or None,
        retracted=_retracted(core, inner),
    )


def _core(article: _Element) -> _Element:
    """Return the element that contains PMID and text."""
    for name in ("MedlineCitation", "BookDocument"):
        found = article.find(name)
        if found is not None:
            return found
    return article


def _words(element: _Element | None) -> str:
    return "" if element is None else " ".join("".join(_pieces(element)).split())


def _pieces(element: _Element) -> Iterator[str]:
    """Yield all text within an element. Blanks in MathML are layout and are removed, so that `Cu2O` is one word."""
    math = str(element.tag).startswith(_MATH)
    yield _piece(element.text, math)
    for child in element:
        yield from _pieces(child)
        yield _piece(child.tail, math)


def _piece(text: str | None, math: bool) -> str:
    return (text.strip() if math else text) if text else ""


def _first(element: _Element, *paths: str) -> str:
    return next((words for path in paths if (words := _words(element.find(path)))), "")


def _abstract(abstract: _Element | None) -> str:
    if abstract is None:
        return ""
    return " ".join(part for text in abstract.findall("AbstractText") if (part := _labelled(text)))


def _labelled(part: _Element) -> str:
    words = _words(part)
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


def _retracted(core: _Element, inner: _Element) -> bool:
    kinds = inner.findall("PublicationTypeList/PublicationType") + inner.findall("PublicationType")
    if any(_words(kind) == "Retracted Publication" for kind in kinds):
        return True
    notes = core.findall("CommentsCorrectionsList/CommentsCorrections")
    return any(note.get("RefType") in _RETRACTED for note in notes)
