"""Lists that belong together member by member: "A and B treat C and D, respectively"."""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from knowhd.claims.grammar.agreement import misread, singular
from knowhd.claims.grammar.coordination import SUBJECTS
from knowhd.claims.grammar.masked import Masked
from knowhd.claims.grammar.shown import LIST, THING, Part, Shown

Stretch = tuple[int, int]

_WORD = re.compile(r",? respectively\b,?")


def respective(told: Shown) -> Iterator[list[Part]]:
    """The sentences of a sentence with "respectively", one for each place in its last two lists of one length."""
    joint = _WORD.search(told.seen)
    if joint is None:
        return
    places = [match.span() for match in re.finditer(LIST, told.seen)]
    for one, other in reversed(list(pairwise(places))):
        first, second = _members(told.seen, *one), _members(told.seen, *other)
        if len(first) == len(second):
            pairs = zip(first, second, strict=True)
            yield [(_chosen(told.parsed, {one: a, other: b, joint.span(): None}), False) for a, b in pairs]


def _members(seen: str, start: int, end: int) -> list[Stretch]:
    return [(start + m.start(), start + m.end()) for m in re.finditer(THING, seen[start:end])]


def _chosen(parsed: Masked, members: Mapping[Stretch, Stretch | None]) -> str:
    """The sentence with one member of each list, and without "respectively"; its verbs agree with it."""
    instead = {span: parsed.text[slice(*member)] if member else "" for span, member in members.items()}
    root = next(parsed.doc.sents).root
    subject = next((t for t in root.children if t.dep_ in SUBJECTS), None)
    verbs = [root, *(t for t in root.children if t.dep_ == "conj" and t.pos_ == "VERB")]
    if subject is not None and any(a <= parsed.offsets(subject)[0] < b for a, b in instead):
        for verb in verbs:
            finite = next((t for t in verb.children if t.dep_ in {"aux", "auxpass"}), verb)
            if finite.tag_ in {"VBP", "VB", "VBD"} or misread(finite):
                instead[parsed.offsets(finite)] = singular(finite)
    text, at = "", 0
    for (start, end), words in sorted(instead.items()):
        text, at = text + parsed.text[at:start] + words, end
    text += parsed.text[at:]
    return text[:1].upper() + text[1:]
