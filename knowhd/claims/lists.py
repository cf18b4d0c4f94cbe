"""Lists of names that the parser loses: "A lowers B, C and D" read as if "lowers" were one more noun.

They are found by the words: a list right behind a word that relates things, or at the beginning and right before one.
What is told apart by the parse needs none of it.
"""

import re
from collections.abc import Iterator
from itertools import product

from knowhd.claims.clauses import tellable
from knowhd.claims.grammar.agreement import alone
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
#: The verb right before a list: "lowers", "is lowered by".
_BEHIND = re.compile(r"\b(?P<verb>[a-z]+)(?: by)?(?: both)? $")
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
    if " and " not in parsed.text and " or " not in parsed.text:
        return []
    lists = list(_lists(parsed))
    if not lists or tellable(lists) != lists:
        return []
    return [_chosen(parsed.text, lists, choice) for choice in product(*lists)]


def _lists(parsed: Masked) -> Iterator[list[tuple[int, int]]]:
    """Where the members of each list stand."""
    seen, text = shown(parsed).seen, parsed.text
    for found in _LIST.finditer(seen):
        start, end = found.span()
        denied = _DENYING.search(text)
        if "or" in {found["late"], found["joint"]} and not denied:
            continue
        behind, ahead = _BEHIND.search(text[:start]), _AHEAD.match(text, end)
        acted = behind is not None and relates(behind["verb"]) and not behind["verb"].endswith("ing")
        acting = start == 0 and ahead is not None and relates(ahead["verb"]) and not jointly(text)
        if acting or (acted and _CLOSED.match(text, end)):
            yield [(start + m.start(), start + m.end()) for m in _MEMBER.finditer(found[0])]


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
