"""What a sentence denies of one thing as it says it of another: "unlike A", "in contrast to A", "(but not A)"."""

import re
from collections.abc import Iterator

from knowhd.claims.folds.predicates import agreeing, predicate
from knowhd.claims.frames import STUDIES
from knowhd.claims.grammar.shown import LIST, THING, Part, Shown
from knowhd.claims.reasons import whole

_AGAINST = r"(?:in contrast (?:to|with)|as opposed to|contrary to)"
_BRACKET = re.compile(r"\s*\((?P<joint>but not|and not|not|unlike|in contrast to|as well as|and|or) (?P<rest>[^()]*)\)")
_NEITHER = re.compile(r"\b(?P<joint>but|and) neither (?P<one>[^,;]+?) nor ")
_FRONT = re.compile(rf"^(?:unlike|{_AGAINST}) (?P<other>(?:{LIST}|{THING})(?: of (?:{LIST}|{THING}))?), ", re.I)
_MANY = re.compile(r" and |[^suiy]s$")
_WITHIN = re.compile(rf",? {_AGAINST} (?P<other>{THING})(?:,|(?=[.!]?$))", re.I)
_END = re.compile(rf",? (?:unlike|{_AGAINST}|(?:but |and )?not|rather than) (?P<other>{THING})[.!]?$", re.I)


def brackets(told: Shown) -> Iterator[list[Part]]:
    """What a bracket adds or denies stands as well between commas: "A (but not B) causes C"."""
    for found in _NEITHER.finditer(told.text):
        before, after = told.text[: found.start()], told.text[found.end() :]
        yield [(f"{before}{found['joint']} not {found['one']} or {after}", False)]
    for found in _BRACKET.finditer(told.text):
        joined = f" {found['joint']} {found['rest']}"
        if found["joint"] not in {"and", "or"}:
            joined = f",{joined},"
        text = told.text[: found.start()] + joined + told.text[found.end() :]
        yield [(re.sub(r",(?=\s*[.!]?$)", "", text), False)]


def contrasts(told: Shown) -> Iterator[list[Part]]:
    """What "unlike A, B does C" denies of A; a sentence set against earlier studies denies nothing of them."""
    text = told.text
    found = _FRONT.match(told.seen)
    verb = predicate(told, found.end(), len(text)) if found else None
    if found and verb:
        other = told.words(found, "other")
        if not re.search(rf"\b(?:{STUDIES})\b", other, re.I):
            one = not _MANY.search(other.partition(" of ")[0])
            yield [(whole(text[found.end() :]), False), (whole(f"{other} {agreeing(text[verb:], one=one)}"), True)]
    for found in _WITHIN.finditer(told.seen):
        after = text[found.end() :]
        if found.start() > 0 and re.match(r"\s*[a-z]", after):
            yield [(f"{text[: found.start()]}{after}", False), (whole(f"{told.words(found, 'other')}{after}"), True)]


def trailing(told: Shown) -> Iterator[list[Part]]:
    """What "A prevents B, unlike C" denies of C, where C is of A's kind and not of B's."""
    found = _END.search(told.seen)
    subject = told.subject() if found else None
    if found is None or subject is None:
        return
    kind, before = told.kind(found.end("other") - 1), told.kind(found.start() - 1)
    if kind and kind == told.kind(subject[1] - 1) and kind != before:
        said, other = told.text[: found.start()], told.words(found, "other")
        yield [(whole(said), False), (whole(f"{said[: subject[0]]}{other}{said[subject[1] :]}"), True)]
