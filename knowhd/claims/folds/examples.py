"""What is said of a class by naming members of it: "drugs such as A and B", "kinases, including A", "two genes (A, B)".

What is said of the class is said of each member that is named. It is said of the class itself as well where the members
stand by the way, behind a comma, in brackets or behind "including", and where the class is a concept. "Drugs such as A
lower B" does not say which other drugs do, and "three drugs: A, B and C" says no more than its list.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from knowhd import lexicon
from knowhd.claims.grammar.agreement import many
from knowhd.claims.grammar.coordination import together
from knowhd.claims.grammar.shown import BEGIN, LIST, NAME, NOUN, THING, Part, Shown, capital
from knowhd.claims.grammar.undivided import jointly
from knowhd.claims.reasons import whole
from knowhd.claims.verbs import of_one, relates

if TYPE_CHECKING:
    from spacy.tokens import Token

#: A class that is itself one of a list is not clear to be one.
_CLASS = rf"{BEGIN}(?<!and )(?<!or )(?P<noun>(?:\b(?i:some|certain|the|these|those|its|their|our) )?{THING})"
_LIKE = r"(?:such as|e\.g\.,?|for example,?|for instance,?|including|in particular|especially|particularly|notably)"
_NAMES = rf"{NAME}+(?:, {NAME}+)*,? and {NAME}+"
_MEMBERS = rf"(?:(?:{_NAMES}|{NAME}+)(?! {NOUN})|{LIST}|{THING})"
_END = r"(?:,(?! (?:[^,]+,)? ?(?:and|or) )|(?=[.!]?$))"
#: What names members by the way, some of them, and all of them; in the order in which they are tried.
_WAYS = {
    "aside": re.compile(
        rf"{_CLASS}(?: \({_LIKE} (?P<within>{_MEMBERS}|{THING}(?:, {THING})+)\)|, {_LIKE} (?P<what>{_MEMBERS}){_END}|"
        rf" including (?P<more>{_MEMBERS}))"
    ),
    "some": re.compile(rf"{_CLASS} such as (?P<what>{_MEMBERS})"),
    "all": re.compile(
        rf"{_CLASS}(?: \((?:namely )?(?P<within>{_NAMES})\)|(?::|, namely) (?P<what>{_NAMES}|{LIST}){_END})"
    ),
}
_AHEAD = re.compile(r"^The following (?P<said>[^:;]+): (?P<what>[^:;]+?)[.!]?$")
_LISTED = re.compile(rf"{_NAMES}|{LIST}|{THING}(?:, {THING})+")
_PLAIN = re.compile(r"[a-z]+(?= )")
_BEING = lexicon.words("are were have do did can could may might will would should must")
#: What is said of none of a class, or only of most of it, says nothing of a member.
_PARTLY = re.compile(r"\b(?:no|not all|few|fewer|most|half|none|than|only|any)(?: of)?(?: the)? ?$", re.I)
_OF = re.compile(rf"(?P<head>(?:\b(?:some|certain|the|an?) )?{THING}) of $")
#: Of these a class is the whole: "types of cancer".
_SORTS = lexicon.words("category class family form group kind range series set sort subtype type variety")
#: How much of a thing there is, or what becomes of it: the class is the thing, as in "levels of cytokines".
_AMOUNTS = lexicon.words("activity amount concentration effect level loss rate use")
_PLURAL = frozenset({"NNS", "NNPS"})
_FRONT = re.compile(r"(?:(?:In|Among|At|During|For|On|With|After|By) [^,]+, )?$")


def examples(told: Shown) -> Iterator[list[Part]]:
    """What is said of the class, where that is said, and the same of its members, joined by "and"."""
    if jointly(told.text):
        return
    yield from _announced(told)
    for way, pattern in _WAYS.items():
        for found in pattern.finditer(told.seen):
            start = _begins(told, found)
            if start is not None:
                yield _parts(told, found, way, start)


def _announced(told: Shown) -> Iterator[list[Part]]:
    """What is said of "the following", or "the following drugs", said of what stands behind the colon."""
    found = _AHEAD.match(told.text)
    if found is None or not _LISTED.fullmatch(told.seen, *found.span("what")):
        return
    for word in _PLAIN.finditer(found["said"]):
        if word[0] in _BEING or (relates(word[0]) and many(word[0]) == word[0]):
            yield [(whole(capital(f"{_joined(found['what'])} {found['said'][word.start() :]}")), False)]
            return


def _parts(told: Shown, found: re.Match[str], way: str, start: int) -> list[Part]:
    """The sentence without the members, where it is said by itself, and with them in place of their class."""
    group = next(name for name, seen in found.groupdict().items() if seen and name != "noun")
    before, after = told.text[:start], told.text[found.end() :]
    one = " and " not in found[group] and _FRONT.match(before)
    named = told.words(found, group)
    if " and " not in named and ", " in named:
        one, named = None, _joined(named)
    members = whole(capital(f"{before}{named}{of_one(after) if one else after}"))
    apart = way == "aside" or (way == "some" and found["noun"].endswith(NAME))
    return [*([(whole(told.text[: found.end("noun")] + after), False)] if apart else []), (members, False)]


def _joined(members: str) -> str:
    """A list with "and" before the last of it, where commas alone join it."""
    return members if " and " in members else " and ".join(members.rsplit(", ", 1))


def _begins(told: Shown, found: re.Match[str]) -> int | None:
    """Where the words for the class begin; None where it is no class, or not clear which it is."""
    start, end = found.span("noun")
    inside = [t for t in told.parsed.doc if start <= told.parsed.offsets(t)[0] < end]
    if not inside or together(inside[-1]):
        return None
    many, head = _many(told, inside[-1]), _OF.search(told.seen[:start])
    if head:
        above = [t for t in told.parsed.doc if head.start() <= told.parsed.offsets(t)[0] < head.end("head")]
        word = above[-1].lemma_.lower() if above else ""
        outer = bool(above) and _many(told, above[-1])
        if word in _SORTS or (outer and not many):
            start, many = head.start(), True
        elif outer and word not in _AMOUNTS:
            return None
    first = re.match(r"\w+ ?", told.text[start:])
    partly = _PARTLY.search(told.text[:start]) or (first and _PARTLY.search(first[0]))
    return start if many and not partly else None


def _many(told: Shown, noun: "Token") -> bool:
    """Whether a noun, or a name as it is written, is a plural."""
    if told.parsed.hides(noun):
        return re.search(r"[a-z][^suiy]s$", told.parsed.original([noun])) is not None
    return noun.tag_ in _PLURAL
