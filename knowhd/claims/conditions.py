"""Find conditions in a sentence: "if warfarin is stopped", "unless", "in the absence of insulin", "only in women".

A condition must hold for the rest of the sentence to be claimed. "Even if" is no condition, because the rest is
asserted in any case. The population or setting of an observation ("in patients with hypertension", "in mice", "after
surgery") is no condition either.
"""

import re

from knowhd.claims.words import listed

#: Words before "if" or "when" after which no condition follows, but a question, a comparison or a concession.
_ASKED = re.compile(
    r"\b(?:as|even|and|or|since|at|see|clear|unclear|(?:ask|test|determin|know|wonder|investigat|examin|evaluat|assess)\w*)"
    r"[ ,]*$",
    re.I,
)
#: A condition begins with words of the category "condition" in words.tsv. If words of `_OTHER` follow, as in "when
#: compared" and "once daily", there is no condition.
_FIRST = "|".join(sorted(listed("condition"), key=len, reverse=True))
_OTHER = r"an? (?:day|week|month|year)|any|compared|daily|ever|not|per|weekly|\w+ing"
_CONDITION = re.compile(rf"\b(?:{_FIRST}) (?!(?:{_OTHER})\b)[^,;()]*[,;)]?", re.I)


def conditions(text: str) -> tuple[tuple[int, int], ...]:
    """Return the spans of the conditions in a sentence. Each span ends at the next comma, semicolon or bracket."""
    found = (each.span() for each in _CONDITION.finditer(text))
    return tuple((start, end) for start, end in found if not _ASKED.search(text[:start]))
