"""How a text puts it: denied, modest, good or bad. Cues without a parse of scope.

`reading` reads what a sentence says between two concepts. Where a claim names none, only cues are left, and they are
weak: each becomes a feature, and `decision` says how much it counts.
"""

import re
from dataclasses import dataclass

#: A denial of an effect, a difference, a relation or a supply.
NULL = re.compile(
    r"""\bno\s+(?:\w+\s+)?(?:evidence|association|difference|effect|benefit|increase|impact|relationship|correlation|
        data|specific|proven|effective)\w*
    | \bnot\s+(?:\w+\s+)?(?:associated|differ|confirm|support|effective|recommend|increase|reduce|affect|relat|improve|
        show)\w*
    | \b(?:did|does|do|were|was|is|are)\s+not\b | \black\s+of\b | \bfailed\s+to\b | \blittle\s+evidence\b
    | \bunlikely\b | \bno\s+longer\b | \binsufficient\s+evidence\b""",
    re.IGNORECASE | re.VERBOSE,
)
DENYING = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|cannot|nobody|nothing|lack|fail(?:s|ed|ure)?|unlikely|unable|hardly|"
    r"rarely|absence|against)\b|n['’]t\b",
    re.IGNORECASE,
)
GOOD = re.compile(
    r"\b(?:benefi\w+|improv\w+|safe\w*|effective\w*|efficac\w+|protect\w+|help\w*|useful|prevent\w*|treat\w*|cure\w*|"
    r"reliev\w+|recover\w*|support\w*)\b",
    re.IGNORECASE,
)
BAD = re.compile(
    r"\b(?:harm\w*|worse\w*|danger\w*|adverse|toxic\w*|risk|death\w*|mortality|severe|severity|fatal\w*|damage|infect\w*|"
    r"ineffective|fail\w*)\b",
    re.IGNORECASE,
)
#: A claim of what may be, or of some.
MODEST = re.compile(r"\b(?:may|might|could|can|possibl\w+|potential\w*|some|appear\w*|likely)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Wording:
    """The cues of one text.

    Attributes:
        denied: It has a word that denies.
        null: It denies an effect, a difference or a relation.
        valence: +1 more words of good than of bad, -1 fewer, 0 as many; a denial is not counted in.
    """

    denied: bool
    null: bool
    valence: int


def wording(text: str) -> Wording:
    """The cues of a text."""
    good, bad = len(GOOD.findall(text)), len(BAD.findall(text))
    return Wording(
        denied=DENYING.search(text) is not None,
        null=NULL.search(text) is not None,
        valence=(good > bad) - (good < bad),
    )
