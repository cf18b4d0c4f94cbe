"""Words that join in pairs: "neither A nor B", "not only A but also B", "A as well as B", "causes and worsens C"."""

import re
from collections.abc import Iterator

from knowhd.claims.grammar.shown import LIST, NAME, NOUN, QUALITY, THING, Part, Shown, capital
from knowhd.claims.reasons import whole
from knowhd.claims.verbs import relates

_THINGS = re.compile(rf"\bneither (?P<one>{THING}) nor (?P<other>{THING})", re.I)
_INVERTED = re.compile(
    r"^neither (?P<aux>does|do|did|is|are|was|were|can|may|will|has|have) "
    rf"(?P<who>{THING}|it|they) (?P<said>[^;]+?),? nor (?P<other>[^;]+)$",
    re.I,
)
_DOINGS = re.compile(r"\bneither (?P<one>[a-z][^,;]*?),? nor (?P<other>[a-z][^,;]*?)(?=[.!]?$)")
_TURNED = re.compile(
    rf",? (?:and )?nor (?P<aux>does|do|did|is|are|was|were|can|may|will|has|have) (?P<who>it|they|{THING}) "
)
_OR = re.compile(r",? n?or (?P<verb>[a-z]+s) ")
_NOT_ONLY = re.compile(
    r"\bnot (?:only|just|merely) (?P<one>[^,;]+?),? but (?:rather )?(?:also |even |additionally )?(?P<other>[^;]+)",
    re.I,
)
_FIRST = re.compile(rf"(?P<aux>does|do|did|is|are|can|may|will) (?P<who>{THING}) ")
_AS_WELL = re.compile(
    rf"(?P<one>[{NAME}{NOUN}])(?:,? as well as (?P<other>{THING}),?|"
    rf", (?:as well as|along with|in addition to) (?P<others>{LIST}|{THING})(?:,|(?=[.!]?$)))"
    r"(?! (?:does|do|did|is|are|was|were|has|have|had|can|may|will)\b)",
    re.I,
)
_FLOATING = re.compile(rf"(?P<who>{LIST}) (?:each|both|all) (?!of\b)")
_WITH = re.compile(r"\b(?:both )?with and without ", re.I)
_COMPARING = re.compile(r"\b(?:between|compar\w+|differ\w*|similar\w*|same|equal\w*|alike|than|versus)\b", re.I)
_SHARED = re.compile(r"(?<= )(?P<one>[a-z]+) and (?P<other>[a-z]+) ")


def neither(told: Shown) -> Iterator[list[Part]]:
    """The denials in "neither A nor B does C", "A does neither B nor C", "neither does A B nor does it C"."""
    text = told.text
    if found := _INVERTED.match(told.seen):
        said = f"{told.words(found, 'who')} {found['aux']} not {told.words(found, 'said')}"
        yield [(f"{capital(said)}, nor {told.words(found, 'other')}", False)]
    for found in _THINGS.finditer(told.seen):
        before, after = text[: found.start()], text[found.end() :]
        yield [
            (capital(f"{before}{told.words(found, which)}{doing}"), True)
            for which in ("one", "other")
            for doing in _alternatives(after)
        ]
    for found in _DOINGS.finditer(text):
        yield [(whole(text[: found.start()] + found[which]), True) for which in ("one", "other")]
    for found in _TURNED.finditer(told.seen):
        said = f"{told.words(found, 'who')} {found['aux']} not {text[found.end() :]}"
        yield [(whole(text[: found.start()]), False), (whole(said), False)]


def _alternatives(doings: str) -> list[str]:
    """What " lowers A or raises B" denies when it is denied: each by itself."""
    if not relates(doings.strip().partition(" ")[0]):
        return [doings]
    parts, at = [], 0
    for joint in _OR.finditer(doings):
        if relates(joint["verb"]):
            parts.append(f"{doings[at : joint.start()]}.")
            at = joint.start("verb") - 1
    return [*parts, doings[at:]]


def not_only(told: Shown) -> Iterator[list[Part]]:
    """For "not only A but also B" "A and B"; for "not only does A ..., but it also" two sentences."""
    for found in _NOT_ONLY.finditer(told.text):
        start, end = found.span("one")
        if turned := _FIRST.match(told.seen, start, end):
            one = f"{told.words(turned, 'who')} {turned['aux']} {told.text[turned.end() : end]}"
            other = re.sub(r"\balso ", "", found["other"], count=1)
            yield [(whole(one), False), (whole(other), False)]
        else:
            yield [(capital(f"{told.text[: found.start()]}{found['one']} and {found['other']}"), False)]


def as_well(told: Shown) -> Iterator[list[Part]]:
    """For "A as well as B" "A and B", as a subject or between things of one kind; between others it may compare."""
    for found in _AS_WELL.finditer(told.seen):
        other = "other" if found["other"] else "others"
        leading = not re.search(r"[a-z]{3}", told.seen[: found.start()])
        if leading or told.kind(found.end("one") - 1) == told.kind(found.end(other) - 1):
            joint = ", " if " and " in found[other] else " and "
            rest = f"{joint}{told.words(found, other)}{told.text[found.end() :]}"
            yield [(f"{told.text[: found.end('one')]}{rest}", False)]


def floating(told: Shown) -> Iterator[list[Part]]:
    """For "A and B each do C" "A and B do C"."""
    for found in _FLOATING.finditer(told.seen):
        yield [(f"{told.text[: found.end('who')]} {told.text[found.end() :]}", False)]


def with_and_without(told: Shown) -> Iterator[list[Part]]:
    """What is said of those with a thing and of those without it, where it does not compare the two."""
    if not _COMPARING.search(told.text):
        for found in _WITH.finditer(told.text):
            before, after = told.text[: found.start()], told.text[found.end() :]
            yield [(f"{before}{which} {after}", False) for which in ("with", "without")]


def shared(told: Shown) -> Iterator[list[Part]]:
    """The two things that "A causes and worsens B" says of B."""
    for found in _SHARED.finditer(told.text):
        one, other = found["one"], found["other"]
        hidden = {told.seen[found.start(which)] for which in ("one", "other")} & {NAME, NOUN, QUALITY}
        things = (hidden and (hidden != {QUALITY} or one != "lower")) or other.endswith("ly")
        alike = one.endswith("s") == other.endswith("s") and one.endswith("ed") == other.endswith("ed")
        if things or not alike or one.endswith("ing") or not re.match(THING, told.seen[found.end() :]):
            continue
        if relates(one) or relates(other):
            before, after = told.text[: found.start()], told.text[found.end() :]
            yield [(f"{before}{each} {after}", False) for each in (one, other)]
