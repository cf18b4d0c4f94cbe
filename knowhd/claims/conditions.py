"""Find conditions in a sentence: "if warfarin is stopped", "unless", "in the absence of insulin", "only in women".

A condition must hold for the rest of the sentence to be claimed. "Even if" is no condition, because the rest is
asserted in any case. The population or setting of an observation ("in patients with hypertension", "in mice", "after
surgery") is no condition either.
"""

import re
from functools import lru_cache

from knowhd.claims.words import listed

#: Words before "if" or "when" after which no condition follows, but a question, a comparison or a concession.
_ASKED = re.compile(
    r"\b(?:as|even|and|or|since|at|see|clear|unclear|(?:ask|test|determin|know|wonder|investigat|examin|evaluat|assess)\w*)"
    r"[ ,]*$",
    re.I,
)


def conditions(text: str) -> tuple[tuple[int, int], ...]:
    """Return the spans of the conditions in a sentence. Each span ends at the next comma, semicolon or bracket."""
    found = (each.span() for each in _pattern().finditer(text))
    return tuple((start, end) for start, end in found if not _ASKED.search(text[:start]))


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    """Return the pattern of a condition.

    A condition begins with words of the category "condition" in words.tsv, but phrases such as "when compared" and
    "once daily" are no conditions.
    """
    first = "|".join(sorted(listed("condition"), key=len, reverse=True))
    other = r"an? (?:day|week|month|year)|any|compared|daily|ever|not|per|weekly|\w+ing"
    return re.compile(rf"\b(?:{first}) (?!(?:{other})\b)[^,;()]*[,;)]?", re.I)
