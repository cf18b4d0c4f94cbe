"""Figures of both groups of a study: "61 % with A and 28 % with placebo", "18.1 in patients and 26.4 in controls".

Which way a thing goes with another follows from the two figures and from what is measured: more of a response is less
of the disease. One group has to have the thing, and the other to be controls; two that were both given something are
compared with each other, which says nothing of what either does.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from groundwork.cutting import LONGEST
from groundwork.language import parse
from groundwork.polarity import Sign
from knowhd import lexicon
from knowhd.rules.groups import CONTROLS, Places

_NUMBER = r"(?:\d{1,6}(?:\.\d{1,4})?|\.\d{1,4})"
_SPREAD = r"(?: ?(?:±|\+/-) ?\d{1,6}(?:\.\d{1,4})?)?"
_WORD = r"[^\W\d][\w/%]{0,14}"
#: A figure with its unit, and behind it the word before a group.
_FIGURE = re.compile(
    rf"(?<![\w.-])(?P<value>{_NUMBER}){_SPREAD}(?P<unit>(?: ?%)?(?: {_WORD}){{0,3}}?)"
    r" (?P<how>in|with|on|for|among|after|under|without|given|receiving|taking|(?<=%\s)of)\s",
    re.I,
)
#: Between the two, at the end of the first group.
_JOINED = re.compile(
    r",? (?:and|versus|vs\.?|v|(?:as )?compared (?:with|to)|against|but|whereas|while)"
    r"(?: (?:was|were|by|in|it|only|at|about)){0,2}$",
    re.I,
)
#: Characters of a group at most.
_FARTHEST = 90
_ENDS = re.compile(r"[;,()]|\.(?:\s|$)|\b(?:and|but|whereas|while)\b")
_CLAUSE = re.compile(r";|:\s|\b(?:but|whereas|while|although)\b", re.I)
#: How many had it says nothing without how many there were in all.
_COUNTED = re.compile(
    r"^ (?:\w+ )?(?:participants|patients|people|women|men|subjects|cases|events|deaths|children|individuals)\b", re.I
)
_WITHOUT = re.compile(r"^without\b|\b(?:alone|unexposed|non-?carriers?)\b", re.I)
#: When or in whom it was measured, said in front.
_IN_FRONT = re.compile(r"^\s*(?:in|at|after|among|within|by|during|over|with|on)\s[^,]{1,120},\s", re.I)
#: What follows is not measured; it is where or when that was.
_STAGE = re.compile(r"\b(?:in|among|during|with|after|under|on)\s\w", re.I)
_DENYING = re.compile(r"\b(?:no|not|neither|nor|without)\b", re.I)
#: The later it comes, and the more respond, the less of a disease.
_LATER = re.compile(r"\b(?:time|latency|interval)s? (?:to|until|before)\b|\w-free\b", re.I)
_RESPONDING = re.compile(r"\brespon(?:se|der)s?\b", re.I)
#: What comes of a disease, whatever else is not said.
_TOLL = lexicon.words("death fatality mortality progression recurrence relapse")


class Arms(NamedTuple):
    """Two groups of a study with a figure each; places are those of the sentence's characters.

    Attributes:
        measured: The words that may tell what is measured.
        first: The first group, from the word before it on.
        second: The second.
        rises: The first figure is the higher (+1) or the lower (-1), or they are the same (0).
    """

    measured: tuple[int, int]
    first: tuple[int, int]
    second: tuple[int, int]
    rises: Sign


def by_figures(text: str, group: Places, measured: Places, *, ill: bool) -> Sign:
    """Which way a thing goes in those who have another, by the figures of both groups; 0 where they do not tell.

    Args:
        text: The sentence.
        group: Where it names what one group has.
        measured: Where it names the other, which is measured, or is the disease in which something is.
        ill: Whether that is a disease, so that more of a good outcome is less of it.
    """
    signs = {_sign(text, arms, group, measured, ill=ill) for arms in _arms(text)} - {0}
    return signs.pop() if len(signs) == 1 else 0


def _arms(text: str) -> Iterator[Arms]:
    for one, other in pairwise(_FIGURE.finditer(text)):
        joined = _JOINED.search(text[one.end() - 1 : other.start()].rstrip())
        counted = _COUNTED.match(one["unit"]) or _COUNTED.match(other["unit"])
        if joined is None or counted or other.start() - one.end() > _FARTHEST:
            continue
        stop = _ENDS.search(text, other.end(), other.end() + _FARTHEST)
        begun = max(0, one.start() - LONGEST)
        begun = max((each.end() for each in _CLAUSE.finditer(text, begun, one.start())), default=begun)
        a, b = float(one["value"]), float(other["value"])
        yield Arms(
            (begun, one.start()),
            (one.start("how"), one.end() - 1 + joined.start()),
            (other.start("how"), stop.start() if stop else min(len(text), other.end() + _FARTHEST)),
            1 if a > b else -1 if a < b else 0,
        )


def _sign(text: str, arms: Arms, group: Places, measured: Places, *, ill: bool) -> Sign:
    spans = (arms.first, arms.second)
    having = [any(begun <= start and end <= stop for start, end in group) for begun, stop in spans]
    controls = [_are_controls(text[slice(*span)]) for span in spans]
    if sum(controls) != 1 or not having[controls.index(False)] or _DENYING.search(text, *arms.measured):
        return 0
    sign = _of_measure(text, arms.measured, measured, ill=ill) * arms.rises * (1 if controls[1] else -1)
    return 1 if sign > 0 else -1 if sign < 0 else 0


def _are_controls(group: str) -> bool:
    return bool(CONTROLS.search(group) or _WITHOUT.search(group))


def _of_measure(text: str, clause: tuple[int, int], measured: Places, *, ill: bool) -> Sign:
    """Whether more of what is measured is more (+1) or less (-1) of a thing, or says nothing of it (0)."""
    front = _IN_FRONT.match(text[slice(*clause)])
    begun = clause[0] + (front.end() if front else 0)
    inside = [place for place in measured if begun <= place[0] and place[1] <= clause[1]]
    changed = _change(text, (begun, clause[1]), inside)
    stage = _STAGE.search(text, begun, clause[1])
    named = any(stage is None or start < stage.start() for start, _ in inside)
    said = text[begun : stage.start() if stage else clause[1]]
    later = _LATER.search(said) is not None
    if not ill:
        return changed if named and not later else 0
    heads = re.findall(r"\w+", said)
    if later or _RESPONDING.search(said) or any(lexicon.base(word, lexicon.OUTCOMES) for word in heads):
        return -changed if any(start >= clause[0] for start, _ in measured) else 0
    taking = any(lexicon.base(word, _TOLL) for word in heads)
    course = taking or any(lexicon.base(word, lexicon.COURSE) for word in heads)
    return changed if named or taking or (course and inside) else 0


def _change(text: str, span: tuple[int, int], names: Places) -> Sign:
    """Whether the figures of a stretch tell by how much something became less (-1), names apart, or not (1)."""
    said = [t for t in parse(text) if span[0] <= t.idx < span[1] and t.pos_ in {"NOUN", "VERB"}]
    plain = [t for t in said if not any(start <= t.idx < end for start, end in names)]
    return -1 if sum(lexicon.sign_of(token.lemma_) < 0 for token in plain) % 2 else 1
