"""The sign that the cues between two things come to: more, less, or no direction."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from groundwork.polarity import Sign
from knowhd import lexicon

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_PATIENTS = frozenset({"dobj", "nsubjpass"})
_NOUNS = frozenset({"NOUN", "PROPN"})
#: Right before a thing they say that it is not spoken of, or comes with what is; so many words may make them up.
_UNLIKE = re.compile(
    r"(?:\b(?:unlike|rather than|instead of|other than|except(?: for)?|apart from|in contrast to)"
    r"(?: (?:the|with|by|in|that of))?|, (?:and |but )?not (?:(?:high|low)(?:er)?|more|less|fewer|elevated|reduced)|"
    r"\bat the (?:cost|expense|price) of(?: \w+)?)$",
    re.I,
)
_BEFORE = 5
#: They raise or lower with "more" or "less" before them.
_FREQUENT = frozenset({"abundant", "common", "frequent", "likely", "prevalent"})
_COMPARING: dict[str, Sign] = {"more": 1, "less": -1}
#: Verbs alone: "double-blind" and "triple-negative" raise nothing.
_MULTIPLYING: dict[str, Sign] = {"double": 1, "triple": 1, "quadruple": 1, "halve": -1}


def sign_of_cues(
    cues: Sequence["Token"], ill: Sequence["Token"], well: Sequence["Token"]
) -> tuple[Sign, list["Token"]]:
    """The product of the strong cues; without any, a remedy or a risk; and the tokens it came from.

    "Better" is less of a disease and more of anything else. Which of the two is meant is whichever the cue acts on:
    insulin in "insulin secretion is impaired in diabetes", diabetes in "insulin improves diabetes".

    Args:
        cues: The words between the two things.
        ill: Those of the two of which less is better.
        well: The others.
    """
    strong = [t for t in cues if own_sign(t)]
    mending = [t for t in cues if lexicon.base(t.lemma_, lexicon.BETTERING) or t.lower_ == "better"]
    mending += [t for t in cues if lexicon.base(t.lemma_, lexicon.DELAYING) and _of_the_ill(t, ill, well)]
    harming = [t for t in cues if lexicon.base(t.lemma_, lexicon.WORSENING)]
    removing = [t for t in cues if lexicon.base(t.lemma_, lexicon.REMOVING) and _holds(t, well)]
    if strong:  # "better than placebo at preventing B" says how well it is done
        mending = [t for t in mending if not any(child.lower_ == "than" for child in t.children)]
    if strong and (given := _given_for(strong, [*ill, *well])):
        return (-1 if own_sign(strong[0]) > 0 else 1), [*strong, given]
    treating = [t for t in cues if ill and t.pos_ == "VERB" and lexicon.base(t.lemma_, lexicon.REMEDYING)]
    by_it = [t for t in treating if any(each in strong and each.pos_ in _NOUNS for each in _doers(t))]
    sign: int = (-1) ** (len(removing) + len(by_it))  # "A inhibitors treat B"
    for token in strong:
        sign *= own_sign(token)
    if mending or harming:
        turns = [t for t in mending if _of_the_ill(t, ill, well) or _of_less(t)]
        turns += [t for t in harming if not (_of_the_ill(t, ill, well) or _of_less(t))]
        sign *= (-1) ** len(turns)
    elif strong and any(_outcome_of_the_ill(t, ill, well) or (ill and _is_till(t, cues)) for t in cues):
        sign = -sign
    if not mending and not harming and not removing and (counting := _counting(cues, strong, [*ill, *well])):
        return (1 if sign * counting[0] > 0 else -1), [*strong, *counting[1]]
    if strong or mending or harming or removing:
        return (1 if sign > 0 else -1), [*strong, *mending, *harming, *removing, *by_it]
    remedies = [t for t in cues if lexicon.base(t.lemma_, lexicon.REMEDYING)]
    risks = [t for t in cues if lexicon.base(t.lemma_, lexicon.RISKING)]
    if risks and all(t.pos_ in _NOUNS for t in remedies):
        return 1, risks  # "A therapy carries a risk of B"
    if remedies and (ill or any(t.pos_ == "VERB" for t in remedies)):
        return -1, remedies
    return 0, []


def direction(cues: Sequence["Token"]) -> tuple[Sign, list["Token"]]:
    """Which way a relation between two goes, and the words that say so: "A and B are inversely correlated"."""
    directing = [t for t in cues if t.lower_ in lexicon.DIRECTING]
    turns = sum(lexicon.DIRECTING[t.lower_] < 0 for t in directing)
    return (0 if not directing else -1 if turns % 2 else 1), directing


def own_sign(token: "Token") -> Sign:
    """A token's own sign: by its lemma, or by the word itself where the lemma hides it ("lowers" read as a noun)."""
    towards = lexicon.DIRECTING.get(token.lemma_.lower(), 0)
    if towards and lexicon.base(token.head.lemma_, lexicon.RELATING):
        return towards
    if token.lower_ in _FREQUENT:
        return next((_COMPARING[c.lower_] for c in token.children if c.lower_ in _COMPARING), 0)
    multiplied = _MULTIPLYING.get(token.lemma_.lower(), 0) if token.pos_ == "VERB" else 0
    return multiplied or lexicon.sign_of(token.lemma_) or lexicon.sign_of(token.text)


