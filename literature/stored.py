"""The stored form of an abstract: the main text in plain fields, and a second text beside it if there is one."""

from collections.abc import Mapping
from typing import Any

from groundwork.errors import InputError
from groundwork.records import Abstract, Text
from groundwork.study import is_notice, study_of

#: Largest PMID that every store can hold (Elasticsearch's `long`).
LARGEST_PMID = 2**63 - 1
#: The fields of `Text` that are lists. They are stored if they are not empty.
_LISTS = ("types", "mesh", "languages")


def check_pmid(pmid: int) -> int:
    """Return the PMID if it is valid.

    Raises:
        InputError: The PMID is negative or larger than a store can hold.
    """
    if not 0 <= pmid <= LARGEST_PMID:
        raise InputError(f"PMID {pmid}", f"a number from 0 to {LARGEST_PMID}", "correct the PMID")
    return pmid


def fields(abstract: Abstract) -> dict[str, Any]:
    """Return an abstract as JSON values: the fields of the index, and what is needed to restore the abstract.

    `origin` names the source of the main text: `record` (PubMed) or `document`. If the main text comes from a record,
    `other` holds the text of the document, or None if there is no document. If entity files name concepts of the
    article, or if the words of the document's annotations are known, `named` holds three things: the concepts from the
    entity files, the concepts of the document, and these words. `uncounted` says whether the article is a notice.
    `design` and `taxon` are those of `groundwork.study`; they are absent if they are not known.
    """
    standing = _text(abstract.text)
    other = _text(abstract.document) if abstract.record and abstract.document else None
    study = study_of(abstract)
    return {
        "pmid": abstract.pmid,
        **standing,
        "concepts": list(abstract.concepts),
        "release": abstract.release,
        "origin": "record" if abstract.record else "document",
        "other": other,
        "uncounted": study.design == "notice",
        **({"named": _named(abstract)} if abstract.entities or abstract.spoken else {}),
        **({"version": abstract.version} if abstract.version != 1 else {}),
        **({"design": study.design} if study.design else {}),
        **({"taxon": study.taxon} if study.taxon else {}),
    }


def abstract(stored: Mapping[str, Any]) -> Abstract:
    """Return the abstract that `fields` stored as these values."""
    standing = _read(stored)
    other = _read(stored["other"]) if stored["other"] else None
    record, document = (standing, other) if stored["origin"] == "record" else (None, standing)
    named = stored.get("named") or {"record": (), "document": stored["concepts"]}
    return Abstract(
        stored["pmid"],
        record,
        document,
        tuple(named["document"]),
        stored["release"],
        tuple(named["record"]),
        tuple((words, key) for words, key in named.get("words", ())),
        stored.get("version", 1),  # absent if it is 1, and in an index of an earlier version
    )


def uncounted(stored: Mapping[str, Any]) -> bool:
    """Return whether a stored document is a notice. An earlier version did not store it; then the text decides."""
    known: bool | None = stored.get("uncounted")
    return is_notice(_read(stored)) if known is None else known


def searched(stored: Mapping[str, Any]) -> str:
    """Return the text of a stored document that searches cover: title and abstract."""
    return f"{stored['title']} {stored['abstract']}"


def _named(abstract: Abstract) -> dict[str, Any]:
    return {
        "record": list(abstract.entities),
        "document": list(abstract.annotated),
        "words": [list(each) for each in abstract.spoken],
    }


def _text(text: Text) -> dict[str, Any]:
    return {
        "title": text.title,
        "abstract": text.abstract,
        "year": text.year,
        "journal": text.journal,
        "retracted": text.retracted,
        **({} if text.notice is None else {"notice": text.notice}),
        **{name: list(held) for name in _LISTS if (held := getattr(text, name))},
        **({"doi": text.doi} if text.doi else {}),
    }


def _read(stored: Mapping[str, Any]) -> Text:
    lists: dict[str, Any] = {name: tuple(stored.get(name, ())) for name in _LISTS}
    return Text(
        stored["title"],
        stored["abstract"],
        stored["year"],
        stored["journal"],
        stored["retracted"],
        stored.get("notice"),  # absent if it is None, and in an index of an earlier version
        **lists,
        doi=stored.get("doi", ""),
    )
