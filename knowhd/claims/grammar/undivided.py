"""Coordinations that must not be told apart: one name with an "and" in it, and what several things do together."""

import re
from typing import TYPE_CHECKING

from knowhd import lexicon
from knowhd.claims.grammar.coordination import SUBJECTS
from knowhd.claims.grammar.masked import Masked

if TYPE_CHECKING:
    from spacy.tokens import Token

#: What several things do together, none of them need do alone; "taken together" only sums up.
_JOINTLY = re.compile(
    r"(?<!taken )(?<!all )\b(?:together|jointly|combined|synergistically|collectively|simultaneously|"
    r"in (?:combination|concert|synergy|tandem))\b(?! with)|\bthan (?:either|each|any one)\b",
    re.I,
)
#: What is compared with several things at once.
_THAN = re.compile(r"\b(?:than|versus|exceeds?)(?: the| both)?$", re.I)
#: Names with an "and" in them.
_FIXED = re.compile(
    r"\b(?:head and neck|foot[ -]and[ -]mouth|hand,? foot,? and mouth|ear,? nose,? and throat|"
    r"signal transducers? and activators?|disintegrin and metalloprotein\w*|phosphatase and tensin|"
    r"mitogen[ -]and[ -]stress)\b",
    re.I,
)
#: Parts of the body, of which an illness behind the "and" is said as well: "breast and lung cancer".
_PARTS = lexicon.words(
    """bladder bone bowel brain breast colon ear eye foot gut hand head heart kidney liver lung mouth muscle neck nerve
    nose ovary pancreas prostate skin spleen stomach throat thyroid tongue uterus"""
)


def jointly(text: str) -> bool:
    """Whether a sentence says that things do something together."""
    return _JOINTLY.search(text) is not None


def undivided(parsed: Masked, group: list["Token"], predicate: "Token") -> bool:
    """Whether a coordination in a sentence is one thing, or acts as one.

    Args:
        parsed: The sentence.
        group: The members of the coordination, in order.
        predicate: The verb that it is said with.
    """
    first, last = group[0], group[-1]
    subject = first.dep_ in SUBJECTS
    before = parsed.text[: min(parsed.offsets(token)[0] for token in first.subtree)].rstrip()
    if jointly(parsed.text) and (subject or _THAN.search(before)):
        return True
    fixed = [found.span() for found in _FIXED.finditer(parsed.text)]
    joints = [parsed.offsets(child)[0] for member in group for child in member.children if child.dep_ == "cc"]
    if any(start < joint < end for start, end in fixed for joint in joints):
        return True
    if parsed.hides(first):
        return False
    return (first.lemma_.lower() in _PARTS and _illness(parsed, last)) or (subject and _single(predicate, group))


def _illness(parsed: Masked, last: "Token") -> bool:
    """Whether the last of two is more than one more part of the body: "neck cancer", or a concept."""
    return parsed.hides(last) or any(child.dep_ == "compound" for child in last.children)


def _single(predicate: "Token", group: list["Token"]) -> bool:
    """Whether the verb is said of one thing: "signal transducer and activator of transcription 5 raises ..."."""
    finite = next((c for c in predicate.children if c.dep_ in {"aux", "auxpass"}), predicate)
    both = any(child.dep_ == "preconj" for member in group for child in member.children)
    return finite.tag_ == "VBZ" and not both
