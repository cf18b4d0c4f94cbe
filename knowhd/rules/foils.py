"""What a sentence names only to say the other: "far from lowering B, A raised it", "contrary to the view that ...".

A foil is denied by what stands behind it. Where that takes the foil's thing up by a pronoun, it says itself which way
it goes; where it speaks of something else, the foil says no more than that this is not so.
"""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Span

_FOIL = re.compile(
    r"(?:^|[;:]\s)\W*(?:far\s+from|rather\s+than|instead\s+of)\s+(?P<done>\w+ing\b[^,;]*),(?P<rest>[^;]*)"
    r"|\b(?:contrary\s+to|in\s+contrast\s+to|against)\s+(?:the\s+|a\s+)?(?:\w+\s+)?"
    r"(?:views?|beliefs?|ideas?|notions?|assumptions?|hypothes[ie]s|expectations?|claims?)\s+that\s+(?P<held>[^,;]*),",
    re.I,
)
_TAKING_UP = re.compile(r"\b(?:it|its|them|their)\b", re.I)


def outside(pairs: list[tuple["Span", "Span"]]) -> list[tuple["Span", "Span"]]:
    """The pairs of places, at least one, of which neither stands in a foil; all of them where there is none such."""
    foil = _foil(pairs[0][0].sent) if pairs else None
    return [pair for pair in pairs if not any(_within(foil, place) for place in pair)] or pairs


def unsaid(a: "Span", b: "Span") -> tuple[frozenset[int], bool]:
    """What says nothing of two places of a sentence, and whether a foil denies what is said of them.

    Returns:
        Where one of the two stands in a foil, its tokens if what follows takes it up, else those around it; empty where
        neither does, or both.
    """
    found = _foil(a.sent)
    held = [_within(found, place) for place in (a, b)]
    if found is None or not any(held):
        return frozenset(), False
    if all(held):
        return frozenset(), True
    taken_up = _TAKING_UP.search(found["rest"] or "") is not None
    return frozenset(t.i for t in a.sent if _within(found, a.doc[t.i : t.i + 1]) == taken_up), not taken_up


def _foil(sentence: "Span") -> re.Match[str] | None:
    return _FOIL.search(sentence.text)


def _within(foil: re.Match[str] | None, place: "Span") -> bool:
    if foil is None:
        return False
    start, end = foil.span("held" if foil["held"] is not None else "done")
    at = place.sent.start_char
    return bool(start <= place.start_char - at and place.end_char - at <= end)
