"""Whether a sentence says as much as a claim by its verb: "cures" is more than "improves", "causes" than "goes with".

Signs agree where one says more than the other. Who improves does not cure, who treats does not prevent, and what goes
with more of a thing need not bring it about. Denied it is the other way round: what does not cure may improve.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from knowhd import lexicon
from knowhd.rules.reading import Reading

#: To the end of it, rather than less of it.
_WHOLLY = lexicon.words(
    "abolish abolition abrogate abrogation cure curative elimination eliminate eradicate eradication extinguish"
)
#: Before there is any of it.
_BEFOREHAND = lexicon.words(
    "immunise immunize prevent prevention preventive prophylactic prophylaxis protect protection protective "
    "vaccinate vaccination vaccine"
)
#: When it is there.
_AFTERWARDS = lexicon.words(
    "alleviate alleviation ameliorate cure curative eradicate heal improve improvement indicate manage relief relieve "
    "remedy resolve therapeutic therapy treat treatment"
)
#: By itself.
_BRINGING_ABOUT = lexicon.words("cause elicit evoke induce provoke trigger")


def says_as_much(claim: Reading, told: Iterable[str], *, denied: bool = False, together: bool = False) -> bool:
    """Whether words of the sign of a claim, or of its denial, bear on all that its own words say.

    Args:
        claim: What the claim says.
        told: The words by which evidence says it: cues of a sentence, or the relation of an edge.
        denied: The evidence denies it.
        together: The evidence says that the two go together.
    """
    own, there = _kinds(claim.cues), _kinds(told)
    if {own.when, there.when} == {"before", "after"}:
        return False
    if denied:
        return there.wholly <= own.wholly
    return own.wholly <= there.wholly and not (own.brings_about and together and not there.brings_about)


@dataclass(frozen=True, slots=True)
class _Kinds:
    """How far words say that it goes, when it is done, "before" or "after" it is there, and whether by itself."""

    wholly: bool
    when: str
    brings_about: bool


def _kinds(words: Iterable[str]) -> _Kinds:
    listed = tuple(words)
    before, after, wholly, brings_about = (
        any(lexicon.base(word, table) for word in listed)
        for table in (_BEFOREHAND, _AFTERWARDS, _WHOLLY, _BRINGING_ABOUT)
    )
    return _Kinds(wholly, "" if before == after else "before" if before else "after", brings_about)
