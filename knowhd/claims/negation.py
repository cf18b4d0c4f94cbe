"""Detect a claim that reverses the negation of its sentence, for instance "raises" for "does not raise"."""

import re
from collections.abc import Iterable

from knowhd.claims.conditions import conditions

#: Words of negation. "Not only" and "whether or not" are no negation, and "neither ... nor" counts once.
_DENIALS = re.compile(
    r"\b(?:not(?! (?:only|just|merely|solely)\b)|cannot|never|neither|no(?! (?:less|later|more|fewer) than\b)|"
    r"none|nobody|nothing|fail(?:s|ed|ing)? to|failure to)\b|n['’]t\b",
    re.I,
)
_NOR = re.compile(r"\bnor\b", re.I)
_NO_DENIAL = re.compile(r"\bwhether or not\b|\bif not\b|\bnot? (?:doubt|question)\b", re.I)
#: Words that can express a negation. If a negation is missing, they may stand for it.
_DENYING = re.compile(
    r"\b(?:without|lack\w*|absen\w+|unable|incapable|unlikely|hardly|barely|scarcely|rarely|except|rather than|instead|"
    r"unlike|den(?:y|ies|ied)|false|untrue|untouched|loses?|lost|"
    r"(?:un(?:affected|altered|changed|related|associated)|in(?:effective|active|sufficient|dependent|sensitive)|"
    r"ineffectual|resist\w*|refractory)\w*)\b",
    re.I,
)
#: Number of first letters in which the forms of one word agree: "raise" and "raises".
_STEM = 5


def turned(claim: str, statements: Iterable[str]) -> bool:
    """Return whether a claim is negated and its sentence is not, or the other way round.

    Conditions ("if ...") are removed first. Then the claim is compared with the statements of its sentence whose words
    are most similar to its words. The result is False in doubtful cases: if one of these statements is negated like the
    claim, or if a word such as "without" may express a missing negation.
    """
    own, denied = _bare(claim), is_denied(_bare(claim))
    others = [(_likeness(own, bare), bare) for bare in map(_bare, statements)]
    best = max((likeness for likeness, _ in others), default=0.0)
    nearest = [bare for likeness, bare in others if likeness == best > 0]
    return bool(nearest) and all(
        is_denied(bare) != denied and not _DENYING.search(own if is_denied(bare) else bare) for bare in nearest
    )


def _bare(text: str) -> str:
    """Return a text without conditions such as "if warfarin is stopped" (see `conditions`)."""
    for start, end in reversed(conditions(text)):
        text = f"{text[:start]} {text[end:]}"
    return text


def is_denied(text: str) -> bool:
    """Return whether a text has an odd number of negations. "Nor" counts only if there is no other negation."""
    told = _NO_DENIAL.sub(" ", text)
    count = len(_DENIALS.findall(told))
    return (count or len(_NOR.findall(told))) % 2 == 1


def _likeness(left: str, right: str) -> float:
    """Return the share of common words among all words of two texts, without negations and short words."""
    one, other = _words(left), _words(right)
    return len(one & other) / len(one | other) if one | other else 0.0


def _words(text: str) -> set[str]:
    return {word[:_STEM] for word in re.findall(r"\w{3,}", _DENIALS.sub(" ", text.lower()))} - {"does", "did"}
