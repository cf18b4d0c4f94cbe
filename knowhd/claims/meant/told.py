"""Who does what to what in a sentence: what a pronoun behind it may mean, and what "this inhibition" was."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from knowhd import lexicon
from knowhd.claims.asides import in_aside
from knowhd.claims.grammar.coordination import SUBJECTS
from knowhd.claims.grammar.masked import Masked
from knowhd.claims.meant.instead import inside
from knowhd.claims.verbs import relates

if TYPE_CHECKING:
    from spacy.tokens import Token

#: What may be a verb that the parser takes for a noun; what follows is no place; behind a place the object has ended.
_VERB = re.compile(r"(?<= )[a-z]{2,40}(?:[^\Ws]s|ed)(?= )")
_PLACED = re.compile(r" (?:in|at|during|after|among|by|from|of|on|to|with) ")
_PLACE = re.compile(r" (?:in|at|during|after) ")
#: What no single clause has within it.
_BREAK = re.compile(r"[,;():]")
#: What joins a clause to the one before it.
_JOINT = re.compile(r"(?:[,;] (?:and|but|so|while|whereas)|;|,) ")
_PLURAL = re.compile(r"[^suiy]s$")
_TABLES = (frozenset(lexicon.SIGNS), lexicon.RELATING, lexicon.REMEDYING, lexicon.BETTERING, lexicon.WORSENING)
_PRONOUNS = frozenset({"PRP", "DT", "WDT", "WP", "EX", "CD"})
_SPEAKING = frozenset({"i", "we", "you"})
_CLAUSES = frozenset({"ROOT", "conj", "advcl", "ccomp"})


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that a sentence names.

    Attributes:
        words: As it is named, with a small letter where it is no name.
        plural: Whether it is several.
        kind: The type of the concept that it is; empty where it is none.
    """

    words: str
    plural: bool
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Told:
    """What one verb of a sentence says.

    Attributes:
        verb: Its lemma.
        start: Where it stands.
        doer: Who does it.
        object: What it is done to.
        others: Further things of the clause, such as where it happens.
        denied: Whether it is said not to happen.
    """

    verb: str
    start: int
    doer: Thing | None
    object: Thing | None
    others: tuple[Thing, ...] = ()
    denied: bool = False


def told(parsed: Masked, until: int | None = None) -> list[Told]:
    """What the verbs of a sentence say, in order; those that only frame ("we found that") and qualify say nothing.

    Where it is not clear who does something, or to what, nothing is told of it.

    Args:
        parsed: The sentence.
        until: Only what is said before the clause of this place; all by default.
    """
    found = [each for verb in parsed.doc if _says(verb) and (each := _of(parsed, verb))]
    words = parsed.text
    if until is not None:
        found = [each for each in found if each.start < until]
        joints = [joint.start() for joint in _JOINT.finditer(words, 0, until)]
        words = words[: joints[-1]] if joints else ""
    return found if any(each.object for each in found) else list(_plain(words)) or found


def thing(parsed: Masked, head: "Token | None") -> Thing | None:
    """What a noun and all that belongs to it names; None where it is a pronoun or there is none."""
    if head is None or head.tag_ in _PRONOUNS or not (head.pos_ in {"NOUN", "PROPN"} or parsed.hides(head)):
        return None
    tokens = [t for t in head.subtree if not in_aside(t, head)]
    if any(t.tag_ in {"PRP", "PRP$"} or t.dep_ == "relcl" or t.text == "(" for t in tokens):
        return None
    while tokens[-1].dep_ in {"cc", "punct"} and len(tokens) > 1:  # it joins what follows
        tokens.pop()
    words = parsed.original(tokens)
    if _with_verb(parsed, tokens):
        return None
    kind = kind_at(parsed, head)
    words = inside(words, kind_at(parsed, tokens[0])) if tokens[0].is_sent_start else words
    joined = any(child.dep_ == "conj" for child in head.children)
    return Thing(words, joined or plural(parsed, head), kind)


def plural(parsed: Masked, noun: "Token") -> bool:
    """Whether a noun by itself is a plural; a name is by its ending."""
    named = parsed.hides(noun) and _PLURAL.search(parsed.original([noun]))
    return noun.tag_ in {"NNS", "NNPS"} or bool(named)


def kind_at(parsed: Masked, token: "Token") -> str:
    """The type of the concept that a word names: "unknown" where it has none, empty for a word that is no name."""
    if not parsed.hides(token):
        return ""
    named = (m.key.split("|")[0] for m in parsed.mentions if m.key and token in parsed.place(m))
    return next(named, "unknown")


def _with_verb(parsed: Masked, tokens: list["Token"]) -> bool:
    """Whether a verb stands among the words of a thing, between two names: the parser took it for a noun."""
    inner = zip(tokens, tokens[1:], tokens[2:], strict=False)
    return any(
        parsed.hides(one) and parsed.hides(other) and not parsed.hides(t) and t.text.endswith("s") and relates(t.text)
        for one, t, other in inner
    )


def _says(verb: "Token") -> bool:
    part = verb.dep_ == "advcl" and not any(child.dep_ in SUBJECTS for child in verb.children)  # ", lowering B"
    heads = verb.pos_ in {"VERB", "AUX"} and verb.dep_ in _CLAUSES and not part
    return heads and not any(child.dep_ == "ccomp" for child in verb.children)


def _of(parsed: Masked, verb: "Token") -> Told | None:
    """What one verb says, if it is clear who does it to what."""
    below = {child.dep_: child for child in verb.children}
    agent = next((c for c in verb.children if c.dep_ == "agent"), None)
    by = next((c for c in agent.children if c.dep_ == "pobj"), None) if agent else None
    patient, actor = below.get("nsubjpass", below.get("dobj")), by if "nsubjpass" in below else _subject(verb)
    acted_on, acting = thing(parsed, patient), thing(parsed, actor)
    spoken = actor is not None and actor.lower_ in _SPEAKING
    if (patient is not None and acted_on is None) or (actor is not None and acting is None and not spoken):
        return None
    places = [c for prep in verb.children if prep.dep_ == "prep" for c in prep.children if c.dep_ == "pobj"]
    return Told(
        verb.lemma_.lower(),
        parsed.offsets(verb)[0],
        acting,
        acted_on,
        tuple(filter(None, (thing(parsed, place) for place in places))),
        "neg" in below,
    )


def _subject(verb: "Token") -> "Token | None":
    """The subject of a verb, or of the verb that it is joined with."""
    own = next((child for child in verb.children if child.dep_ in SUBJECTS), None)
    return own if own is not None or verb.dep_ != "conj" else _subject(verb.head)


def _plain(text: str) -> Iterator[Told]:
    """What a clause says, by its words, where it has a single word that may be a verb."""
    acting = [found for found in _VERB.finditer(text) if relates(found[0])]
    if len(acting) != 1 or _BREAK.search(text):
        return
    who, what = text[: acting[0].start()].strip(), text[acting[0].end() :].rstrip(" .!")
    if _PLACED.match(what):
        return
    doer, patient = (Thing(inside(words, ""), _several(words)) for words in (who, _PLACE.split(what)[0].strip()))
    verb = next((base for table in _TABLES if (base := lexicon.base(acting[0][0], table))), "")
    yield Told(verb, acting[0].start(), doer, patient)


def _several(words: str) -> bool:
    """Whether words are a plural: their last, or the last before "of"."""
    return bool(_PLURAL.search(words.split(" of ")[0]))
