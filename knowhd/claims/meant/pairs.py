"""What "both", "the former" and "the latter" mean: the two things that were named before, or one of them."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from knowhd.claims.grammar.masked import Masked
from knowhd.claims.meant.instead import Instead, inside
from knowhd.claims.meant.told import kind_at
from knowhd.claims.verbs import relates

if TYPE_CHECKING:
    from spacy.tokens import Token

_ORDER = {"former": 0, "latter": 1}
_NOUNS = frozenset({"NOUN", "PROPN"})


def pairs(parsed: Masked, before: Masked | None) -> Iterator[Instead]:
    """The names for each "both", "the former" and "the latter" that stands alone."""
    for token in parsed.doc:
        both = token.lower_ == "both" and _both(token)
        ordered = token.lower_ in _ORDER and token.i > 0 and token.nbor(-1).lower_ == "the" and _alone(token)
        if not (both or ordered):
            continue
        two = _joint(parsed, token) or (_joint(before, None) if before else ())
        if ordered and not two and before:
            two = _named(before)
        if two and both:
            yield Instead(*parsed.offsets(token), " and ".join(two), two)
        elif two:
            name = two[_ORDER[token.lower_]]
            yield Instead(parsed.offsets(token.nbor(-1))[0], parsed.offsets(token)[1], name, (name,))


def _both(token: "Token") -> bool:
    """Whether a "both" is a subject by itself, at the beginning; one between "A and B" and the verb is not."""
    behind = token.nbor() if token.i + 1 < len(token.doc) else token
    return token.i == 0 and (behind.pos_ in {"VERB", "AUX", "ADV"} or relates(behind.text))


def _alone(token: "Token") -> bool:
    """Whether no noun follows: "the latter drug" is one of them, "the latter inhibits" none."""
    behind = token.nbor() if token.i + 1 < len(token.doc) else token
    return behind.pos_ not in {"NOUN", "PROPN", "ADJ", "NUM"} or (behind.text.endswith("s") and relates(behind.text))


def _joint(parsed: Masked, until: "Token | None") -> tuple[str, ...]:
    """The members of the only list of a sentence, if they are two; before another clause of it, if a word is given."""
    doc = parsed.doc if until is None else parsed.doc[: until.i]
    joined = [t for t in doc if _noun(t, parsed) and t.dep_ != "conj" and any(_noun(c, parsed) for c in _joined(t))]
    if until is not None:
        joined = [noun for noun in joined if any(t.pos_ in {"VERB", "AUX"} for t in doc[noun.i :])]
    members = list(_members(joined[0])) if len(joined) == 1 else []
    return tuple(_words(parsed, member) for member in members) if len(members) == 2 else ()


def _named(parsed: Masked) -> tuple[str, ...]:
    """The only two concepts that a sentence names without a list."""
    listed = any(_noun(t, parsed) and t.dep_ == "conj" for t in parsed.doc)
    named = {m.key: m.text if m.start else inside(m.text, m.key.split("|")[0]) for m in parsed.mentions if m.key}
    return tuple(named.values()) if len(named) == 2 and not listed else ()


def _noun(token: "Token", parsed: Masked) -> bool:
    return token.pos_ in _NOUNS or parsed.hides(token)


def _joined(noun: "Token") -> Iterator["Token"]:
    return (child for child in noun.children if child.dep_ == "conj")


def _members(noun: "Token") -> Iterator["Token"]:
    yield noun
    for child in _joined(noun):
        yield from _members(child)


def _words(parsed: Masked, member: "Token") -> str:
    """A member of a list without what is joined to it."""
    others = {t for child in _joined(member) for t in child.subtree}
    joints = {t for t in member.children if t.dep_ in {"cc", "preconj", "punct"}}
    words = parsed.original(t for t in member.subtree if t not in others | joints)
    first = member.left_edge
    return inside(words, kind_at(parsed, first)) if first.is_sent_start else words
