"""Whether one thing is needed for another: "A is required for B", "without A, B did not rise", "B rose without A".

What does not happen where a thing is absent needs it, and what happens there does not. That something is not needed
says nothing of what it does where it is there: what is dispensable for B may raise it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from groundwork.polarity import Sign
from knowhd import lexicon
from knowhd.rules.groups import PEOPLE

if TYPE_CHECKING:
    from spacy.tokens import Token

    from knowhd.rules.reading import Reading

#: The act of being needed, see `lexicon.ACTS`.
NEED = "need"
#: What something does by itself: it comes about, or where it is ill, goes.
_HAPPENING: dict[str, Sign] = {
    **dict.fromkeys(("appear", "arise", "begin", "develop", "emerge", "exist", "happen", "occur", "persist"), 1),
    **dict.fromkeys(("heal", "remit", "resolve", "subside"), -1),
}
_TURNED: dict[Sign, Sign] = {1: -1, 0: 0, -1: 1}
#: Such a thing is there as ever.
_KEPT = frozenset({"intact", "maintained", "normal", "preserved", "unaffected", "unaltered", "unchanged", "unimpaired"})
#: Words for the absence of what they are of.
LACKS = lexicon.words("ablation absence deficiency deficient deletion depletion knockdown knockout lack loss")


def happening(way: Sequence["Token"], top: "Token", sign: Sign, signed: Sequence["Token"]) -> Sign:
    """Which way that goes which a verb says, whatever is said to be absent: "developed" +1, "fell" -1.

    Args:
        way: The way between two things.
        top: Where it turns.
        sign: What the words along it come to.
        signed: Those words.
    """
    around = (*way, *(child for token in way for child in token.children))
    kept = any(token.lower_ in _KEPT for token in around)
    own: Sign = next(
        (_HAPPENING[t.lemma_] for t in (top, *top.children) if t.lemma_ in _HAPPENING and _said_by(t, top)), 0
    )
    lacks = lacking(way, top)
    if kept or own or all(token in lacks for token in signed):
        return 1 if kept else own
    return sign if len(lacks) % 2 == 0 else _TURNED[sign]


def lacking(way: Sequence["Token"], top: "Token") -> list["Token"]:
    """The words that say under what circumstance the verb is said: in the absence of one of the two."""
    return [token for token in _circumstances(way, top) if lexicon.base(token.lemma_, LACKS)]


def is_circumstance(way: Sequence["Token"], top: "Token", end: "Token") -> bool:
    """Whether one end of a way tells under what circumstance the verb is said, rather than who did it."""
    return end in _circumstances(way, top)


def _circumstances(way: Sequence["Token"], top: "Token") -> list["Token"]:
    """The words of a way on those of its two sides that tell when or in whom: "in", "after A was stopped"."""
    if top not in way:
        return []  # two that are coordinated stand under what relates them
    at = way.index(top)
    sides = [way[:at], way[at + 1 :]]
    return [token for side in sides if any(_sets_apart(each, top) for each in side) for token in side]


def _sets_apart(token: "Token", top: "Token") -> bool:
    """Whether a word begins a circumstance of a verb, or says which of those that are spoken of lack something."""
    below = token.head == top or (token.head.dep_ == "acomp" and token.head.head == top)
    of_group = token.dep_ in {"acl", "relcl"} and PEOPLE.fullmatch(token.head.text) is not None
    return (below and token.dep_ in {"prep", "advcl"}) or (of_group and bool(lexicon.base(token.lemma_, LACKS)))


def _said_by(token: "Token", top: "Token") -> bool:
    """Whether a verb is the one asked about or stands below it: "failed to develop"."""
    return token.i == top.i or bool(token.dep_ == "xcomp")


def needs(cues: Iterable["Token"]) -> bool:
    """Whether one of the words between two things says that one is needed for the other."""
    return any(lexicon.act_of(token.lemma_) == NEED for token in cues)


def outcome(cues: Sequence["Token"], ill: Sequence["Token"]) -> Sign:
    """Which way it goes with a disease if something is needed for what the cues name: its remission is less of it."""
    return -1 if ill and any(lexicon.base(token.lemma_, lexicon.OUTCOMES) for token in cues) else 0


def as_needed(told: "Reading", asked: "Reading | None") -> "Reading":
    """What a sentence tells, as it bears on what is asked, or where nothing is, as what a claim says.

    To be needed for a thing is to be needed for more of it, unless less is named ("for the fall of B").
    """
    of_need = asked is not None and asked.act == NEED
    if told.without and not of_need and asked is not None and asked.lessened and not told.related:
        return replace(told, sign=_TURNED[told.without], related=True, lessened=True)
    if told.without and told.negated and not _KEPT.isdisjoint(told.cues):
        return replace(told, sign=1, act=NEED) if of_need else told
    if told.without and told.negated:
        return replace(told, sign=told.without, negated=False, related=True, act=NEED)
    if told.without and of_need:
        return replace(told, sign=told.without, negated=True, related=True, act=NEED)
    if told.act != NEED:
        return told
    if asked is not None and not of_need and told.negated:
        return replace(told, related=False)
    return replace(told, sign=told.sign or 1) if asked is None or of_need else told
