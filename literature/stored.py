"""How an abstract is stored: the text that stands as plain fields, another text beside it."""

from collections.abc import Mapping
from typing import Any

from groundwork.errors import InputError
from groundwork.records import Abstract, Text

#: The largest that every store can hold (Elasticsearch's `long`).
LARGEST_PMID = 2**63 - 1


def check_pmid(pmid: int) -> int:
    """The PMID, if it is one.

    Raises:
        InputError: It is negative or larger than a store can hold.
    """
    if not 0 <= pmid <= LARGEST_PMID:
        raise InputError(f"PMID {pmid}", f"a number from 0 to {LARGEST_PMID}", "correct the PMID")
    return pmid


def fields(abstract: Abstract) -> dict[str, Any]:
    """An abstract as JSON values: the fields that design and index share, and what is needed to read it back.

    `origin` says whose text stands (`record` or `document`); `other` is the document's own text under a record's. Where
    the entity files name concepts, `named` holds these and the document's own apart; where the document's annotations
    have words, it holds these too.
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
    """The abstract whose `fields` these are."""
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
    """What is searched of it: title and abstract."""
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
