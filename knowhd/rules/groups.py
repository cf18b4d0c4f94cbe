"""Which clause and which group of a study two places of a sentence stand in.

What a sentence says of controls it says of those who were not given the thing: "B was higher in controls than in users
of A" is less B with A. And of two clauses that are set against each other, each speaks of its own subject alone.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from groundwork.polarity import Sign
from knowhd import lexicon
from knowhd.claims.grammar.coordination import SUBJECTS

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

#: Offsets of the first character of a thing and after its last, for each time that it is named.
Places = Collection[tuple[int, int]]

#: Those who were given nothing, or something that does nothing.
UNTREATED = (
    r"(?:placebos?|controls?|vehicle|sham|saline|un(?:treated|exposed|vaccinated)|no\s+treatment|healthy|"
    r"non-?(?:users?|carriers?|exposed))"
)
#: Beside whom any effect is measured.
CONTROLS = re.compile(
    rf"\b(?:{UNTREATED}|baseline|before|normal|wild[- ]?type|no\s+(?:therapy|drug)|expected|those\s+without)\b", re.I
)
_THAN = re.compile(r"\b(?:than|compared\s+(?:with|to)|versus|vs\.?|relative\s+to)\s", re.I)
#: They say of one thing that it is the same with another as without.
_LEVEL = re.compile(
    r"\b(?:the\s+same|similar|identical|comparable|equal|equivalent|(?:similarly|equally)\s+[a-z]{3,15}|"
    r"(?<!not\s)as\s+(?:often|frequent(?:ly)?|common(?:ly)?|high|low|likely|many|much|prevalent|long|fast)|"
    r"no\s+(?:more|less)\s+[a-z]{3,15}|(?:not|n['’]t)\s+(?:[a-z]{1,15}ly\s+)?differ(?:ent)?(?:\s+[a-z]{1,15}ly)?)"
    r"\s+(?=(?:with|in|to|between|among|for|after|under|from)\b)"
    rf"[^;,]{{0,80}}?{CONTROLS.pattern}",
    re.I,
)
_CLAUSES = re.compile(r";|\b(?:but|whereas|while|although|though)\b", re.I)
_SET_AGAINST = frozenset({"whereas", "while", "but", "although", "though"})
_JOINED = frozenset({"advcl", "conj", "ccomp", "parataxis"})
_AMOUNT = re.compile(r"\b(?:higher|lower|greater|smaller|larger|fewer|longer|shorter)\b", re.I)
#: To have, take or be given something: who does belongs to the group of those with it.
HAVING = lexicon.words("take receive use give treat have administer inject expose carry feed on")
#: Those whom a study is of.
PEOPLE = re.compile(
    r"(?:adult|animal|carrier|case|cell|child|group|individual|man|men|mouse|mice|participant|patient|people|person|rat|"
    r"subject|those|user|volunteer|woman|women|arm|cohort)s?\b",
    re.I,
)


def contrast(a: "Span", b: "Span") -> Sign | None:
    """What a comparison of groups makes of the sign read between two places, one of which stands behind "than".

    Returns:
        +1 where there is none or it is beside controls, -1 where it is the controls of whom more or less is said, None
        where it is beside something else: that says nothing of what either does alone.
    """
    first, last = sorted((a, b), key=lambda place: place.start)
    text, at = first.doc.text, first.sent.start_char
    than = _THAN.search(text, first.end_char, last.start_char)
    if than is None:
        return 1
    if CONTROLS.search(text, at, than.start()):
        return -1
    return None if _AMOUNT.search(text, at, than.start()) and than[0].lower().startswith("than") else 1


def level(text: str, a: Places, b: Places) -> bool:
    """Whether one clause says of one of two things that it was the same with the other as with controls.

    Args:
        text: A sentence.
        a: Where the one stands in it.
        b: Where the other does.
    """
    stops = [stop.span() for stop in _CLAUSES.finditer(text)]
    for found in _LEVEL.finditer(text):
        before = bisect_right(stops, (found.start(),)) - 1
        behind = bisect_left(stops, (found.end(),))
        start = stops[before][1] if before >= 0 else 0
        end = stops[behind][0] if behind < len(stops) else len(text)
        inside = [[place for place in places if start <= place[0] and place[1] <= end] for places in (a, b)]
        if all(inside) and any(place[1] <= found.start() for places in inside for place in places):
            return True
    return False


def across(way: Sequence["Token"], top: "Token") -> tuple[Sequence["Token"], "Token"] | None:
    """A way between two places, and where it turns, as it leads across clauses that are set against each other.

    Returns:
        The way as it is where it crosses none; the way through the second clause alone where that names the other
        place by "it" ("A raised B, whereas C lowered it"); None where each clause speaks of its own subject.
    """
    inside = {token.i for token in way}
    for token in way:
        if token.dep_ in _JOINED and token.head.i in inside and token.pos_ in {"VERB", "AUX"} and _own_subject(token):
            stands = any(child.dep_ == "dobj" and child.lower_ in {"it", "them"} for child in token.children)
            other = way[-1] if token.is_ancestor(way[0]) else way[0]
            if stands and token.head == top and other.head == top and other.dep_ in {"dobj", "nsubjpass"}:
                return [each for each in way if each != top], token
            if any(child.lower_ in _SET_AGAINST for child in (*token.children, *token.head.children)):
                return None
    return way, top


def _own_subject(clause: "Token") -> bool:
    return any(child.dep_ in SUBJECTS for child in clause.children)


def describes_a_group(token: "Token") -> bool:
    """Whether a clause only says who is spoken of: "patients treated with A", "mice that received A"."""
    having = lexicon.base(token.lemma_, HAVING) is not None
    return having and token.dep_ in {"acl", "relcl"} and PEOPLE.fullmatch(token.head.text) is not None
