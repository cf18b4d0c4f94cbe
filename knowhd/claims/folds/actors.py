"""Several things that do what a sentence says, found by its words: "Both smoking and obesity impair memory".

A small parser takes "impair" or "lower" for one more noun or for an adjective. So what stands before the first word
that relates things, in the form that is said of many, is taken for a list where it can be nothing else.
"""

import re
from collections.abc import Iterator

from knowhd import lexicon
from knowhd.claims.clauses import MOST
from knowhd.claims.grammar.agreement import alone, many
from knowhd.claims.grammar.shown import LEAD, NAME, Part, Shown, capital
from knowhd.claims.grammar.undivided import jointly
from knowhd.claims.reasons import asserts, whole
from knowhd.claims.verbs import doer, relates

_WORD = re.compile(r"(?<= )[a-z]+(?<!ing)(?<!ed)(?= )")
_NEXT = re.compile(r"[a-z]+")
_BEING = lexicon.words("is was are were has have had does do did can could may might will would should must")
_BOTH = re.compile(r"both ", re.I)
_JOINT = re.compile(r",? and |, ")
_AND = re.compile(r",? (?:and|but) (?P<verb>[a-z]+) ")
#: Words by which what stands before the verb is no list of things.
_NO_LIST = _BEING | lexicon.words("between by for from in neither nor not of on or than that to unlike which who with")
#: "Combining A and B" is one doing.
_DOING = re.compile(r"[A-Za-z]+ing (?!and\b)")
#: Words that a member of a list has at most.
_MOST = 3


def actors(told: Shown) -> Iterator[list[Part]]:
    """What is said of each of several things; not "both A and B levels", where one word is of the two."""
    lead = LEAD.match(told.text)
    start = lead.end() if lead else 0
    both = _BOTH.match(told.text, start)
    begin = both.end() if both else start
    at = _verb(told, begin, both=both is not None)
    if at is None or jointly(told.text) or (not both and _seen(told, at)):
        return
    members = _members(told, begin, at - 1)
    behind = 1 + len(_JOINT.findall(told.text, at))
    if members and len(members) * behind <= MOST:
        said = _of_one(told.text[at:])
        ahead = told.text[:start]
        yield [(whole(f"{ahead}{each if ahead else capital(each)} {said}"), False) for each in members]


def _seen(told: Shown, at: int) -> bool:
    """Whether the parser found the verb that stands there, with its subject."""
    return asserts(told.parsed) and told.parsed.offsets(next(told.parsed.doc.sents).root)[0] == at


def _verb(told: Shown, begin: int, *, both: bool) -> int | None:
    """Where the first word stands that relates things and is said of many."""
    for word in _WORD.finditer(told.text, begin):
        at = word.start()
        if told.seen[at] != NAME and relates(word[0]) and many(word[0]) == word[0]:
            behind = _NEXT.match(told.text, word.end() + 1)
            if behind and (behind[0] in _BEING or (relates(behind[0]) and many(behind[0]) != behind[0])):
                return None  # "kidney damage predicts": it was a noun
            if " both " in told.text[at:]:
                return None
            if both or doer(told.text[at:]) == "They":
                return at
    return None


def _members(told: Shown, begin: int, end: int) -> list[str]:
    """The things that are listed: each a name, or all of them as many words; none where they are not."""
    words = told.text[begin:end]
    if _JOINT.search(words) is None or " and " not in words:
        return []
    members, at = [], begin
    for joint in [*_JOINT.finditer(told.text, begin, end), None]:
        stop = joint.start() if joint else end
        members.append((at, stop))
        at = joint.end() if joint else end
    named = all(set(told.seen[slice(*member)]) == {NAME} for member in members)
    each = [told.text[slice(*member)] for member in members]
    counts = {len(member.split()) for member in each}
    listed = not _NO_LIST & {word.lower() for member in each for word in member.split()}
    listed = listed and not _DOING.match(words)
    return each if named or (listed and len(counts) == 1 and 0 < max(counts) <= _MOST) else []


def _of_one(said: str) -> str:
    """What is said of many as it is said of one, a verb first; a second verb agrees as well."""
    verb, _, rest = said.partition(" ")
    rest = _AND.sub(_second, rest)
    return f"{alone(verb)} {rest}"


def _second(found: re.Match[str]) -> str:
    verb = found["verb"]
    joins = relates(verb) and many(verb) == verb and doer(found.string[found.start("verb") :]) == "They"
    return found[0].replace(f" {verb} ", f" {alone(verb)} ") if joins else found[0]
