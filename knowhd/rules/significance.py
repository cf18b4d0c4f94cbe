"""What a sentence says of chance: "p = 0.4", "a trend towards", "the effect was not significant".

An effect that is not significant is one that was not shown: the sentence denies it. More or less that is not
significant, or that is a trend, was seen but not shown: the sentence leaves it open.
"""

import re
from collections.abc import Iterator

#: From this on, a probability of chance is one that no effect was shown by.
LEVEL = 0.05

_P = re.compile(
    r"\bp(?:[\s-]?values?)?\s*(?:of\s*)?(?P<bound>[=:<>≤≥])\s*(?P<value>(?:0|1)?(?:[.·]\d{1,12})?)(?![\w.·])", re.I
)
_NOT_SIGNIFICANT = (
    r"(?:(?:was|were|is|are|did|does|do)(?:\s+not|n['’]t)\s+(?:(?:reach|attain)\s+)?|failed\s+to\s+(?:reach|attain)\s+)"
    r"(?:statistically\s+|statistical\s+)?significan(?:t|ce)(?=\s*(?:[.,;()]|$)|\s+(?:in|with|at|after|for)\b)"
)
#: The effect itself is what was not shown.
_NO_EFFECT = re.compile(
    r"\b(?:effects?|associations?|relations?(?:hips?)?|correlations?|differences?|influences?|impacts?|interactions?)\b"
    rf"[^,;]{{0,100}}?\s{_NOT_SIGNIFICANT}",
    re.I,
)
_TREND = re.compile(
    rf"\b(?:{_NOT_SIGNIFICANT}"
    r"|non-?\s?significant(?:ly)?\s+(?:trend|tendency|increas\w+|decreas\w+|reduc\w+|rise|fall|higher|lower)"
    r"|(?:but|although|though|albeit)\s+(?:\w+\s+){0,3}(?:not\s+(?:statistically\s+)?|non-?)significant(?:ly)?\b"
    r"|(?:borderline|marginal(?:ly)?)\s+(?:statistical(?:ly)?\s+)?significan(?:t|ce)\b"
    r"|(?:trend(?:s|ed)?|tendency)\s+(?:to|for|towards?)\b|tend(?:s|ed)?\s+(?:to|towards?)\b)",
    re.I,
)
_DENYING = re.compile(r"\b(?:no|not|nor|neither|never|without|same|similar|unchanged|unaffected)\b|n['’]t\b", re.I)


def not_shown(text: str) -> Iterator[tuple[int, int]]:
    """Where a sentence says of an effect that it was not significant."""
    yield from (found.span() for found in _NO_EFFECT.finditer(text))


def maybe_chance(text: str) -> Iterator[tuple[int, int]]:
    """Where a sentence says of more or less that it may be chance: by words, or by a probability beside them."""
    taken = list(not_shown(text))
    for found in _TREND.finditer(text):
        if not any(start <= found.start() < end for start, end in taken):
            yield found.span()
    yield from _improbable(text)


def _improbable(text: str) -> Iterator[tuple[int, int]]:
    """The probabilities of a sentence that denies nothing, where none of them is below the level.

    Beside a denial, "did not differ (p = 0.7)", they bear it out.
    """
    stated = [found for found in _P.finditer(text) if found["value"] not in {"", "0"}]
    if stated and not any(map(_significant, stated)) and not _DENYING.search(text):
        yield stated[0].span()


def _significant(found: re.Match[str]) -> bool:
    """Whether a probability may be one that shows an effect."""
    value = float(found["value"].replace("·", "."))
    return value < LEVEL if found["bound"] in ">≥" else value <= LEVEL or found["bound"] in "<≤"
