"""Sentences of a reason or a concession, cut into what each side asserts: "A because B", "although B, A", "A, so B".

Such a sentence asserts both sides, so each is a claim of its own; how they hang together is told by the sentence that
they came from. What is true only under a condition, at a time or for a purpose is not asserted by itself, and what a
denial, a doubt or somebody's opinion covers is not known: such sentences stay whole.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from knowhd import lexicon
from knowhd.claims.grammar.agreement import misread
from knowhd.claims.grammar.coordination import SUBJECTS
from knowhd.claims.grammar.masked import Masked

#: Parses a text, in one or more ways.
Read = Callable[[str], Iterable[Masked]]

_FACT = r"(?:because of|despite|due to|in spite of|in view of|owing to) the fact that|(?:considering|given) that"
_FRONT = re.compile(rf"^(?:because(?! of\b)|since|(?:even )?though|although|whereas|{_FACT}) ", re.I)
_BETWEEN = re.compile(
    rf",? (?P<why>because(?! of\b)|{_FACT}) |,? (?P<when>since) |,? (?:although|(?:even )?though) |"
    r", as (?!do\b|does\b|did\b|is\b|are\b|was\b|were\b|has\b|have\b|well\b|if\b|though\b)|"
    r", (?:and )?(?:so|thus|hence|therefore|consequently) (?!that\b)",
    re.I,
)
#: Between two sides that are set against each other.
AGAINST = re.compile(
    r", but (?!not\b|only\b|also\b|rather\b|instead\b)|,? whereas |, while (?!\w+ing\b)|"
    r", (?:although|(?:even )?though) ",
    re.I,
)
_CONCEDING = re.compile(r"^(?:(?:even )?though|although|whereas) ", re.I)
#: What makes a part of a sentence true only sometimes, or leaves it open.
CONDITION = re.compile(
    r"\b(?:if|unless|whether|provided|providing|assuming|suppos(?:e|ed|ing)|lest|otherwise|when(?:ever)?|until|once|"
    r"in case|(?:as|so) long as)\b",
    re.I,
)
#: Words by which a side leans on the other, or on what stood before.
LEANING = re.compile(
    r"\b(?:it|its|itself|they|their|them|themselves|this|these|those|such|s?he|him|his|hers?|former|latter|the same)\b",
    re.I,
)
#: Words right before the joint that say how it joins: "partly because".
WEIGHED = re.compile(
    r"\b(?:not|only|just|simply|merely|solely|probably|possibly|perhaps|maybe|presumably|apparently|likely|"
    r"potentially|part|partly|partially|mainly|mostly|largely|primarily|chiefly|especially|particularly)$",
    re.I,
)
_DENYING = re.compile(rf"\b(?:{'|'.join(sorted(filter(str.isalpha, lexicon.DENYING)))})\b|n['’]t\b", re.I)
_FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})
#: "aspirin, not metformin, treats": that denies of another thing, not the verb.
_CONTRAST = re.compile(r", (?:but )?not [^,]+(?:,|$)", re.I)
#: Joints of a sentence that are tried.
_TRIED = 8
_PRONOUN = re.compile(r"^(?:it|they)\b", re.I)


def sides(text: str, read: Read) -> tuple[str, str] | None:
    """The two sides of a sentence that asserts both, as sentences, that one first which a pronoun in the other means.

    Args:
        text: One sentence.
        read: Parses a text; one way in which a side asserts something is enough.

    Returns:
        None where the sentence is not such a one.
    """
    return None if CONDITION.search(text) else _first(_candidates(text), read)


def against(text: str, read: Read) -> tuple[str, str] | None:
    """The two sides of a sentence that are set against each other, as `sides`: "A, but B", "A, whereas B if C".

    A condition behind the joint is of the second side alone; the first, or one that is conceded, must hold under none.
    """
    return _first(_set_against(text), read)


def _first(cuts: Iterable[tuple[str, str]], read: Read) -> tuple[str, str] | None:
    """The first cut both sides of which assert something."""
    for first, second in islice(cuts, _TRIED):
        if balanced(first) and balanced(second) and all(any(map(asserts, read(side))) for side in (first, second)):
            return first, second
    return None


def _candidates(text: str) -> Iterator[tuple[str, str]]:
    """Ways to cut a sentence at a joint; of "because B, A" at each comma, the last first."""
    if front := _FRONT.match(text):
        yield from _behind_front(text, front.end())
        return
    for joint in _BETWEEN.finditer(text):
        main, reason = text[: joint.start()], text[joint.end() :]
        # "does not treat A because B" may deny the treating or the reason; a comma or "since" tells.
        unclear = joint["why"] and not joint[0].startswith(",") and _DENYING.search(_CONTRAST.sub(",", main))
        if not unclear and not WEIGHED.search(main) and not (joint["when"] and _ever_since(main)):
            yield whole(main), whole(reason)


def _behind_front(text: str, start: int) -> Iterator[tuple[str, str]]:
    """Ways to cut "because B, A" at a comma, the last first, where the reason begins at a place."""
    for comma in reversed(list(re.finditer(r", ", text))):
        reason, main = text[start : comma.start()], text[comma.end() :]
        ahead = _PRONOUN.match(reason) and not _PRONOUN.match(main)
        leaning = LEANING.search(_PRONOUN.sub("", reason, count=1) if ahead else reason)
        if reason and not leaning and not re.match(r"(?:and|or|but)\b", main, re.I):
            pair = whole(reason), whole(main)
            yield pair[::-1] if ahead else pair


def _set_against(text: str) -> Iterator[tuple[str, str]]:
    """Ways to cut a sentence for `against`."""
    for joint in AGAINST.finditer(text):
        if not CONDITION.search(text[: joint.start()]) and not _FRONT.match(text):
            yield whole(text[: joint.start()]), whole(text[joint.end() :])
    if (front := _CONCEDING.match(text)) and CONDITION.search(text):
        yield from (pair for pair in _behind_front(text, front.end()) if not CONDITION.search(pair[0]))


def _ever_since(main: str) -> bool:
    """Whether "since" after this more likely tells a time: "headache has become rarer since ..."."""
    return re.search(r"\b(?:has|have|had|ever)\b|['’]ve\b", main, re.I) is not None


def whole(part: str) -> str:
    """A part of a sentence as a sentence."""
    part = part.strip(" ,;.!")
    plain = re.match(r"[a-z]+(?:[\s,-]|$)", part)  # and not mTOR or p53
    return f"{part[:1].upper()}{part[1:]}." if plain else f"{part}."


def balanced(part: str) -> bool:
    """Whether brackets and quotation marks that a part opens are closed in it."""
    pairs = (("(", ")"), ("[", "]"), ("“", "”"))
    return all(part.count(a) == part.count(b) for a, b in pairs) and part.count('"') % 2 == 0


def asserts(parsed: Masked) -> bool:
    """Whether a part of a sentence is a clause: a finite verb with a subject, and nothing that is said by another."""
    sentences = list(parsed.doc.sents)
    sentence, root = sentences[0], sentences[0].root
    finite = misread(root) or any(token.tag_ in _FINITE for token in [root, *root.children])
    if len(sentences) > 1 or not (misread(root) or root.pos_ in {"VERB", "AUX"}) or not finite:
        return False
    subjects = [child for child in root.children if child.dep_ in SUBJECTS]
    asking = [token for each in subjects for token in each.subtree if token.tag_.startswith("W")]
    relative = any(all(above.dep_ != "relcl" for above in token.ancestors) for token in asking)
    reported = any(token.dep_ in {"ccomp", "csubj", "csubjpass"} for token in sentence)
    return bool(subjects) and not relative and not reported
