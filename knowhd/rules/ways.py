"""The way between two words in a dependency parse: where it turns, and which end of it acts on the other."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from groundwork.polarity import Sign
from knowhd import lexicon

if TYPE_CHECKING:
    from spacy.tokens import Token

#: The tokens of a way, and the one where it turns.
Way = tuple[Sequence["Token"], "Token"]

#: The act of giving more or less of a thing: what is done to the dose of a thing is not done to the thing.
GIVEN = "given"

#: How clearly one end acts on the other: a verb names both, and `causes` is one that says who did it, unlike
#: "increases", which is said of what goes together as well.
Agency = Literal["none", "acts", "causes"]

#: How what hangs from a verb takes part in what it says: doing, or having done to it.
_ACTING = {"nsubj": 1, "csubj": 1, "agent": 1, "dobj": -1, "nsubjpass": -1}
_DOING = lexicon.CAUSING | lexicon.DOERS
_ACTED_ON = frozenset({"dobj", "nsubjpass"})
_GIVING = lexicon.words("administration consumption dosage dose dosing intake need prescription requirement usage use")
#: What "A resulted from B" came from did more than its subject.
_SOURCE = 2


def way_between(a: "Token", b: "Token") -> tuple[list["Token"], "Token"]:
    """The tokens from a up to where the two meet and down to b, and the meeting token; nothing if they never meet."""
    up, down = [a, *a.ancestors], [b, *b.ancestors]
    below = {token.i for token in down}
    meeting = next((token for token in up if token.i in below), None)
    if meeting is None:
        return [], a
    rising = up[: up.index(meeting) + 1]
    falling = down[: down.index(meeting)]
    return [*rising, *reversed(falling)], meeting


def leading(way: Sequence["Token"], top: "Token") -> Sign:
    """Which end of a way acts on the other: the subject of the verb where it turns, or in the passive its agent."""
    left, right = _parts(way, top)
    return 1 if left > right else -1 if left < right else 0


def agency(way: Sequence["Token"], top: "Token") -> Agency:
    """How clearly one end of a way acts on the other."""
    left, right = _parts(way, top)
    if left * right >= 0 and _SOURCE not in (left, right):
        return "none"
    at = way.index(top)
    around = way[max(at - 1, 0) : at + 2]
    return "causes" if any(lexicon.base(token.lemma_, _DOING) for token in around) else "acts"


def _parts(way: Sequence["Token"], top: "Token") -> tuple[int, int]:
    """What both ends do in what the verb says where a way turns: 0 for neither doing nor having done to it."""
    at = way.index(top)
    if not 0 < at < len(way) - 1:
        done = [token for token in way[max(at - 1, 0) : at + 2] if token != top and _done_to(token)]
        return (0, 0) if not done else (-1, 1) if at == 0 else (1, -1)
    return _part(way[at - 1], top), _part(way[at + 1], top)


def _done_to(token: "Token") -> bool:
    """Whether a word tells what was done to the noun that it stands before: "A-induced B"."""
    return (
        token.dep_ == "amod" and token.lower_.endswith("ed") and lexicon.base(token.lower_, lexicon.CAUSING) is not None
    )


def _part(token: "Token", verb: "Token") -> int:
    if token.dep_ == "attr":  # "A is a cause of B", but not "the result of B"
        return -1 if token.lemma_.lower() in lexicon.DOERS else 0
    if token.dep_ != "prep":
        return _ACTING.get(token.dep_, 0)
    onto, source = lexicon.LEADING_TO.get(verb.lemma_.lower(), ("", ""))
    return -1 if token.lower_ == onto else _SOURCE if token.lower_ == source else 0


def only_the_stage(way: Sequence["Token"], top: "Token") -> bool:
    """Whether one end is where, when or to whom a third thing acts on the other: "in cells given A, C lowered B"."""
    at = way.index(top)
    if not 0 < at < len(way) - 1 or top.pos_ != "VERB":
        return False
    ends = {token.dep_ for token in (way[at - 1], way[at + 1])}
    staged = any(t.dep_ == "prep" and t.lower_ in lexicon.STAGING | lexicon.BESIDE for t in (way[at - 1], way[at + 1]))
    acting = [c for c in top.children if c.dep_ == "nsubj"]
    acting += [c for by in top.children if by.dep_ == "agent" for c in by.children]
    named = [c for c in acting if c not in way and c.pos_ in {"NOUN", "PROPN"} and c.lemma_ not in lexicon.VAGUE]
    return staged and not ends.isdisjoint(_ACTED_ON) and bool(named)


def given_more(way: Sequence["Token"], top: "Token") -> bool:
    """Whether it is the giving of one end that there is more or less of: "the dose of A had to be lowered with B"."""
    return any(
        lexicon.base(token.lower_, _GIVING) and token not in (way[0], way[-1]) and _made_more_or_less(token)
        for token in way
        if token != top
    )


def _made_more_or_less(noun: "Token") -> bool:
    """Whether a verb says that there is more or less of what a noun names, acting on it or alone: "the dose fell"."""
    verbs = [noun.head] if noun.dep_ in _ACTED_ON else []
    if noun.dep_ == "nsubj" and not any(child.dep_ == "dobj" for child in noun.head.children):
        passive = [c for c in noun.head.children if c.dep_ == "xcomp" and any(g.dep_ == "auxpass" for g in c.children)]
        verbs = [noun.head, *passive]
    return any(lexicon.sign_of(verb.lemma_) for verb in verbs)


def abreast(way: Sequence["Token"], top: "Token") -> bool:
    """Whether the two are members, or parts of members, of one coordination of nouns: "levels of A and of B"."""
    if all(token.dep_ == "conj" or token == top for token in way):
        return True
    at = way.index(top)
    joined = at + 1 < len(way) and way[at + 1].dep_ == "conj" and top.pos_ in {"NOUN", "PROPN"}
    return joined and (at == 0 or way[at - 1].dep_ in {"prep", "compound", "nmod", "appos"})