def _counting(
    cues: Sequence["Token"], strong: Sequence["Token"], ends: Sequence["Token"]
) -> tuple[Sign, list["Token"]] | None:
    """What words before the two things make of how much of them there is: "causes fewer Bs", "less A, fewer Bs".

    Signs multiply, of either thing. But "prevents fewer Bs" says how well it prevents, and is still less B.

    Args:
        cues: The words between the two things.
        strong: Those of them with a sign of their own.
        ends: The two things.
    """
    counting = [t for t in cues if t.lower_ in lexicon.COUNTING and _stands_before(t, ends)]
    lowering = [t for t in strong if own_sign(t) < 0 and not _stands_before(t, ends)]
    if not counting or lowering:
        return None
    fewer = sum(lexicon.COUNTING[t.lower_] < 0 for t in counting)
    return (-1 if fewer % 2 else 1), counting


def _stands_before(token: "Token", ends: Sequence["Token"]) -> bool:
    """Whether a word describes one of the two things, right before it wherever the parser hangs it."""
    described = token.head in ends and token.i < token.head.i and token.dep_ in {"amod", "compound", "nmod"}
    return described or (token.tag_ == "JJR" and token.i + 1 < token.sent.end and token.nbor(1) in ends)


def _doers(verb: "Token") -> list["Token"]:
    """Who does what a verb says: its subject, or in the passive what stands behind "by"."""
    behind = [c for token in verb.children if token.dep_ == "agent" for c in token.children if c.dep_ == "pobj"]
    return [*(c for c in verb.children if c.dep_ == "nsubj"), *behind]


def _given_for(strong: Sequence["Token"], ends: Sequence["Token"]) -> "Token | None":
    """The verb by which one thing is given for more or less of the other: "increased A was treated with B"."""
    for end in ends:
        alone = all(token.head == end and token.i < end.i for token in strong)
        if alone and end.dep_ in _PATIENTS and end.head.lemma_.lower() == "treat":
            return end.head
    return None


def absences(place: "Span") -> int:
    """How often the words around a place say that what is there is absent: "A-free", "anti-A", "withdrawal of A"."""
    doc, before, after = place.doc, place.start - 1, place.end
    over = place.root.head
    over = over.head if over.dep_ == "prep" and over.lower_ in {"of", "from"} else over
    beside = {token.i: token for token in (over, doc[max(before, 0)]) if token not in place}
    found = sum(lexicon.base(token.lemma_, lexicon.ABSENT) is not None for token in beside.values())
    if after + 1 < len(doc) and doc[after].text == "-" and doc[after + 1].lower_ in lexicon.FREE:
        found += 1
    if before >= 1 and doc[before].text == "-" and doc[before - 1].lower_ == "anti":
        found += 1
    return found


