"""Conditions in a sentence: "if warfarin is stopped", "unless", "in the absence of insulin", "only in women".

A condition is what must be so for the rest to be claimed. "Even if" grants a thing and claims the rest all the same.
Whom or where something was seen in ("in patients with hypertension", "in mice", "after surgery") is a circumstance: it
stays in the claim's words and is no condition.
"""

import re
from dataclasses import dataclass
from itertools import islice

#: Commas at which a condition is tried to end.
_TRIED = 8

_CLAUSE = (
    r"(?:but (?:not )?|and |only |not |except )?(?:(?:only )?if(?! (?:any|anything|ever|so|not)\b)|unless|"
    r"(?:only )?when(?:ever)?(?! (?:compared|\w+ing)\b)|provid(?:ed|ing) that|"
    r"provided(?= (?:the|it|they|there)\b)|assuming(?: that)?|supposing(?: that)?|"
    r"on condition that|in case|in the event that|(?:as|so) long as|"
    r"once(?! (?:a|an|per|daily|weekly|every|or|again)\b)|until)"
)
_NOUNAL = (
    r"(?:but |and |only |except )?(?:in the (?:absence|presence) of|in (?:cases?|the event) of|"
    r"in combination with|(?:when |if )?(?:combined|co-?administered|given together) with|"
    r"under(?= (?:[\w-]+ ){1,3}conditions?\b))"
)
_ONLY_THERE = r"(?:but |and )?(?:only|except|solely|exclusively) (?:in|with|when|during|after|for|among|under|at)"
_JOINT = re.compile(rf"\b(?P<joint>{_CLAUSE}|{_NOUNAL}|{_ONLY_THERE})\s", re.I)
_FRONT = re.compile(
    rf"(?P<joint>{_CLAUSE}|{_NOUNAL}|{_ONLY_THERE}|without(?! (?:any |a |an )?(?:doubt|question)\b)|had|should|were)\s",
    re.I,
)
#: Words before "if" and "when" that make a question of them, a comparison, or a concession: "even if" asserts the rest.
_ASKED = re.compile(
    r"\b(?:as|ask\w*|test\w*|determin\w*|know\w*|see|clear|unclear|wonder\w*|investigat\w*|examin\w*|evaluat\w*|assess\w*|"
    r"and|or|since|at|even)$",
    re.I,
)
DENYING = re.compile(
    r"\b(?:unless|absence|without|except|not|no|never|absent|lack\w*|missing)\b|n['’]t\b|\buntil\b", re.I
)
ONLY = re.compile(r"\b(?:only|solely|exclusively)\b", re.I)


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition in a sentence.

    Attributes:
        text: Its words, with what joins it: "if warfarin is stopped".
        start: Where it begins in the sentence.
        end: After its last character.
        joint: The words that make a condition of it: "if".
        denied: It demands that something is not so.
        only: It claims that nothing else will do.
    """

    text: str
    start: int
    end: int
    joint: str
    denied: bool
    only: bool

    @property
    def what(self) -> str:
        """What must be so, without what joins it."""
        return self.text[len(self.joint) :].strip()


def conditions(text: str) -> tuple[Condition, ...]:
    """The conditions of a sentence, in order, none inside another."""
    found: list[Condition] = []
    closing = len(text.rstrip(" .!"))
    if front := _FRONT.match(text):
        if (end := _front_ends(text)) is not None:
            found.append(_condition(text, 0, end, front["joint"]))
        elif front["joint"].lower() not in {"had", "should", "were", "without"}:
            return (_condition(text, 0, closing, front["joint"]),)
    for joint in _JOINT.finditer(text):
        start = joint.start()
        if (found and start < found[-1].end) or start == 0 or _ASKED.search(text[:start].rstrip(" ,")):
            continue
        opened = text[:start].rstrip().endswith((",", "("))
        stop = re.search(r"[,)]" if opened else r";|,(?= (?:but|whereas|while|and|so)\b)", text[joint.end() : closing])
        found.append(_condition(text, start, joint.end() + stop.start() if stop else closing, joint["joint"]))
    return tuple(found)


def stretches(text: str) -> tuple[tuple[int, int], ...]:
    """Where the conditions of a sentence stand in it, with the commas or brackets that set them off."""
    found = []
    for each in conditions(text):
        start, end = each.start, each.end
        while start and text[start - 1] in " ,(":
            start -= 1
        after = re.match(r"[,)]\s*" if not start else r"[,)]", text[end:])
        found.append((start, end + (after.end() if after else 0)))
    return tuple(found)


def peeled(text: str) -> tuple[str, str, str] | None:
    """A sentence of one condition as what goes before its claims, what it claims, and what goes behind.

    Returns:
        None where there is no condition or more than one, or it is not clear what it belongs to.
    """
    found = conditions(text)
    if len(found) != 1:
        return None
    one = found[0]
    before, after = text[: one.start].rstrip(" ,("), text[one.end :].lstrip(" ,)")
    if not before:
        return (f"{one.text}, ", after, "") if after.strip(" .!") else None
    rest = after.strip(" .!")
    if not rest and re.search(r";|, (?:but|and|whereas|while)\b", before):
        return None  # it belongs to the last of several clauses at least
    joined = f"{before} {rest}".strip()
    return ("", f"{joined}.", f" {one.text}") if joined else None


def _condition(text: str, start: int, end: int, joint: str) -> Condition:
    words = text[start:end].rstrip(" ,")
    return Condition(
        words,
        start,
        start + len(words),
        joint,
        len(DENYING.findall(words)) % 2 == 1,
        ONLY.search(joint) is not None,
    )


def _front_ends(text: str) -> int | None:
    """Where a condition at the beginning of a sentence ends: at a comma behind which a clause may begin."""
    commas = list(islice(re.finditer(r", ", text), _TRIED))
    for comma in commas:
        rest = text[comma.end() :]
        listed = re.match(r"(?:and|or|but|nor)\b", rest, re.I) or re.match(
            r"(?:[\w-]+ ){0,3}[\w-]+(?:, (?:[\w-]+ ){0,3}[\w-]+)*,? (?:and|or) (?:[\w-]+ ){1,4}"
            r"(?:is|are|was|were|has|have|fails?|falls?|rises?)\b[^,]*,",
            rest,
        )
        if not listed:
            return comma.start()
    return None
