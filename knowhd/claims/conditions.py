"""Conditions in a sentence: "if warfarin is stopped", "unless", "in the absence of insulin", "only in women".

A condition is what must be so for the rest to be claimed. "Even if" asserts the rest all the same. Whom or where
something was seen in ("in patients with hypertension", "in mice", "after surgery") is no condition.
"""

import re

_CLAUSE = (
    r"(?:but (?:not )?|and |only |not |except )?(?:(?:only )?if(?! (?:any|anything|ever|so|not)\b)|unless|"
    r"(?:only )?when(?:ever)?(?! (?:compared|\w+ing)\b)|provid(?:ed|ing) that|provided(?= (?:the|it|they|there)\b)|"
    r"assuming(?: that)?|supposing(?: that)?|on condition that|in case|in the event that|(?:as|so) long as|"
    r"once(?! (?:a|an|per|daily|weekly|every|or|again)\b)|until)"
)
_PHRASE = (
    r"(?:but |and |only |except )?(?:in the (?:absence|presence) of|in (?:cases?|the event) of|in combination with|"
    r"(?:when |if )?(?:combined|co-?administered|given together) with|under(?= (?:[\w-]+ ){1,3}conditions?\b))|"
    r"(?:but |and )?(?:only|except|solely|exclusively) (?:in|with|when|during|after|for|among|under|at)"
)
_JOINT = re.compile(rf"\b(?:{_CLAUSE}|{_PHRASE})\s", re.I)
_SURE = re.compile(rf"(?:{_CLAUSE}|{_PHRASE})\s", re.I)
#: In front of a sentence these make a condition only if a comma ends it.
_UNSURE = re.compile(r"(?:without(?! (?:any |a |an )?(?:doubt|question)\b)|had|should|were)\s", re.I)
#: Words before "if" and "when" that make a question of them, a comparison or a concession.
_ASKED = re.compile(
    r"\b(?:as|ask\w*|test\w*|determin\w*|know\w*|see|clear|unclear|wonder\w*|investigat\w*|examin\w*|evaluat\w*|assess\w*|"
    r"and|or|since|at|even)$",
    re.I,
)


def stretches(text: str) -> tuple[tuple[int, int], ...]:
    """Return where the conditions of a sentence stand, with the commas or brackets that set them off, in order."""
    found: list[tuple[int, int]] = []
    closing = len(text.rstrip(" .!"))
    if sure := _SURE.match(text) or _UNSURE.match(text):
        comma = re.search(r",\s+(?!(?:and|or|but|nor)\b)", text)
        if comma:
            found.append((0, comma.end()))
        elif sure.re is _SURE:
            return ((0, closing),)
    for joint in _JOINT.finditer(text):
        start = joint.start()
        if not start or (found and start < found[-1][1]) or _ASKED.search(text[:start].rstrip(" ,")):
            continue
        opened = text[:start].rstrip().endswith((",", "("))
        stop = re.search(r"[,)]" if opened else r";|,(?= (?:but|whereas|while|and|so)\b)", text[joint.end() : closing])
        end = joint.end() + stop.start() if stop else closing
        start = len(text[:start].rstrip(" ,("))
        found.append((start, end + (text[end : end + 1] in {",", ")"})))
    return tuple(found)
