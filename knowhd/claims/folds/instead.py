"""What a thing does, and what else it does or does not: "instead of lowering A, B raises it", "besides lowering A"."""

import re
from collections.abc import Iterator

from knowhd.claims.grammar.agreement import alone
from knowhd.claims.grammar.shown import NAME, THING, Part, Shown, capital
from knowhd.claims.reasons import whole
from knowhd.claims.verbs import relates

_NAMES = rf"(?:{NAME}+(?:(?:, {NAME}+)*,? and {NAME}+)?|{THING}|[Ii]t|[Tt]hey)"
_STEAD = r"(?:instead of|rather than|as opposed to)"
_BESIDES = r"(?P<more>in addition to|besides|apart from|aside from|as well as|beyond|while(?: also)?)"
_FRONT = re.compile(
    rf"^(?:{_STEAD}|{_BESIDES}) (?P<verb>[^\s,]+) (?P<what>[^,;]+), (?P<who>{_NAMES}) (?P<said>[^;]+?)[.!]?$", re.I
)
_BACK = re.compile(
    rf"^(?P<who>{_NAMES}) (?P<said>[^;]+?),? (?:{_STEAD}|{_BESIDES}) (?P<verb>[^\s,]+) (?P<what>[^,;]+?)[.!]?$", re.I
)
_WITHIN = re.compile(
    rf"^(?P<who>{_NAMES}) (?P<said>[a-z]+),? (?:{_STEAD}|and not|not) (?P<verb>[^\s,]+),? "
    rf"(?P<what>{NAME}[^,;]*?)[.!]?$",
    re.I,
)
_PASSIVE = re.compile(
    rf"^(?P<who>{_NAMES}) (?P<aux>is|are|was|were) (?P<said>\w+),? {_STEAD} (?P<verb>\w+),? (?P<what>by [^,;]+?)[.!]?$",
    re.I,
)
_IT = re.compile(r"\b(?:it|them)\b")
_NAMED = re.compile(rf"{NAME}+(?:(?:, {NAME}+)*,? and {NAME}+)?")
#: What may be so does not say what is not; "is used instead of" says whose place it takes.
_OPEN = re.compile(
    r"\b(?:used|given|taken|chosen|prescribed|recommended|may|might|could|can|should|would|not|never|if|whether|that)\b|n['’]t\b",
    re.I,
)


def instead(told: Shown) -> Iterator[list[Part]]:
    """What a thing does, and the denial of what it does not do; "it" in the one is what the other names."""
    if found := _PASSIVE.match(told.seen):
        who, aux, what = (told.words(found, part) for part in ("who", "aux", "what"))
        done = [(told.words(found, part), part == "verb") for part in ("said", "verb")]
        yield [(whole(capital(f"{who} {aux} {doing} {what}")), denied) for doing, denied in done]
    for way in (_WITHIN, _FRONT, _BACK):
        found = way.match(told.seen)
        if found is None:
            continue
        who, said, what = (told.words(found, part) for part in ("who", "said", "what"))
        verb = _finite(told, found)
        if not verb or _OPEN.search(said) or (way is _WITHIN and not relates(said)):
            continue
        if way is _WITHIN:
            said = f"{said} {what}"
        elif way is _FRONT:
            said = _named(said, told, found, "what")
        else:
            what = _named(what, told, found, "said")
        denied = not found.groupdict().get("more")
        yield [(whole(capital(f"{who} {said}")), False), (whole(capital(f"{who} {verb} {what}")), denied)]


def _named(words: str, told: Shown, found: re.Match[str], other: str) -> str:
    """Words with what the other part names for "it"; as they are where that is nothing, or not one thing."""
    named = list(_NAMED.finditer(told.seen, *found.span(other)))
    return _IT.sub(told.text[slice(*named[0].span())], words) if len(named) == 1 else words


def _finite(told: Shown, found: re.Match[str]) -> str:
    """The verb of what is not done, as it is said of one thing; empty where it is none that relates things."""
    verb = told.words(found, "verb")
    if not verb.isalpha() or verb.endswith("ed") or not relates(verb):
        return ""
    if not verb.endswith("ing"):
        return alone(verb)
    token = next(t for t in told.parsed.doc if told.parsed.offsets(t)[0] == found.start("verb"))
    lemma = str(token.lemma_)
    return "" if lemma.endswith("ing") else alone(lemma)
