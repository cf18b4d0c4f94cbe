"""Frames that only say who found something, such as "we found that", taken off a sentence before it is parsed.

A frame ends with a "that" behind a word for finding, saying or thinking, and names no concept. One that denies or asks
("it has not been shown that", "it is unclear whether") is no frame, and the sentence keeps it.
"""

import re
from collections.abc import Sequence, Set
from functools import lru_cache

from knowhd.claims.words import listed

#: Words that may stand in front of the "that" of a frame.
LONGEST = 16
#: Words of a lead that says nothing by itself: "Taken together", "Interestingly".
_IDLE = 3
_THAT = re.compile(r"\bthat,? ")
_WORD = re.compile(r"[\w'\u2019-]+")
_BEING = listed("being")
_DENYING = listed("denying")
_ADVERBS = re.compile(r"\w+ly|here|now|also|further")
#: A circumstance that holds of what is framed: "In mice, we found that", but not "In this study".
_CIRCUMSTANCE = re.compile(r"(?:In|Among|During|After|At|Under|With|Without|Upon|For) ")
_POINTING = listed("pointing")
#: What is set off in front of a sentence, or behind it.
_SET_OFF = (re.compile(r"(?P<part>\w[^,]{2,80}, )"), re.compile(r".*(?P<part>, \w[^,]{2,80}(?=[.!]$))"))
#: Between two framed clauses: "that A lowers B and that C raises D".
_AND_THAT = re.compile(r",? (?:and|but) that (?=\w)|, that (?=\w)")
#: A reason in front of a frame, which is stated too: "Because A lowers B, we propose that".
_REASON = re.compile(r"(?:because|since|as|although|given that|considering that) (?!of\b)", re.I)
_GOES_ON = re.compile(r"\b(?:and|but) (?:\w+ )?(?!that\b)\w+ that\b")
_ASIDE = re.compile(r",? (?:as )?(?:we|I) (?P<verb>\w+),(?= )")


def unframed(text: str, names: Set[str]) -> tuple[str, ...]:
    """Take the frames off a sentence.

    Args:
        text: The sentence.
        names: The concepts in it, as they are written there.

    Returns:
        What was framed, more than one text if it was several clauses; the sentence itself if it has no frame.
    """
    text = _ASIDE.sub(lambda found: "" if found["verb"].lower() in _reporting() else found[0], text)
    text = _without_study(text, names)
    for that in _THAT.finditer(text):
        lead, _, frame = text[: that.start()].rpartition(", ")
        said = [word.lower() for word in _WORD.findall(frame)]
        if len(said) > LONGEST or any(name in frame for name in names) or _GOES_ON.search(text, that.end()):
            break
        told = _AND_THAT.split(text[that.end() :])
        if lead and len(said) <= 2 and _reports(said) and said[-1].endswith("ing"):
            return (f"{lead}.", *told)  # "A lowers B, suggesting that C rises" states both
        if _frames(said):
            return _with_lead(lead, told, names) or (text,)
    return (text,)


def _with_lead(lead: str, told: Sequence[str], names: Set[str]) -> tuple[str, ...]:
    """What was framed with what stood in front of the frame; nothing if that says something of its own.

    A circumstance is kept with each clause, and a reason is a clause: "Because A lowers B, we propose that".
    """
    words = {word.lower() for word in _WORD.findall(lead)}
    aside = not words.isdisjoint(_POINTING | listed("study"))
    if _CIRCUMSTANCE.match(lead) and not aside:
        return tuple(f"{lead}, {part}" for part in told)
    if reason := _REASON.match(lead):
        return (lead[reason.end() :] + ".", *told)
    idle = len(words) <= _IDLE or (aside and not any(name in lead for name in names))
    return tuple(told) if idle else ()


def _without_study(text: str, names: Set[str]) -> str:
    """A sentence without what points to a study, set off by a comma: "in this study", "contrary to earlier data"."""
    for place in _SET_OFF:
        if found := place.match(text):
            part = found["part"]
            words = [word.lower() for word in _WORD.findall(part)]
            pointing = words[0] in listed("opening") and not _POINTING.isdisjoint(words) and _DENYING.isdisjoint(words)
            studied = not (listed("study") | _reporting()).isdisjoint(words)
            if pointing and studied and not any(name in part for name in names):
                text = text.replace(part, "", 1)
                text = text[:1].upper() + text[1:]
    return text


def _frames(words: Sequence[str]) -> bool:
    """Whether the words in front of a "that" make a frame: they end with a word for finding, and hold a verb."""
    own = [word for word in words if not _ADVERBS.fullmatch(word)]
    if not own or not _DENYING.isdisjoint(words):
        return False
    if own[-1] in {"is", "was", "be", "exists"}:  # "one possibility is that"
        return any(_reports([word]) for word in own)
    verb = any(word in _BEING or _reports([word]) for word in own[:-1])
    return _reports(own) and not own[-1].endswith("ing") and (verb or own[-1] not in listed("study"))


def _reports(words: Sequence[str]) -> bool:
    """Whether some words end with one for finding, saying or thinking."""
    return bool(words) and words[-1] in _reporting()


@lru_cache(maxsize=1)
def _reporting() -> frozenset[str]:
    """The words for finding, saying and thinking, in all their forms."""
    stems = [(word, word[:-1] if word.endswith(("e", "y")) else word) for word in listed("reporting")]
    ends = ("s", "es", "ies", "ed", "ied", "ing", "ying")
    return frozenset(form for word, stem in stems for form in (word, *(stem + end for end in ends)))
