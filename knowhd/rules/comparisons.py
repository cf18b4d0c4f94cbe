"""Comparisons in a sentence: "more than zorbafen", "superior to zorbafen", "as effective as zorbafen".

One with placebo, controls or what was before is none: an effect is always one beside its absence.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from groundwork.linking import Mention
from groundwork.polarity import Sign
from knowhd.rules.assertion import meanings
from knowhd.rules.groups import CONTROLS

_LESS = r"less|worse|fewer|weaker|lower|smaller|slower|shorter|rarer"
_ABOUT_THE_THING = frozenset({"higher", "lower", "greater", "smaller", "larger", "fewer", "longer", "shorter"})
_NUMBER = r"\d|half\b|twice\b|a\s+(?:third|quarter)\b|(?:one|two|three|four|five|six|ten|twenty|fifty)\b"
_COMPARED = re.compile(
    rf"""\b(?P<more>more|less|better|worse|[a-z]{{3,}}er)\b(?P<between>(?:\s+[^\s,;]+){{0,8}}?)\s+than\s+(?!{_NUMBER})
    | \bas\s+(?P<as>\w+)(?:\s+[^\s,;]+){{0,6}}?\s+as\s+(?!well\b)
    | \b(?P<equal>non-?inferior|not\s+inferior|equal|equivalent|comparable|similar)\s+to\s+
    | \b(?P<over>superior\s+to|outperform(?:s|ed)|surpass(?:es|ed)|exceed(?:s|ed)|inferior\s+to)\s+(?!{_NUMBER})""",
    re.VERBOSE | re.IGNORECASE,
)
_NO_COMPARISON = re.compile(
    r"(?:rather|other|either|neither|whether|later|sooner|earlier|further|never|ever|under|over)$", re.I
)
_AS_IT_IS = frozenset({"well", "soon", "long", "far", "such", "much"})
_WORD = re.compile(
    r"(?:(?:in|with|of|by|for|did|does|do|is|was|the|a|an|that|those|it|they)\s+)*(?P<word>[\w-]+)", re.I
)
#: Characters behind "than" within which what it is compared with is named.
_NEAR = 40


@dataclass(frozen=True, slots=True)
class Comparison:
    """One comparison.

    Attributes:
        text: Its words.
        start: Where they begin.
        sign: More (+1), less (-1), or as much (0).
        than: What is on the other side: concepts it may mean, or one word in lower case.
        thing: The word tells how much there is of something ("lower"), not how strongly it is acted on ("more").
    """

    text: str
    start: int
    sign: Sign
    than: frozenset[str]
    thing: bool

    def way(self, acted: Sign) -> int:
        """More or less of the thing acted on, where `acted` is the sign of the act."""
        return self.sign if self.thing else self.sign * (acted or 1)


def comparisons(text: str, mentions: Iterable[Mention]) -> tuple[Comparison, ...]:
    """The comparisons of a sentence with anything but controls, in order."""
    return tuple(_comparisons(text, tuple(mentions)))


def _comparisons(text: str, mentions: tuple[Mention, ...]) -> Iterator[Comparison]:
    for found in _COMPARED.finditer(text):
        word = (found["more"] or found["as"] or found["equal"] or found["over"]).lower()
        if _NO_COMPARISON.match(word) or (found["as"] and word in _AS_IT_IS):
            continue
        if CONTROLS.search(text, found.end(), found.end() + _NEAR):
            continue
        than = next((frozenset(meanings(m)) for m in mentions if found.end() <= m.start < found.end() + _NEAR), None)
        other = _WORD.match(text, found.end())
        than = than or frozenset({other["word"].lower()} if other else ())
        told = text[found.start() : found.end()] + (other[0] if other else "")
        less = re.match(rf"{_LESS}|inferior", word) is not None
        sign: Sign = 0 if found["as"] or found["equal"] else -1 if less else 1
        yield Comparison(told.strip(), found.start(), sign, than, word in _ABOUT_THE_THING)
