"""A text read as if what it says to be absent were there: "Avoiding A lowers B" as "A lowers B", with A marked absent.

A small parser takes "Avoiding John lowers Mary" for a list of things avoided, where "John lowers Mary" is read without
fault. So words in front of a subject that say no more than that it is given, or that it is not, are left out, and
`reading` turns the sign for what was marked. Words elsewhere that say the same are read in the parse (`signs`).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from groundwork.linking import Mention
from knowhd.claims.grammar.masked import Masked
from knowhd.rules.groups import PEOPLE

if TYPE_CHECKING:
    from spacy.tokens import Span

_LACKING = (
    r"(?:(?:avoiding|stopping|discontinuing|withdrawing|omitting|withholding|ceasing|quitting|skipping|forgoing|removing|"
    r"eliminating|abstaining from|refraining from|giving up|cutting out|blocking|inhibiting|suppressing|depleting|"
    r"silencing|deleting|antagoni[sz]ing|neutrali[sz]ing|reducing|lowering|decreasing|lacking|knocking (?:down|out)|"
    r"not (?:taking|using|receiving|giving|having)|(?:taking|using|receiving|giving|having) no)"
    r"|(?:complete |total |partial |sudden |abrupt |genetic |pharmacologic(?:al)? |chemical |selective |specific |"
    r"targeted |an? |the )*(?:lack|absence|omission|avoidance|cessation|withdrawal|"
    r"withholding|discontinuation|deprivation|removal|elimination|loss|deficiency|depletion|inhibition|blockade|suppression|"
    r"silencing|deletion|knock-?(?:out|down)|interruption|ablation|antagonism) of"
    r"|(?:s[ih]RNAs?|RNAi|antisense(?: oligonucleotides?)?) (?:against|for|to|targeting)"
    rf"|{PEOPLE.pattern} (?:deficient in|lacking|devoid of|without|(?:that|which) lack(?:ed)?)"
    r"|(?:0|zero) ?(?:mg|g|µg|mcg|ml|iu|units?|doses?) of|zero)"
)
_GIVING = (
    r"(?:(?:taking|using|receiving|giving|adding|starting|administering|raising|increasing|activating)"
    r"|(?:an? |the )?(?:use|intake|administration|addition|presence) of)"
)
_OPENING = r"(?:^|[,;:] |\b(?:that|but|and|whereas|because|since|although|while|if|when) )"
_IN_FRONT = re.compile(rf"{_OPENING}(?:the )?(?P<out>(?:(?P<lacking>{_LACKING})|{_GIVING}) (?:the |of )?)$", re.I)
#: Before a thing that someone has: "who took no A", "patients not on A".
_HAVING_NONE = re.compile(
    r"\b(?:(?:tak(?:e|es|ing|en)|took|receiv(?:e|es|ed|ing)|us(?:e|es|ed|ing)|given|on|with) (?P<no>no |zero )"
    r"|(?P<not>not )(?:tak(?:ing|en)|receiv(?:ing|ed)|using|given|treated with|exposed to|on) )$",
    re.I,
)
#: Before a measured thing: the parser takes it for a verb, and it says no more than when or where it was measured.
_MEASURED = re.compile(r"\b(?:fasting|circulating|resting) $", re.I)
_NO_DOSE = re.compile(
    r" (?:at )?(?:a dose of )?(?:0|zero) ?(?:mg|g|µg|mcg|ml|iu|units?)(?:/day| daily| per day)?\b", re.I
)
#: Behind a thing: it is absent in those that are spoken of, or made to be.
_GONE = re.compile(
    rf"(?:-/-|[- ](?:null|deficient|free|knock-?(?:out|down)|s[ih]RNA))(?: {PEOPLE.pattern}| diets?)?(?= [a-z])"
)
#: What is left out is the front of a subject if a verb may follow what it stands before.
_VERB = re.compile(
    r"(?:['’]s)?(?: (?:levels?|receptors?|therapy|treatment|intake))? (?:\w+(?:s|ed)|fell|rose|led|can|may|will|did)\b",
    re.I,
)


class _Out(NamedTuple):
    """A stretch to be left out, and the mention beside it; `lacking` if that is absent then."""

    start: int
    end: int
    mention: int
    lacking: bool


class Present(Masked):
    """A parsed text without words that say no more than that a thing is given or absent.

    Args:
        text: The original.
        mentions: Where it names concepts, in order and without overlap.
    """

    def __init__(self, text: str, mentions: Sequence[Mention]) -> None:
        outs = list(_outs(text, mentions))
        kept, moved = text, list(mentions)
        for out in reversed(outs):
            kept = kept[: out.start] + kept[out.end :]
            gone = out.end - out.start
            moved = [replace(m, start=m.start - gone, end=m.end - gone) if m.start >= out.end else m for m in moved]
        super().__init__(kept, moved)
        self._absent = frozenset(self.place(moved[out.mention]).start for out in outs if out.lacking)

    def lacks(self, place: "Span") -> bool:
        """Whether the text says that what stands at a place is absent, by words that were left out."""
        return place.start in self._absent


def _outs(text: str, mentions: Sequence[Mention]) -> Iterator[_Out]:
    for number, mention in enumerate(mentions):
        before = text[: mention.start]
        front, none = _IN_FRONT.search(before), _HAVING_NONE.search(before)
        if front is not None and _VERB.match(text, mention.end):
            yield _Out(*front.span("out"), number, lacking=front["lacking"] is not None)
        elif none is not None:
            yield _Out(*none.span("no" if none["no"] else "not"), number, lacking=True)
        elif (measured := _MEASURED.search(before)) is not None:
            yield _Out(*measured.span(), number, lacking=False)
        gone = _NO_DOSE.match(text, mention.end) or _GONE.match(text, mention.end)
        if gone is not None:
            yield _Out(*gone.span(), number, lacking=True)
