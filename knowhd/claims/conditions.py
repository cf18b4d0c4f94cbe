"""Conditions in a sentence: "if warfarin is stopped", "unless", "in the absence of insulin", "only in women".

A condition is what must be so for the rest to be claimed. "Even if" asserts the rest all the same. Whom or where
something was seen in ("in patients with hypertension", "in mice", "after surgery") is no condition.
"""

import re
from functools import lru_cache

from knowhd.claims.words import listed

#: Words before "if" and "when" that make a question of them, a comparison or a concession.
_ASKED = re.compile(
    r"\b(?:as|even|and|or|since|at|see|clear|unclear|(?:ask|test|determin|know|wonder|investigat|examin|evaluat|assess)\w*)"
    r"[ ,]*$",
    re.I,
)


def conditions(text: str) -> tuple[tuple[int, int], ...]:
    """Return where the conditions of a sentence stand, each up to the comma or bracket behind it, in order."""
    found = (each.span() for each in _pattern().finditer(text))
    return tuple((start, end) for start, end in found if not _ASKED.search(text[:start]))


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    """A condition: its first words (words.tsv), not "when compared" or "once daily", and what follows."""
    first = "|".join(sorted(listed("condition"), key=len, reverse=True))
    other = r"an? (?:day|week|month|year)|any|compared|daily|ever|not|per|weekly|\w+ing"
    return re.compile(rf"\b(?:{first}) (?!(?:{other})\b)[^,;()]*[,;)]?", re.I)
