"""What one subject does and does: "A activates B and inhibits C", cut before the second verb.

A small parser loses such a verb between names. So the words are cut first, where a word that may be a verb follows a
joint, and the cut stands if the parser finds a whole clause before it and one behind it, once it has a subject.
"""

import re
from collections.abc import Callable, Iterable

from groundwork.language import parse
from knowhd import lexicon
from knowhd.claims.grammar.agreement import alone, many, misread
from knowhd.claims.grammar.coordination import SUBJECTS
from knowhd.claims.grammar.masked import Masked
from knowhd.claims.grammar.undivided import jointly
from knowhd.claims.reasons import CONDITION, asserts, balanced, whole

_JOINT = re.compile(r"(?:,? (?:and|but) |(?P<comma>, ))(?=(?P<verb>[a-z]+) (?!\())")
_OPEN = re.compile(r"\b(?:that|which|who|whose|where)\b", re.I)
_TABLES = (lexicon.RELATING, lexicon.REMEDYING, lexicon.BETTERING, lexicon.WORSENING)
_SAID = re.compile(r"\s*(?:(?:also|both|often|each|\w+ly) )?(?P<verb>[a-z]+)\b")
_BEING = frozenset({"are", "were", "have", "do"})
_MANY = "They"
#: Who may do what a verb says, with the verb's tag.
_DOERS = {"It": "VBZ", _MANY: "VBP"}
#: Words that are written as names are, which parsers know badly: "QLT2", "mTOR".
_NAMELIKE = re.compile(r"\b(?=[a-z-]*[A-Z\d])(?=[\d-]*[A-Za-z])[\w-]{2,}\b")
#: What hangs below a verb and could take the second verb with it.
_BELOW = frozenset({"relcl", "advcl", "mark", "acl"})
#: What may stand between a subject and its verb.
_BETWEEN = frozenset({"aux", "auxpass", "neg", "advmod", "punct"})


def doings(
    text: str, read: Callable[[str], Iterable[Masked]], about: Callable[[str], str] | None = None
) -> tuple[str, ...] | None:
    """What the subject of a sentence does first, and what else it does, as two sentences; each of a list as its own.

    Args:
        text: One sentence.
        read: Parses a text; one way in which the first is a clause is enough.
        about: The subject of a sentence, told by its words; asked where none of its parses has one.

    Returns:
        None where the sentence is not cut.
    """
    if CONDITION.search(text):
        return None
    for joint in _JOINT.finditer(text):
        first, second = text[: joint.start()], text[joint.end() :]
        listed = not joint["comma"] or any(relates(more["verb"]) for more in _JOINT.finditer(second))
        if not listed or _OPEN.search(first) or not (balanced(first) and balanced(second)):
            continue
        if not relates(joint["verb"]) or not (who := doer(second)):
            continue
        if who == _MANY and not _verb_at(text, joint.end()):
            continue
        others = _others(second, who) if joint["comma"] else (second,)
        for parsed in read(whole(first)):
            if asserts(parsed) and (subject := _up_to_subject(parsed, several=who == _MANY)):
                return whole(first), *(whole(f"{subject} {other}") for other in others)
        if about and (subject := about(whole(first))):
            return whole(first), *(whole(f"{subject} {other}") for other in others)
    return None


def _others(second: str, who: str) -> tuple[str, ...]:
    """What is done behind the first comma of "does X, does Y and does Z", each by itself.

    Where two members of a list are verbs, the last is one, though the parser takes "block" in it for a noun.
    """
    told, at = [], 0
    for joint in _JOINT.finditer(second):
        if relates(joint["verb"]) and doer(second[joint.end() :]) == who:
            told.append(second[at : joint.start()])
            at = joint.end()
            if not joint["comma"]:
                break
    return (*told, second[at:])


def joined(parsed: Masked) -> bool:
    """Whether anything is joined to a sentence's verb or to what stands behind it."""
    root = next(parsed.doc.sents).root
    return any(token.dep_ == "cc" and token.i > root.i for token in parsed.doc)


def relates(word: str) -> bool:
    """Whether a word, in any form, relates or changes things."""
    return bool(lexicon.sign_of(word)) or any(lexicon.base(word, table) for table in _TABLES)


def acts_alone(word: str) -> bool:
    """Whether a word may be a verb that relates or changes things, in the form that is said of one: "impairs"."""
    return word.islower() and many(word) != word and relates(word)


def of_one(said: str) -> str:
    """What is said of many, a verb or an adverb first, as it is said of one; as it is where there is no verb."""
    found = _SAID.match(said)
    if found is None or not (relates(found["verb"]) or found["verb"] in _BEING):
        return said
    return f"{said[: found.start('verb')]}{alone(found['verb'])}{said[found.end('verb') :]}"


def doer(words: str) -> str:
    """Which of "It" and "They" may stand before words that say what somebody does to something, a verb first.

    Returns:
        Empty where neither may.
    """
    familiar = _NAMELIKE.sub("Mary", words)
    verb, _, rest = familiar.partition(" ")
    if acts_alone(verb):  # a plural rarely qualifies a noun: with an object behind it, a word in -s is a verb
        return "It" if any(_acts(f"It {each}", "VBZ") for each in (familiar, f"affects {rest}")) else ""
    return next((who for who, tag in _DOERS.items() if _acts(f"{who} {familiar}", tag)), "")


def _verb_at(text: str, start: int) -> bool:
    """Whether a word is a verb where it stands, unlike "drug" of "drug resistance"; "lower" the parser knows badly."""
    token = next((t for t in parse(text) if t.idx == start), None)
    return token is not None and (token.lower_ == "lower" or token.tag_.startswith("VB"))


def _acts(text: str, tag: str) -> bool:
    """Whether the second word of a text is its verb, of this form, and has an object."""
    root = next(parse(text).sents).root
    late = root.tag_ == "VBD" and root.lower_.endswith("en")  # "worsen", which no past form is like
    acting = root.tag_ == tag or (tag == "VBP" and (misread(root) or late))
    return root.i == 1 and acting and any(child.dep_ in {"dobj", "acomp"} for child in root.children)


def _up_to_subject(parsed: Masked, *, several: bool) -> str:
    """A sentence up to the end of its subject: what goes before holds of all that the subject does.

    Empty where the subject is not one, or `several`, or does it together; where it is not clear where it ends, or what
    else hangs from the verb.
    """
    root = next(parsed.doc.sents).root
    subject = next(child for child in root.children if child.dep_ in SUBJECTS)
    last = max(token.i for token in subject.subtree)
    between = all(t.dep_ in _BETWEEN for t in parsed.doc[last + 1 : root.i])
    plural = root.tag_ == "VBP" or subject.tag_ in {"NNS", "NNPS"} or subject.lower_ in {"we", "they", "you", "i"}
    if plural != several or not between or any(token.dep_ in _BELOW for token in parsed.doc):
        return ""
    if several and (jointly(parsed.text) or not relates(parsed.original([root]))):
        return ""  # "they have pain and lower doses": the second may well be a thing that they have
    return parsed.text[: max(parsed.offsets(token)[1] for token in subject.subtree)]
