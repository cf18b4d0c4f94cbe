"""Ratios of risks and differences with their intervals: "OR 1.8 (1.2-2.6)", "difference -0.3, 95 % CI -0.9 to 0.2".

An interval that holds no difference, 1 for a ratio and 0 for a difference, shows none. One beside it says which way two
things go together: "A was associated with B (HR 0.62, 95 % CI 0.45-0.85)" is less B with A.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from groundwork.polarity import Sign

_NUMBER = r"(?:\d{1,6}(?:[.·]\d{1,6})?|[.·]\d{1,6})(?!\d|[.·]\d)"
_SIGNED = rf"[-−–+]?{_NUMBER}"
_SHORT = r"(?:a|adjusted )?(?:OR|RR|HR|IRR|SIR|SHR)"
_NAME = rf"(?:(?i:(?:odds|risk|hazards?|rate|incidence|prevalence) ratios?|relative (?:risk|hazard|odds)s?)|{_SHORT})"
_IS = r" {0,2}(?:[=:,]|of|was|is)? {0,2}"
_LIMITS = r"(?i:9[059] ?% ?)?(?i:confidence (?:intervals?|limits))? ?[\[(]?(?:CIs?)?[\])]? ?[=:,]? {0,2}"
_OPENED = rf"[,;:]? ?[(\[]? ?{_LIMITS}[(\[]?"
_RATIO = re.compile(
    rf"\b{_NAME}(?: ?[(\[]{_SHORT}[)\]])?(?: for \w{{1,20}})?{_IS}(?P<value>{_NUMBER}) ?{_OPENED}"
    rf"(?P<low>{_NUMBER}) ?(?:-|–|−|to|,) ?(?P<high>{_NUMBER})"
)
_DIFFERENCE = re.compile(
    r"\b(?:(?i:differences?|change|effect size)|MD|SMD|WMD)"
    rf"(?i:[^\d;.()+−–-]{{0,40}}) ?(?P<value>{_SIGNED})(?: ?[^\s\d;,()]{{1,10}}){{0,2}} ?{_OPENED}"
    rf"(?P<low>{_SIGNED})(?: to |, ?)(?P<high>{_SIGNED})"
)


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval that a sentence states for a comparison.

    Attributes:
        start: Where its words begin in the sentence.
        end: Where they end.
        low: The least it may be, in units of the null.
        high: The most.
        null: What it is where there is no difference: 1 for a ratio, 0 for a difference.
    """

    start: int
    end: int
    low: float
    high: float
    null: int

    @property
    def sign(self) -> Sign:
        """+1 or -1 if all of it lies above or below the null, 0 if it holds that."""
        return 1 if self.low > self.null else -1 if self.high < self.null else 0


def intervals(text: str) -> tuple[Interval, ...]:
    """The intervals of a sentence, ratios first; none for figures that do not hold their own value."""
    return (*_of(_RATIO, 1, text), *_of(_DIFFERENCE, 0, text))


def risk(text: str) -> Sign:
    """Which way the ratios of a sentence go: +1 above 1, -1 below, 0 where it states none, or they do not agree."""
    signs = {each.sign for each in intervals(text) if each.null == 1}
    return signs.pop() if len(signs) == 1 else 0


def _of(pattern: re.Pattern[str], null: int, text: str) -> Iterator[Interval]:
    for found in pattern.finditer(text):
        value, low, high = (_number(found[group]) for group in ("value", "low", "high"))
        if low <= value <= high:
            yield Interval(*found.span(), low, high, null)


def _number(words: str) -> float:
    return float(words.replace("·", ".").replace("−", "-").replace("–", "-"))
