"""Words that are said instead of words that only point."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from knowhd.claims.grammar.shown import capital

#: What joins the members of a list.
_JOINT = re.compile(r",? and |, ")


@dataclass(frozen=True, slots=True)
class Instead:
    """What is said instead of a part of a sentence.

    Attributes:
        start: Where the part begins; equal to `end` where nothing is left out.
        end: Where it ends.
        words: What is said there.
        names: What was named before and is brought in.
    """

    start: int
    end: int
    words: str
    names: tuple[str, ...]


def said(text: str, changes: Iterable[Instead]) -> tuple[str, tuple[str, ...]]:
    """A sentence with what is said instead, and the names that this brings in; of two that overlap the first holds."""
    brought: list[str] = []
    kept: list[Instead] = []
    for change in changes:
        if all(change.start >= other.end or change.end <= other.start for other in kept):
            kept.append(change)
    for change in sorted(kept, key=lambda each: each.start, reverse=True):
        text = f"{text[: change.start]}{change.words}{text[change.end :]}"
        brought += change.names
    return (capital(text) if kept else text), tuple(brought)


def pieces(words: str) -> tuple[str, ...]:
    """What several things are called that are joined, each by itself."""
    return tuple(_JOINT.split(words))


def inside(words: str, kind: str) -> str:
    """What a sentence begins with, as it stands inside another: a drug's name and a plain word have a small letter.

    Args:
        words: What is named.
        kind: The type of the concept that it is; empty for plain words.
    """
    single = re.fullmatch(r"[A-Z][a-z]+", words)
    plain = re.match(r"[A-Z][a-z]*\b(?!['’-])", words)
    return (
        words[0].lower() + words[1:] if (plain if kind in {"", "Chemical"} else single and kind == "Disease") else words
    )
