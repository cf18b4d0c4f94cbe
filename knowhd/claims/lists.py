"""Lists of names that the parser loses: "A lowers B, C and D" read as if "lowers" were one more noun.

They are found by the words: a list right behind a word that relates things, or at the beginning and right before one.
What is told apart by the parse needs none of it.
"""

import re
from collections.abc import Iterator
from itertools import product

from knowhd.claims.clauses import tellable
from knowhd.claims.grammar.agreement import alone
from knowhd.claims.grammar.coordination import TOGETHER
from knowhd.claims.grammar.masked import Masked
from knowhd.claims.grammar.shown import NAME, NOUN, shown
from knowhd.claims.grammar.undivided import jointly
from knowhd.claims.verbs import relates

_THING = rf"(?:{NAME}+|{NOUN}+)"
#: ", and" joins names in a list of three or more; between two it more often joins clauses.
_LIST = re.compile(
    rf"(?<![\w/,-])(?:{NAME}+(?:, {_THING})+,? (?P<late>and|or) {_THING}|{NAME}+ (?P<joint>and|or) {_THING})(?![\w/-])"
)
_MEMBER = re.compile(_THING)
#: The verb before a list: "lowers", "is lowered by", "lowers levels of".
_BEHIND = re.compile(r"\b(?P<verb>[a-z]+)(?: by)?(?: both)?(?: (?:the )?(?P<of>[a-z]+) of)? $")
#: What may follow a list of objects; "A and B levels" is none.
_CLOSED = re.compile(r"[.!]?$| (?:in|at|during|after|by|with|through|via|from|among|under|when|if)\b")
_AHEAD = re.compile(
    r" (?:(?:are|were|have|do|can|could|may|might|will|would|should)(?: not| been)* )?(?P<verb>[a-z]+) "
)
_DENYING = re.compile(r"\b(?:not|cannot|never)\b|n['’]t\b", re.I)


def spread(parsed: Masked) -> list[str]:
    """The sentences of a sentence that lists names, one for each way of choosing a name of every list.

    Returns:
        None of them where nothing is listed, or where it makes too many (`clauses.MOST`).
    """
    if not _joins(parsed.text):
        return []
    lists = list(_lists(parsed))
    if not lists or tellable(lists) != lists:
        return []
    return [_chosen(parsed.text, lists, choice) for choice in product(*lists)]


def shortened(parsed: Masked, *, behind: bool = False) -> str:
    """A sentence with the first name alone of each list, which a parser reads more surely.

    Args:
        parsed: The sentence.
        behind: Only lists behind a verb, so that the subject stays as it is.

    Returns:
        Empty where nothing is listed there.
    """
    lists = list(_lists(parsed)) if _joins(parsed.text) else []
    lists = [members for members in lists if members[0][0] > 0 or not behind]
    return _chosen(parsed.text, lists, tuple(members[0] for members in lists)) if lists else ""


def _joins(text: str) -> bool:
    return " and " in text or " or " in text


def _lists(parsed: Masked) -> Iterator[list[tuple[int, int]]]:
    """Where the members of each list stand."""
    seen, text = shown(parsed).seen, parsed.text
    for found in _LIST.finditer(seen):
        start, end = found.span()
        denied = _DENYING.search(text)
        if "or" in {found["late"], found["joint"]} and not denied:
            continue
        ahead = _AHEAD.match(text, end)
        acting = start == 0 and ahead is not None and relates(ahead["verb"]) and not jointly(text)
        if acting or (_acted(text[:start]) and _CLOSED.match(text, end)):
            yield [(start + m.start(), start + m.end()) for m in _MEMBER.finditer(found[0])]


def _acted(before: str) -> bool:
    """Whether words say what is done to the things that are listed behind them."""
    found = _BEHIND.search(before)
    if found is None or found["verb"].endswith("ing") or found["of"] in TOGETHER:
        return False
    return relates(found["verb"])


def _chosen(text: str, lists: list[list[tuple[int, int]]], choice: tuple[tuple[int, int], ...]) -> str:
    """The sentence with one member of each list; its verb agrees with it."""
    made, at = "", 0
    for members, (start, end) in zip(lists, choice, strict=True):
        first, last = members[0][0], members[-1][1]
        made += text[at:first] + text[start:end]
        at = last
        if first == 0:
            verb = text[at:].split(maxsplit=1)[0]
            made, at = f"{made} {alone(verb)}", at + 1 + len(verb)
    made += text[at:]
    return f"{made[:1].upper()}{made[1:]}" if re.match(r"[a-z]+ ", made) else made
