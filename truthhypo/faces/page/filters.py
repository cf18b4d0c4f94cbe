"""The filters of the templates: numbers, times and names as people read them."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import quote

from markupsafe import Markup, escape

from groundwork import organisms
from groundwork.records import Concept
from groundwork.records.release import label
from groundwork.study import kind_of_study
from groundwork.vocabulary import RELATIONS
from truthhypo.faces.page.flags import flag
from truthhypo.faces.page.result_view import highlighted
from truthhypo.manuscripts.page import WORDS

_VERDICTS = {**WORDS, "not_enough": "not enough evidence", "failed": "not judged"}
#: Three patterns. The first finds a list of PMIDs in a reason, such as `PMID 12 [retracted], 345, and 3 more`; in older
#: results, the list is written as `PMID 12, retracted, 345`. The second finds one PMID, and the third the name of a
#: relation that has several words.
_PMIDS = re.compile(r"(PMID \d+(?: \[retracted\]|, (?:\d+|retracted)\b)*)")
_PMID = re.compile(r"\d+")
_RELATION = re.compile("|".join(relation for relation in RELATIONS if "_" in relation))


def count(value: float) -> Markup:
    """Return a whole number as HTML. The script of the page rewrites it in the format of the browser's language."""
    return Markup('<data value="{}">{}</data>').format(value, f"{value:,.0f}")


def decimal(value: float | None, digits: int = 3) -> Markup:
    """Return a number with a fixed number of decimals; `none` for None."""
    if value is None:
        return Markup("none")
    return Markup('<data value="{}" data-digits="{}">{}</data>').format(value, digits, f"{value:z.{digits}f}")


def moment(value: datetime) -> Markup:
    """Return a time as HTML, in UTC. The script of the page rewrites it in the browser's language and time zone."""
    return Markup('<time datetime="{}">{}</time>').format(value.isoformat(), f"{value:%d %b %Y, %H:%M} UTC")


def words(value: str) -> str:
    """Return an identifier as words: `negative_correlate` becomes `negative correlate`."""
    return value.replace("_", " ")


def verdict(value: str) -> str:
    """Return a verdict as words."""
    return _VERDICTS[value]


def pubmed(pmid: int, title: str = "") -> Markup:
    """Return a link to an article in PubMed, with its title, or without one with its PMID."""
    return Markup('<a href="https://pubmed.ncbi.nlm.nih.gov/{}/" rel="noreferrer">{}</a>').format(pmid, title or pmid)


def linked(reason: str) -> Markup:
    """Return the reason of a verdict with its PMIDs as links, and its relations as words."""
    told = _RELATION.sub(lambda found: words(found[0]), reason)
    parts = [
        _PMID.sub(lambda found: pubmed(int(found[0])), str(escape(part))) if part.startswith("PMID ") else escape(part)
        for part in _PMIDS.split(told)
    ]
    return Markup("").join(map(Markup, parts))


def described(concept: Mapping[str, Any]) -> str:
    """Return the name of a concept, for a gene with its organism and its description, as far as they are known."""
    known = (concept.get(each, "") for each in ("organism", "description"))
    return organisms.described(Concept(concept["key"], concept["name"], (), (), *known))


def study(piece: Mapping[str, Any]) -> str:
    """Return the design and the organism of an article, a hit or a sentence; empty if they are not known."""
    return kind_of_study(piece.get("design"), piece.get("organism"))  # results of earlier versions lack them


def segment(value: str) -> str:
    """Return text as one segment of a path: `Gene|7157` becomes `Gene%7C7157`."""
    return quote(value, safe="")


FILTERS: Mapping[str, Callable[..., Any]] = {
    each.__name__: each
    for each in (
        count,
        decimal,
        moment,
        words,
        verdict,
        pubmed,
        linked,
        described,
        study,
        segment,
        flag,
        highlighted,
        label,
    )
}