def acted_by_less(way: Sequence["Token"], top: "Token", leads: Sign, signed: Sequence["Token"]) -> bool:
    """Whether it is less of one of two things that acts on the other: "deficiency of A causes B", "A inhibitors".

    Args:
        way: The way between the two, by the word where it turns.
        top: That word.
        leads: +1 where the first acts on the second, -1 the other way round.
        signed: The cues that were read.
    """
    at = way.index(top) - leads
    if not leads or not 0 <= at < len(way):
        return False
    below = {token.i for token in way[at].subtree}
    return sum(own_sign(token) < 0 for token in signed if token.i in below and token.pos_ in _NOUNS | {"ADJ"}) % 2 == 1


def set_against(token: "Token") -> bool:
    """Whether a "not" only sets more of a thing against less of it: "high A, not low A, causes B"."""
    if token.lower_ != "not" or not 0 < token.i < len(token.doc) - 1:
        return False
    return token.nbor(-1).lower_ in {",", "and", "but"} and token.nbor(1).pos_ == "ADJ" and own_sign(token.nbor(1)) != 0


def set_apart(place: "Span") -> bool:
    """Whether a place says only who is spoken of, or who is not: "A-resistant cells", "unlike A", "rather than A"."""
    doc, after = place.doc, place.end
    if _UNLIKE.search(doc[max(place.sent.start, place.start - _BEFORE) : place.start].text):
        return True
    return after + 1 < len(doc) and doc[after].text == "-" and doc[after + 1].lower_ in lexicon.APART


def _of_the_ill(token: "Token", ill: Sequence["Token"], well: Sequence["Token"]) -> bool:
    """Whether a cue of better or worse speaks of a disease: of one of the two, unless it acts on the other."""
    return bool(ill) and not any(_holds(patient, well) and not _holds(patient, ill) for patient in _patients(token))


def _of_less(token: "Token") -> bool:
    """Whether a cue of better or worse speaks of less of something: "worsens bone loss" is less bone."""
    return any(own_sign(patient) < 0 for patient in _patients(token))


def _outcome_of_the_ill(token: "Token", ill: Sequence["Token"], well: Sequence["Token"]) -> bool:
    """Whether a cue is a good outcome of a disease, "survival in sepsis", rather than the other thing's own."""
    outcome = lexicon.base(token.lemma_, lexicon.OUTCOMES) is not None
    return outcome and bool(ill) and not (_holds(token, well) and not _holds(token, ill))


def _is_till(token: "Token", cues: Sequence["Token"]) -> bool:
    """Whether a cue is the "to" or "until" behind how long it is till something: "prolonged the time to B"."""
    before = token.nbor(-1) if token.lower_ in {"to", "until"} and token.i > 0 else token
    changed = before in cues or before.head in cues
    return changed and before is not token and lexicon.base(before.lemma_, lexicon.UNTIL) is not None


def _patients(token: "Token") -> list["Token"]:
    """What a word acts on: a verb's object, the noun that an adjective stands before, what a noun is "of"."""
    follows = token.nbor(1) if token.i + 1 < token.sent.end else token
    if token.pos_ != "VERB" and token.lower_.endswith("s") and follows.pos_ in _NOUNS:
        return [follows]  # a verb that the parser took for something else: "diabetes impairs insulin secretion"
    if token.dep_ in {"amod", "compound"} and token.head.pos_ in _NOUNS:
        return [token.head]
    if token.dep_ == "acomp" or (token.pos_ == "ADJ" and token.dep_ == "ROOT"):
        over = token.head if token.dep_ == "acomp" else token
        # "A is better in B" says how A is; "A is harmful in B" what it does.
        return [c for c in over.children if c.dep_ == "nsubj"] if token.lower_.endswith("ed") else []
    if token.pos_ in _NOUNS:
        return [c for p in token.children if p.dep_ == "prep" and p.lower_ == "of" for c in p.children] + [
            c for c in token.children if c.dep_ == "compound"
        ]
    return [c for c in token.children if c.dep_ in _PATIENTS]


def _holds(token: "Token", ends: Sequence["Token"]) -> bool:
    """Whether one of the two things is a token or stands below it."""
    return any(end == token or token.is_ancestor(end) for end in ends)
