"""Words that widen what a sentence says: "regardless of sex", "with or without zorbafen", "even in the absence of it".

What is claimed of every case of a thing is claimed of each; what is claimed even of one case is claimed of the others
as well, which it takes for granted. And words that narrow it to the contrary: "only in women", "in women but not men".
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from knowhd.claims.conditions import DENYING, conditions

#: `any`: whatever the case may be; `even`: in that case too.
Reach = Literal["any", "even"]

_UP_TO = r"[^,;()]+"
_IN = r"in|at|for|among|with"
_ANY = re.compile(
    rf"""\b(?:(?:regardless|irrespective(?:ly)?)\s+of|(?<!is\s)(?<!was\s)(?<!are\s)independent(?:ly)?\s+of|no\s+matter\s+\w+
        |whatever|whether\s+or\s+not|with\s+(?:or|and)\s+without|across|(?:of|{_IN})\s+(?:all|every|each|any|both)
        |both\s+(?:{_IN}))\s(?P<what>{_UP_TO})
    | \bwhether\s(?P<either>[^,;()]{{1,80}}?)\sor\snot\b""",
    re.VERBOSE | re.IGNORECASE,
)
_EVEN = re.compile(
    r"\beven\s(?P<what>(?:if|when|where|though|in|with|without|after|before|during|among|under|at|for|on)\s[^,;()]+)",
    re.I,
)
_EXCEPT = re.compile(rf"\b(?:but|and|though)\s+not\s(?P<what>(?:{_IN}|during|when|if|after|under)\s{_UP_TO})", re.I)
#: Conditions that leave nothing beside them.
_NOTHING_ELSE = re.compile(r"unless|provid|(?:as|so) long as|only|solely|exclusively|except", re.I)


@dataclass(frozen=True, slots=True)
class Widening:
    """One widening of what a sentence says.

    Attributes:
        text: Its words.
        start: Where in the sentence that begins of which it speaks.
        end: After its last character.
        reach: How it widens.
        denied: It speaks of what is not so.
    """

    text: str
    start: int
    end: int
    reach: Reach
    denied: bool

    @property
    def of_two(self) -> bool:
        """Whether it names all that it speaks of: "in both men and women"."""
        return "both" in self.text.lower().split()


@dataclass(frozen=True, slots=True)
class Narrowing:
    """Where alone a sentence says that something holds; offsets are those of its characters, `denied` as above."""

    start: int
    end: int
    denied: bool


def widenings(text: str) -> tuple[Widening, ...]:
    """The widenings of a sentence, in order."""
    return tuple(sorted(_widenings(text), key=lambda each: each.start))


def narrowings(text: str) -> Iterator[Narrowing]:
    """Where alone a sentence says that something holds, and where it says that it does not."""
    for each in conditions(text):
        if each.only or _NOTHING_ELSE.match(each.joint):
            yield Narrowing(each.start, each.end, each.denied)
    for found in _EXCEPT.finditer(text):
        yield Narrowing(*found.span("what"), not _denied(found["what"]))


def _widenings(text: str) -> Iterator[Widening]:
    for found in _ANY.finditer(text):
        yield Widening(found[0], *found.span("what" if found["what"] else "either"), "any", denied=False)
    for found in _EVEN.finditer(text):
        yield Widening(found[0], *found.span("what"), "even", _denied(found["what"]))


def _denied(words: str) -> bool:
    return len(DENYING.findall(words)) % 2 == 1
