"""The stored form of an abstract: the main text in plain fields, and a second text beside it if there is one."""

from collections.abc import Mapping
from typing import Any

from groundwork.errors import InputError
from groundwork.records import Abstract, Text

#: Largest PMID that every store can hold (Elasticsearch's `long`).
LARGEST_PMID = 2**63 - 1


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
    entity files, the concepts of the document, and these words.
    """
    standing = _text(abstract.text)
    other = _text(abstract.document) if abstract.record and abstract.document else None
    return {
        "pmid": abstract.pmid,
        **standing,
        "concepts": list(abstract.concepts),
        "release": abstract.release,
        "origin": "record" if abstract.record else "document",
        "other": other,
        **({"named": _named(abstract)} if abstract.entities or abstract.spoken else {}),
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
    )


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
    }


def _read(stored: Mapping[str, Any]) -> Text:
    return Text(stored["title"], stored["abstract"], stored["year"], stored["journal"], stored["retracted"])
