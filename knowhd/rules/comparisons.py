"""Comparisons in a sentence: "more than zorbafen", "superior to zorbafen", "as good as zorbafen", "equally potent".

One with placebo, controls or what was before is none: an effect is always one beside its absence. What a comparison
leaves possible is a set of orders: "superior" says that the one is before the other (+1), "non-inferior" that it is
before it or level with it (+1, 0), "not superior" that it is level or behind (0, -1).
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from groundwork.cutting import LONGEST
from groundwork.linking import Mention
from groundwork.records import split_key
from knowhd import lexicon
from knowhd.rules.assertion import meanings
from knowhd.rules.groups import CONTROLS

_ALL = frozenset({-1, 0, 1})
_NUMBER = r"\d|half\b|twice\b|a\s+(?:third|quarter)\b|(?:one|two|three|four|five|six|ten|twenty|fifty)\b"
_TIMES = r"(?:twice|thrice|(?:\d+(?:\.\d+)?|two|three|four|five|six|ten|twenty|many|several)(?:\s+times|-?\s?fold))"
_COMPARED = re.compile(
    rf"""\b(?P<more>more|less|better|worse|[a-z]{{3,}}er)\b(?P<between>(?:\s+[^\s,;]+){{0,8}}?)
        \s+(?:than|compared\s+(?:with|to)|versus)\s+(?!{_NUMBER})
    | \b(?:(?P<times>{_TIMES})\s+|(?P<part>half)\s+|(?P<least>at\s+least)\s+)?
        as\s+(?P<as>\w+)(?:\s+[^\s,;]+){{0,6}}?\s+as\s+(?!well\b)
    | \b(?P<atleast>non-?inferior)\s+to\s+
    | \b(?P<equal>equal|equivalent|comparable|similar)\s+to\s+
    | \b(?P<over>superior\s+to|outperform(?:s|ed)?|surpass(?:es|ed)?|exceed(?:s|ed)?)\s+(?!{_NUMBER})
    | \b(?P<under>inferior\s+to)\s+
    | \b(?P<even>equally|similarly|alike|to\s+(?:the\s+same|a\s+similar|an\s+equal)\s+(?:extent|degree)|
        (?:the\s+same|similar|comparable|identical|equal)(?=\s+(?:with|between|in|for|after)\b))(?:\s+(?P<how>\w+))?
    | \b(?P<differ>differ(?:s|ed|ences?|ent)?)\b""",
    re.VERBOSE | re.IGNORECASE,
)
#: The orders that each of its groups leaves possible, the first that was found.
_ORDERS: dict[str, frozenset[int]] = {
    "times": frozenset({1}),
    "part": frozenset({-1}),
    "least": frozenset({0, 1}),
    "as": frozenset({0}),
    "atleast": frozenset({0, 1}),
    "equal": frozenset({0}),
    "over": frozenset({1}),
    "under": frozenset({-1}),
    "even": frozenset({0}),
    "differ": frozenset({-1, 1}),
    "more": frozenset({1}),
}
#: What things are compared by: words of one scale, those at its lower end behind a stroke.
_SCALES = {
    "good": "better effective effectively efficacious superior outperform surpass useful successful / worse inferior",
    "speed": "early fast prompt quick rapid / late slow",
    "strength": "potent powerful strong / weak",
    "safety": "safe / dangerous harmful toxic",
    "length": "long / brief short",
    "amount": "common exceed frequent great high large likely often prevalent / few low rare small",
}
_PLACED: dict[str, tuple[str, int]] = {
    word: (scale, sign)
    for scale, words in _SCALES.items()
    for end, sign in zip(words.split(" / "), (1, -1), strict=False)
    for word in end.split()
}
_NO_COMPARISON = re.compile(
    r"(?:rather|other|either|neither|whether|later|sooner|earlier|further|never|ever|under|over)$", re.I
)
_AS_IT_IS = frozenset({"well", "soon", "long", "far", "such"})
_WORD = re.compile(
    r"(?:(?:in|with|of|by|for|did|does|do|is|was|the|a|an|that|those|it|they)\s+)*(?P<word>[\w-]+)", re.I
)
_DENYING = re.compile(r"\b(?:not(?!\s+(?:only|just|merely)\b)|cannot|never|no|fail(?:s|ed)?\s+to|nor)\b|n['’]t\b", re.I)
_APART = re.compile(r"[;,]|\b(?:but|and|whereas|while|although)\b", re.I)
_CLAUSES = re.compile(r";|\b(?:but|whereas|while|although)\b", re.I)
#: Between two things that are named side by side.
_BESIDE = re.compile(r"\s+(?:and|or|versus|vs\.?)\s+(?:(?:with|in|by|for|after|of|the)\s+){0,2}", re.I)
#: Characters behind "than" within which what it is compared with is named, and before a comparison what denies it.
_NEAR, _DENIED = 40, 120


@dataclass(frozen=True, slots=True)
class Comparison:
    """One comparison.

    Attributes:
        text: Its words.
        start: Where they begin.
        orders: Where the one may stand by it: before the other (+1), level with it (0), behind it (-1).
        one: The concepts that what is compared may mean; empty where it is none of the other's kind.
        than: What is on the other side: concepts it may mean, or one word in lower case.
        by: The scale on which they stand: `good`, `speed` and the like; `amount` of a thing; `act`, how strongly it is
            acted on; or a word.
    """

    text: str
    start: int
    orders: frozenset[int]
    one: frozenset[str]
    than: frozenset[str]
    by: str

    @property
    def of_two(self) -> bool:
        """Whether it names two concepts."""
        return bool(self.one and self.than)


def comparisons(text: str, mentions: Iterable[Mention]) -> tuple[Comparison, ...]:
    """The comparisons of a sentence with anything but controls, in order."""
    return tuple(_comparisons(text, tuple(mentions)))


def turned(orders: frozenset[int], sign: int) -> frozenset[int]:
    """Orders seen from the other end of the scale, or of the pair, where the sign is -1."""
    return frozenset(sign * order for order in orders)


def _comparisons(text: str, mentions: tuple[Mention, ...]) -> Iterator[Comparison]:
    for found in _COMPARED.finditer(text):
        word = (found["more"] or found["as"] or "").lower()
        if _NO_COMPARISON.match(word) or (found["as"] and word in _AS_IT_IS):
            continue
        if CONTROLS.search(text, found.end(), found.end() + _NEAR):
            continue
        kind = next(group for group in _ORDERS if found[group])
        beside = kind in {"even", "differ"}
        one, than, told = _pair(found, mentions) if beside else _sides(found, mentions)
        if beside and not than:
            continue
        by, sign = _scale(found, kind)
        orders = _denied(text, found, turned(_ORDERS[kind], sign))
        yield Comparison(told.strip(), found.start(), orders, one, than, by)


def _sides(found: re.Match[str], mentions: tuple[Mention, ...]) -> tuple[frozenset[str], frozenset[str], str]:
    """What is compared, with what, and the words that say so.

    What is compared is of the other's kind: what stands between "lower" and "than", or else the first of its clause.
    """
    text = found.string
    than = next((m for m in mentions if found.end() <= m.start < found.end() + _NEAR and meanings(m)), None)
    other = _WORD.match(text, found.end())
    told = text[found.start() : found.end()] + (other[0] if other else "")
    if than is None:
        return frozenset(), frozenset({other["word"].lower()} if other else ()), told
    begun = max(0, found.start() - LONGEST)
    begun = max((stop.end() for stop in _CLAUSES.finditer(text, begun, found.start())), default=begun)
    alike = [m for m in mentions if begun <= m.start < found.end() and _kinds(m) & _kinds(than)]
    inside = [m for m in alike if m.start >= found.start()]
    one = inside[-1] if inside else alike[0] if alike else None
    return frozenset(meanings(one)) if one else frozenset(), frozenset(meanings(than)), told


def _pair(found: re.Match[str], mentions: tuple[Mention, ...]) -> tuple[frozenset[str], frozenset[str], str]:
    """The first two things of a kind that are named side by side."""
    for one, other in pairwise(mentions):
        if _kinds(one) & _kinds(other) and _BESIDE.fullmatch(found.string[one.end : other.start]):
            return frozenset(meanings(one)), frozenset(meanings(other)), found[0]
    return frozenset(), frozenset(), ""


def _kinds(mention: Mention) -> set[str]:
    return {split_key(key)[0] for key in meanings(mention)}


def _scale(found: re.Match[str], kind: str) -> tuple[str, int]:
    """What the two are compared by, and which end of it "more" of the comparing word is.

    "Lower B" is less of it, "a greater reduction of B" too; "more potent" goes by strength; "lowers B more" by the act.
    """
    if kind in {"equal", "atleast", "over", "under"}:
        return _placed(found[0].split()[0]) if kind == "over" else ("good", 1)
    if kind in {"even", "differ"}:
        by, sign = _placed(found["how"] or "")
        return by if by in _SCALES else "amount", sign
    word = (found["more"] or found["as"]).lower()
    if word in {"much", "many", "more", "less"}:
        behind = (found["between"] or "").split()
        by, sign = _placed(behind[0]) if behind else ("act", 1)
        return by, -sign if word == "less" else sign
    by, sign = _placed(word)
    acted = lexicon.sign_of((found["between"] or " ").split(" ")[1]) if by == "amount" and found["between"] else 0
    return by, -sign if acted < 0 else sign


def _placed(word: str) -> tuple[str, int]:
    """The scale of a word in any form, and its end of it."""
    word = word.lower()
    for ending, instead in (("", ""), ("er", ""), ("r", ""), ("ier", "y"), ("ly", ""), ("s", ""), ("ed", "")):
        stem = word.removesuffix(ending) + instead
        if word.endswith(ending) and stem in _PLACED:
            return _PLACED[stem]
    return word or "act", 1


def _denied(text: str, found: re.Match[str], orders: frozenset[int]) -> frozenset[int]:
    """The orders that a comparison leaves possible where its clause may deny it; "not as good as" says less good."""
    begun = max(0, found.start() - _DENIED)
    begun = max((stop.end() for stop in _APART.finditer(text, begun, found.start())), default=begun)
    if len(_DENYING.findall(text, begun, found.start())) % 2 == 0:
        return orders
    return _ALL - orders if orders != {0} or not found["as"] else frozenset({-1})
