"""What a sentence says of chance: "p = 0.4", "HR 0.9 (0.8-1.1)", "a trend towards", "the effect was not significant".

An effect that is not significant is one that was not shown: the sentence denies it. More or less that is not
significant, or that is a trend, was seen but not shown: the sentence leaves it open.
"""

import re
from collections.abc import Iterator, Sequence

from knowhd.rules.clause import clause_at
from knowhd.rules.ratios import intervals

#: From this on, a probability of chance is one that no effect was shown by.
LEVEL = 0.05

_P = re.compile(
    r"\bp(?:[\s-]?values?)?(?:\s+(?:of|was|were|is|are))?(?:\s{0,3}(?P<bound>[=:<>≤≥]{1,2})|(?=\s))\s{0,3}"
    r"(?P<value>(?:0|1)?(?:[.·]\d{1,12})?)(?!\w|[.·]\w)",
    re.I,
)
#: Beside a figure, in the place of a probability.
_NS = re.compile(
    r"(?<=[(\[;,])\s?(?:p\s?[=:]\s?)?(?:n\.\s?s\.|ns|not\s+significant|non-?significant)(?=\s?[)\];,])", re.I
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
    """Where a sentence says of more or less that it may be chance: by words, or by figures beside them."""
    taken = list(not_shown(text))
    for found in _TREND.finditer(text):
        if not any(start <= found.start() < end for start, end in taken):
            yield found.span()
    yield from _improbable(text)


def _improbable(text: str) -> Iterator[tuple[int, int]]:
    """The figures of chance of clauses that deny nothing, where none in the clause shows a difference.

    Beside a denial, "did not differ (p = 0.7)", they bear it out.
    """
    stated = [(found.span(), _significant(found)) for found in _P.finditer(text) if _is_figure(found)]
    stated += [(found.span(), False) for found in _NS.finditer(text)]
    stated += [((each.start, each.end), each.sign != 0) for each in intervals(text)]
    clauses: dict[tuple[int, int], list[tuple[tuple[int, int], bool]]] = {}
    for each in sorted(stated):
        clauses.setdefault(clause_at(text, each[0][0]), []).append(each)
    for (start, end), told in clauses.items():
        words = "".join(part for part in _outside([span for span, _ in told], text, start, end))
        if not any(shown for _, shown in told) and not _DENYING.search(words):
            yield told[0][0]


def _outside(spans: Sequence[tuple[int, int]], text: str, start: int, end: int) -> Iterator[str]:
    """The parts of a clause outside of some spans of it, in order."""
    for begin, stop in spans:
        yield text[start:begin]
        start = stop
    yield text[start:end]


def _is_figure(found: re.Match[str]) -> bool:
    """Whether what was found is a probability: "p < .05" and "a p of .05", not "P 1" and "p = 0"."""
    return found["value"] not in {"", "0"} and (found["bound"] is not None or not found["value"].isdigit())


def _significant(found: re.Match[str]) -> bool:
    """Whether a probability may be one that shows an effect."""
    value, bound = float(found["value"].replace("·", ".")), (found["bound"] or "=")[0]
    return value < LEVEL if bound in ">≥" else value <= LEVEL or bound in "<≤"
