"""How a text puts it: denied, hedged, left open, good or bad, more or less. Cues without a parse of scope.

`reading` reads what a sentence says between two concepts. Where a claim names none, only cues are left, and they are
weak: each becomes a feature, and `decision` says how much it counts.
"""

import re
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from knowhd import lexicon

if TYPE_CHECKING:
    from spacy.tokens import Doc

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
HEDGED = re.compile(
    r"\b(?:may|might|could|possibl\w+|potential\w*|suggest\w*|appear\w*|seem\w*|likely|probabl\w+|perhaps|plausibl\w+|"
    r"hypothe\w+|promising)\b",
    re.IGNORECASE,
)
#: A claim of what may be, or of some.
MODEST = re.compile(r"\b(?:may|might|could|can|possibl\w+|potential\w*|some|appear\w*|likely)\b", re.IGNORECASE)
OPEN = re.compile(
    r"\b(?:unclear|unknown|uncertain|remains?\s+to\s+be|(?:further|more)\s+(?:studies|research|investigation)|"
    r"limited\s+(?:data|evidence)|controversial|conflicting|is\s+needed|are\s+needed|aims?|objective|purpose|"
    r"investigate|whether|hypothesi\w+|inconclusive|insufficient|scarce|debat\w+)\b",
    re.IGNORECASE,
)
#: Digits that belong to a name or a year, and no quantity.
_NAMED_NUMBER = re.compile(r"(?:covid|ncov|cov|il|ace|h\d+n)-?\s?\d+|\b(?:19|20)\d\d\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:[.,·]\d+)*")


@dataclass(frozen=True, slots=True)
class Wording:
    """The cues of one text.

    Attributes:
        denied: It has a word that denies.
        null: It denies an effect, a difference or a relation.
        valence: +1 more words of good than of bad, -1 fewer, 0 as many; a denial is not counted in.
        direction: Product of the signs of its words of more and less, 0 without any; a denial is not counted in.
    """

    denied: bool
    null: bool
    valence: int
    direction: int


def wording(doc: "Doc") -> Wording:
    """The cues of a parsed text."""
    text = doc.text
    good, bad = len(GOOD.findall(text)), len(BAD.findall(text))
    signs = [sign for t in doc if (sign := lexicon.sign_of(t.lemma_) or lexicon.sign_of(t.text))]
    return Wording(
        denied=DENYING.search(text) is not None,
        null=NULL.search(text) is not None,
        valence=(good > bad) - (good < bad),
        direction=prod(signs) if signs else 0,
    )


def numbers(text: str) -> frozenset[str]:
    """The quantities in a text, as they are written; numbers of names and years are none."""
    return frozenset(_NUMBER.findall(_NAMED_NUMBER.sub(" ", text)))
