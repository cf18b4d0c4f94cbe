"""A claim that denies what its sentence states, or states what its sentence denies: "does not raise" made "raises"."""

import re
from collections.abc import Iterable

from knowhd.claims.conditions import conditions

#: Words that deny what they stand with. "Not only" and "whether or not" deny nothing, and "neither ... nor" once.
_DENIALS = re.compile(
    r"\b(?:not(?! (?:only|just|merely|solely)\b)|cannot|never|neither|no(?! (?:less|later|more|fewer) than\b)|"
    r"none|nobody|nothing|fail(?:s|ed|ing)? to|failure to)\b|n['’]t\b",
    re.I,
)
_NOR = re.compile(r"\bnor\b", re.I)
_NO_DENIAL = re.compile(r"\bwhether or not\b|\bif not\b|\bnot? (?:doubt|question)\b", re.I)
#: Words that may say as much as a denial, and need not: beside one that is missing, they may stand for it.
_DENYING = re.compile(
    r"\b(?:without|lack\w*|absen\w+|unable|incapable|unlikely|hardly|barely|scarcely|rarely|except|rather than|instead|"
    r"unlike|den(?:y|ies|ied)|false|untrue|untouched|loses?|lost|"
    r"(?:un(?:affected|altered|changed|related|associated)|in(?:effective|active|sufficient|dependent|sensitive)|"
    r"ineffectual|resist\w*|refractory)\w*)\b",
    re.I,
)
#: Letters by which two words are held for forms of one: "raise" and "raises".
_STEM = 5


def turned(claim: str, statements: Iterable[str]) -> bool:
    """Whether a claim denies what its sentence does not, or the other way round.

    It is held against the statements that share most of its words; conditions are left out of both. In doubt, where
    one of those is denied as the claim is, or words of another kind may stand for a denial, it is not turned.

    Args:
        claim: Its words.
        statements: What its sentence states, one by one.
    """
    own, denied = _bare(claim), _denied(_bare(claim))
    others = [(_likeness(own, bare), bare) for bare in map(_bare, statements)]
    best = max((likeness for likeness, _ in others), default=0.0)
    nearest = [bare for likeness, bare in others if likeness == best > 0]
    return bool(nearest) and all(
        _denied(bare) != denied and not _DENYING.search(own if _denied(bare) else bare) for bare in nearest
    )


def _bare(text: str) -> str:
    """A text without its conditions."""
    for start, end in reversed(conditions(text)):
        text = f"{text[:start]} {text[end:]}"
    return text


def _denied(text: str) -> bool:
    """Whether an odd number of words denies; "nor" does only where no "neither" or "not" did before it."""
    told = _NO_DENIAL.sub(" ", text)
    count = len(_DENIALS.findall(told))
    return (count or len(_NOR.findall(told))) % 2 == 1


def _likeness(left: str, right: str) -> float:
    """Words that two texts share, by all they have; words that deny, and short ones, are none."""
    one, other = _words(left), _words(right)
    return len(one & other) / len(one | other) if one | other else 0.0


def _words(text: str) -> set[str]:
    return {word[:_STEM] for word in re.findall(r"\w{3,}", _DENIALS.sub(" ", text.lower()))} - {"does", "did"}
